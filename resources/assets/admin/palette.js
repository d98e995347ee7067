/*
 * The palette: Ctrl/Cmd+K opens the search of the site in a dialog. Arrow keys lead through what was
 * found, Enter in the field opens the first of it. Without this file the search is a page.
 */
;(() => {
  const DELAY = 150
  let timer
  let request

  const palette = () => document.getElementById('palette')
  const field = () => palette().querySelector('input')
  const links = () => [...palette().querySelectorAll('.palette-results a')]

  function open() {
    if (palette().open) return
    palette().showModal()
    field().select()
    search()
  }

  async function search() {
    clearTimeout(timer)
    request?.abort()
    const { signal } = (request = new AbortController())
    const results = palette().querySelector('.palette-results')
    const url = new URL(palette().querySelector('form').action)
    url.searchParams.set('q', field().value)
    try {
      const answer = await fetch(url, { headers: { 'hx-request': 'true' }, signal })
      const elsewhere = answer.headers.get('hx-redirect')
      if (elsewhere) return location.assign(elsewhere)
      if (!answer.ok) throw new Error(String(answer.status))
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
      results.replaceChildren(...page.body.children)
    } catch {
      if (!signal.aborted) results.textContent = palette().dataset.failed
    }
  }

  /* The field comes before the first link and after the last one. */
  function move(step) {
    const stops = [field(), ...links()]
    const at = stops.indexOf(document.activeElement)
    stops[(at + step + stops.length) % stops.length].focus()
  }

  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey, isComposing } = event
    if (!palette() || isComposing) return
    if ((ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === 'k') {
      event.preventDefault()
      open()
    } else if (palette().open && (key === 'ArrowDown' || key === 'ArrowUp')) {
      event.preventDefault()
      move(key === 'ArrowDown' ? 1 : -1)
    }
  })

  document.addEventListener('input', ({ target }) => {
    if (!palette() || target !== field()) return
    clearTimeout(timer)
    timer = setTimeout(search, DELAY)
  })

  document.addEventListener('submit', async (event) => {
    if (!palette()?.contains(event.target)) return
    event.preventDefault()
    await search()
    palette().querySelector('.palette-results li a')?.click()
  })

  document.addEventListener('click', (event) => {
    const { target, button, ctrlKey, metaKey, shiftKey } = event
    const isPlain = button === 0 && !ctrlKey && !metaKey && !shiftKey
    if (isPlain && target.closest?.('.search-open')) {
      event.preventDefault()
      open()
    } else if (target === palette()) palette().close()
  })
})()
