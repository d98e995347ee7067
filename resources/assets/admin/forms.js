/*
 * Enhancements of forms: a warning before unsaved changes are lost, and a character count that
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

  /* Emptying a field checks its checkbox, which alone tells the server. */
  function followClearing(field) {
    const box = document.querySelector(`[data-clears="${CSS.escape(field.id)}"]`)
    if (box) box.checked = field.value === ''
  }

  /* A link to a field only scrolls to it; the focus belongs there too. */
  document.addEventListener('click', (event) => {
    const link = event.target.closest?.('.form-error a')
    const field = link && document.getElementById(decodeURIComponent(link.hash.slice(1)))
    if (!field) return
    event.preventDefault()
    field.focus()
  })

  /* Searching reference fields is in choices.js. */

  function enhanceAll() {
    for (const field of document.querySelectorAll('[data-most-characters]')) countCharacters(field)
  }

  document.addEventListener('htmx:after:swap', enhanceAll)
  enhanceAll()
})()
