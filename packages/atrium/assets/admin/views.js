/*
 * The forms for the views and columns of a list. Without this file they are pages, and the buttons that move a
 * column ask the server.
 */
;(() => {
  const panel = () => document.getElementById('list-panel')
  const list = () => document.querySelector('.column-choices')
  let dragged = null

  function close() {
    panel().close()
    panel().replaceChildren()
  }

  /* The buttons at both ends can't move any further. */
  function showEnds() {
    const rows = [...list().children]
    for (const [index, row] of rows.entries()) {
      row.querySelector('[data-move="up"]').ariaDisabled = index === 0 ? 'true' : null
      row.querySelector('[data-move="down"]').ariaDisabled =
        index === rows.length - 1 ? 'true' : null
    }
  }

  function tell(row) {
    const form = row.closest('form')
    const rows = [...list().children]
    const values = { label: row.dataset.label, place: rows.indexOf(row) + 1, count: rows.length }
    form.querySelector('[role="status"]').textContent = form.dataset.moved.replace(
      /\{(\w+)\}/g,
      (_, name) => values[name]
    )
  }

  function move(button) {
    const row = button.closest('li')
    const other = button.dataset.move === 'up' ? row.previousElementSibling : row.nextElementSibling
    if (!other) return
    if (button.dataset.move === 'up') other.before(row)
    else other.after(row)
    showEnds()
    tell(row)
    row.scrollIntoView({ block: 'nearest' })
    button.focus()
  }

  function show() {
    const dialog = panel()
    if (!dialog?.firstElementChild || dialog.open) return
    dialog.showModal()
    for (const row of list()?.children ?? []) row.draggable = true
    list()?.closest('form').setAttribute('data-can-drag', '')
  }

  document.addEventListener('click', (event) => {
    const link = event.target.closest?.('#list-panel [data-close]')
    const button = event.target.closest?.('.column-choices [data-move]')
    if (!link && !button) return
    event.preventDefault()
    if (link) close()
    else move(button)
  })

  document.addEventListener(
    'close',
    ({ target }) => {
      if (target === panel()) target.replaceChildren()
    },
    true
  )

  document.addEventListener('dragstart', ({ target }) => {
    dragged = target.closest?.('.column-choices > li') ?? null
    dragged?.setAttribute('data-dragged', '')
  })

  document.addEventListener('dragover', (event) => {
    const row = event.target.closest?.('.column-choices > li')
    if (!dragged || !row) return
    event.preventDefault()
    if (row === dragged) return
    const { top, height } = row.getBoundingClientRect()
    if (event.clientY < top + height / 2) row.before(dragged)
    else row.after(dragged)
  })

  document.addEventListener('dragend', () => {
    if (!dragged) return
    dragged.removeAttribute('data-dragged')
    showEnds()
    tell(dragged)
    dragged = null
  })

  /* The response is a download or another page, so the dialog closes. */
  document.addEventListener('submit', ({ target }) => {
    if (target.matches('#list-panel [data-exports]')) setTimeout(close)
  })

  document.addEventListener('htmx:after:swap', show)
  show()
})()
