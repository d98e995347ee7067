/*
 * The import of a file: the file can be dropped, one that is too large is not sent, and the page of the columns
 * says which fields are missing as they are chosen. Without a script the server does all but the first. The browser
 * asks before corrections are lost that were not checked.
 */
;(() => {
  const form = document.getElementById('import-upload')
  const columns = document.getElementById('import-columns')
  if (form) takeFiles(form)
  if (columns) tellMissing(columns)
  const trial = document.getElementById('import-trial')
  if (trial) askBeforeLeaving(trial)

  function askBeforeLeaving(corrections) {
    let isUnsaved = false
    corrections.addEventListener('input', ({ target }) => {
      isUnsaved ||= target.name.startsWith('cell.')
    })
    corrections.addEventListener('submit', () => (isUnsaved = false))
    addEventListener('beforeunload', (event) => {
      if (isUnsaved) event.preventDefault()
    })
  }

  function takeFiles(upload) {
    const zone = upload.querySelector('.import-drop')
    const input = zone.querySelector('input[type="file"]')
    const button = upload.querySelector('button[type="submit"]')
    const message = zone.querySelector('.field-error')
    const label = button.textContent

    const hasFiles = (event) => event.dataTransfer?.types.includes('Files')
    for (const type of ['dragenter', 'dragover']) {
      zone.addEventListener(type, (event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        zone.dataset.over = ''
      })
    }
    zone.addEventListener('dragleave', (event) => {
      if (!zone.contains(event.relatedTarget)) delete zone.dataset.over
    })
    zone.addEventListener('drop', (event) => {
      delete zone.dataset.over
      if (!hasFiles(event)) return
      event.preventDefault()
      if (event.dataTransfer.files.length > 0) input.files = event.dataTransfer.files
      check()
    })
    input.addEventListener('change', check)
    upload.addEventListener('submit', (event) => {
      if (!check()) return event.preventDefault()
      button.disabled = true
      button.textContent = upload.dataset.sending
    })
    /* The browser may show the page again as it was left. */
    addEventListener('pageshow', () => {
      button.disabled = false
      button.textContent = label
    })

    function check() {
      const isTooLarge = input.files[0]?.size > Number(upload.dataset.most)
      message.hidden = !isTooLarge
      message.textContent = isTooLarge ? upload.dataset.tooLarge : ''
      return !isTooLarge
    }
  }

  function tellMissing(choices) {
    const note = document.getElementById('import-missing')
    const required = JSON.parse(note.dataset.required)
    const update = () => {
      const chosen = new Set(
        [...choices.querySelectorAll('.import-table select')].map(
          ({ value }) => value.split(':')[0]
        )
      )
      for (const input of choices.querySelectorAll('[name^="value."]')) {
        const name = input.name.slice('value.'.length)
        const { value } = input
        /* A field with a column has no other value. */
        input.closest('.edit-field').hidden = chosen.has(name) && value === ''
        if (value !== '') chosen.add(name)
      }
      const names = required.filter(({ name }) => !chosen.has(name)).map((one) => one.label)
      note.hidden = names.length === 0
      note.textContent = note.dataset.text.replace('@', () => names.join(', '))
    }
    choices.addEventListener('change', ({ target }) => {
      target.closest('tr')?.toggleAttribute('data-chosen', target.value !== '')
      update()
    })
    update()
  }
})()
