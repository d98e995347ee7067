/*
 * What forms do beyond the browser's own: they warn before changes are lost, count characters as the
 * server does. All of them work without this file.
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
    if (target.dataset.clears === undefined) followClearing(target)
  })

  addEventListener('beforeunload', (event) => {
    if (isUnsaved()) event.preventDefault()
  })

  document.addEventListener('submit', (event) => {
    if (event.target === form()) isSending = true
  })

  document.addEventListener('htmx:before:request', (event) => {
    const { ctx } = event.detail
    const loses = ctx.sourceElement !== form() && ctx.target?.contains?.(form())
    if (loses && isUnsaved() && !confirm(form().dataset.unsaved)) event.preventDefault()
  })

  /* The browser leaves for the next page by itself; in all other cases there is the form again. */
  for (const answered of ['htmx:after:request', 'htmx:finally:request']) {
    document.addEventListener(answered, (event) => {
      const { ctx } = event.detail
      if (ctx.sourceElement?.id === 'record-form' && !ctx.hx?.redirect) isSending = false
    })
  }

  /* A page that comes back out of the browser's memory is not on its way any more. */
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

  /* Who empties a field means it; only its checkbox says so to the server. */
  function followClearing(field) {
    const box = document.querySelector(`[data-clears="${CSS.escape(field.id)}"]`)
    if (box) box.checked = field.value === ''
  }

  /* A link moves the view to a field; people want to type there. */
  document.addEventListener('click', (event) => {
    const link = event.target.closest?.('.form-error a')
    const field = link && document.getElementById(decodeURIComponent(link.hash.slice(1)))
    if (!field) return
    event.preventDefault()
    field.focus()
  })

  /* Choosing one of many is in choices.js. */

  function enhanceAll() {
    for (const field of document.querySelectorAll('[data-most-characters]')) countCharacters(field)
  }

  document.addEventListener('htmx:after:swap', enhanceAll)
  enhanceAll()
})()
