/*
 * The browser's colour picker next to the text. It has no name, as it always has a value: the text is submitted,
 * and works without this file.
 */
;(() => {
  const COLOUR = /^#[\da-f]{6}$/i
  const partsOf = (box) => box.querySelectorAll('input')

  document.addEventListener('input', ({ target }) => {
    const box = target.closest?.('[data-colour]')
    if (!box) return
    const [text, choice] = partsOf(box)
    if (target === text && COLOUR.test(text.value.trim())) choice.value = text.value.trim()
    if (target !== choice) return
    text.value = choice.value
    text.dispatchEvent(new Event('input', { bubbles: true }))
  })

  function enhance() {
    for (const box of document.querySelectorAll('[data-colour]')) {
      const [text, choice] = partsOf(box)
      choice.hidden = text.disabled
    }
  }

  document.addEventListener('htmx:after:swap', enhance)
  document.addEventListener('admin:fields', enhance)
  enhance()
})()
