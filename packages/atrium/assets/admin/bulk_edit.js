/*
 * Whoever changes a field of many records means to change it: its box is checked. Without this file, one
 * checks it.
 */
;(() => {
  function follow({ target }) {
    const field = target.closest?.('.edit-field')
    if (!field || target.closest('.edit-change')) return
    field.querySelector('.edit-change input').checked = true
  }

  for (const event of ['input', 'change']) document.addEventListener(event, follow)
})()
