/*
 * The preview of a long text, without leaving the form. The server renders and sanitises it; without this file
 * the button sends the form, which comes back with the preview.
 */
;(() => {
  const PAUSE = 500
  const waiting = new WeakMap()

  const partsOf = (box) => ({
    area: box.querySelector('textarea'),
    button: box.querySelector('.markdown-button'),
    region: box.querySelector('.markdown-preview'),
  })

  async function show(box) {
    const { area, region } = partsOf(box)
    const text = area.value
    const body = new URLSearchParams({ text })
    const response = await fetch(box.dataset.markdown, { method: 'POST', body }).catch(() => null)
    const html =
      response?.ok && !response.redirected ? await response.text().catch(() => null) : null
    if (area.value !== text) return
    if (html === null) region.textContent = region.dataset.failed
    else region.innerHTML = html
  }

  document.addEventListener('click', (event) => {
    const box = event.target.closest?.('.markdown-button')?.closest('[data-markdown]')
    if (!box) return
    event.preventDefault()
    const { button, region } = partsOf(box)
    region.hidden = !region.hidden
    button.setAttribute('aria-expanded', !region.hidden)
    if (!region.hidden) void show(box)
  })

  /* The preview follows the typed text. */
  document.addEventListener('input', ({ target }) => {
    const box = target.closest?.('[data-markdown]')
    if (!box || partsOf(box).region.hidden) return
    clearTimeout(waiting.get(box))
    waiting.set(
      box,
      setTimeout(() => void show(box), PAUSE)
    )
  })
})()
