/*
 * Enhancements of forms: a question before unsaved changes are lost, and a character count that
 * matches the server's. All forms work without this file.
 */
;(() => {
  const form = () => document.getElementById('record-form')
  let isSending = false

  /* ---------- Changes that are not saved ---------- */

  const isUnsaved = () => form()?.hasAttribute('data-is-unsaved') && !isSending

  document.addEventListener('input', (event) => {
    const { target } = event
    const own = target.closest?.('#record-form')
    if (!own) return
    own.setAttribute('data-is-unsaved', '')
    countCharacters(target)
    chooseTyped(target)
    if (target.dataset.clears === undefined) followClearing(target)
  })

  /* Cells that are edited in place are in no form of a record. */
  document.addEventListener('input', ({ target }) => checkRange(target))

  /* Where two values can be chosen, the one that is typed is. */
  function chooseTyped(target) {
    const choice = target.closest('[data-chooses]')?.querySelector('[type="radio"]')
    if (choice) choice.checked = true
  }

  addEventListener('beforeunload', (event) => {
    if (isUnsaved()) event.preventDefault()
  })

  /* A confirmed deletion needs no other question. */
  document.addEventListener('submit', (event) => {
    if (event.target === form() || event.target.closest('#confirm')) isSending = true
  })

  /* The browser can ask only when a page is closed or left by its own buttons. */
  const question = () => document.getElementById('leave')
  let leave = null

  function ask(onward) {
    leave = onward
    question().showModal()
  }

  addEventListener('click', (event) => {
    const { target, button, ctrlKey, metaKey, shiftKey, altKey } = event
    const response = target.closest?.('[data-leave]')?.dataset.leave
    if (response) {
      question().close()
      if (response === 'go') goOn(leave)
      return
    }
    const link = target.closest?.('a[href]')
    const isPlain = button === 0 && !ctrlKey && !metaKey && !shiftKey && !altKey
    if (!link || !isPlain || event.defaultPrevented || !isUnsaved()) return
    const { origin, pathname, search } = new URL(link.href)
    const stays = link.target || link.matches('[download], [hx-get], [data-asks], [data-close]')
    const isHere = link.hash && pathname + search === location.pathname + location.search
    if (stays || isHere || origin !== location.origin) return
    event.preventDefault()
    const onward = () => location.assign(link.href)
    if (link.hasAttribute('data-leaves')) goOn(onward)
    else ask(onward)
  })

  function goOn(onward) {
    isSending = true
    onward()
  }

  document.addEventListener('htmx:before:request', (event) => {
    const { ctx } = event.detail
    const loses = ctx.sourceElement !== form() && ctx.target?.contains?.(form())
    if (!loses || !isUnsaved()) return
    event.preventDefault()
    ask(() => ctx.sourceElement.click())
  })

  /* The browser navigates to the next page by itself; in all other cases the form is shown
   * again. */
  for (const answered of ['htmx:after:request', 'htmx:finally:request']) {
    document.addEventListener(answered, (event) => {
      const { ctx } = event.detail
      if (ctx.sourceElement?.id === 'record-form' && !ctx.hx?.redirect) isSending = false
    })
  }

  /* A page that was restored from the back/forward cache is no longer being submitted. */
  addEventListener('pageshow', () => {
    isSending = false
  })

  /* ---------- Single fields ---------- */

  /* `maxlength` counts an emoji as two, the database as one. */
  function countCharacters(field) {
    const most = Number(field.dataset.mostCharacters)
    if (!most) return
    field.setCustomValidity([...field.value].length > most ? field.dataset.tooLong : '')
  }

  /* A number with thousands separators is a text to the browser. Invalid numbers are left to the server. */
  function checkRange(field) {
    const { min = '', max = '' } = field.dataset ?? {}
    if (min === '' && max === '') return
    const number = Number(field.value.replace(/[,'’_\s]/g, ''))
    const isBeyond = (min !== '' && number < Number(min)) || (max !== '' && number > Number(max))
    field.setCustomValidity(field.value.trim() !== '' && isBeyond ? field.title : '')
  }

  /* Emptying a field checks its checkbox, which alone tells the server. */
  function followClearing(field) {
    const box = document.querySelector(`[data-clears="${CSS.escape(field.id)}"]`)
    if (box) box.checked = field.value === ''
  }

  /* A focused number scrolls with the page; what can't be written is not changed by the wheel. */
  document.addEventListener(
    'wheel',
    ({ target }) => {
      if (target.type !== 'number' || target.readOnly || target !== document.activeElement) return
      target.readOnly = true
      setTimeout(() => (target.readOnly = false))
    },
    { capture: true, passive: true }
  )

  /* A link to a field only scrolls to it; the focus belongs there too. */
  document.addEventListener('click', (event) => {
    const link = event.target.closest?.('.form-error a')
    const field = link && document.getElementById(decodeURIComponent(link.hash.slice(1)))
    if (!field) return
    event.preventDefault()
    field.focus()
  })

  /* ---------- New references ---------- */

  /* Without the script of the dialog, the button leads to a page that returns to the form. */
  addEventListener(
    'click',
    (event) => {
      const button = event.target.closest?.('button[data-dialog][data-script]')
      if (!button) return
      event.preventDefault()
      import(button.dataset.script).then(
        ({ open }) => open(button),
        () => {
          button.removeAttribute('data-dialog')
          button.form.requestSubmit(button)
        }
      )
    },
    true
  )

  /* Searching reference fields is in choices.js. */

  function enhanceAll() {
    for (const field of document.querySelectorAll('[data-most-characters]')) countCharacters(field)
    for (const field of document.querySelectorAll('[data-min], [data-max]')) checkRange(field)
  }

  document.addEventListener('htmx:after:swap', enhanceAll)
  enhanceAll()
})()
