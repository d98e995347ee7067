/*
 * The palette: the search of the site in a dialog, which also offers what the page behind it does. Arrow keys
 * lead through what was found, Enter in the field opens the first of it. Loaded when it is first opened; without it
 * the search is a page.
 */
;(() => {
  const DELAY = 150
  let timer
  let request

  const palette = document.getElementById('palette')
  const field = palette.querySelector('input')
  const links = () => [...palette.querySelectorAll('.palette-results :is(a, button)')]
  const OWN = '.bulk-bar[data-any] .bulk-buttons button:not([hidden]), .topbar .theme-switch button'

  async function search() {
    clearTimeout(timer)
    request?.abort()
    const { signal } = (request = new AbortController())
    const results = palette.querySelector('.palette-results')
    const url = new URL(palette.querySelector('form').action)
    url.searchParams.set('q', field.value)
    try {
      const response = await fetch(url, { headers: { 'hx-request': 'true' }, signal })
      const elsewhere = response.headers.get('hx-redirect')
      if (elsewhere) return location.assign(elsewhere)
      if (!response.ok) throw new Error(String(response.status))
      const page = new DOMParser().parseFromString(await response.text(), 'text/html')
      results.replaceChildren(...page.body.children)
      offerOwn(results.firstElementChild)
    } catch {
      if (!signal.aborted) results.textContent = palette.dataset.failed
    }
  }

  /* Offers of the page that only a script can carry out: an action on the selection, another theme. */
  function offerOwn(results) {
    const text = field.value.trim().toLowerCase()
    const count = document.querySelector('.bulk-count')?.textContent
    const found = [...document.querySelectorAll(OWN)]
      .map((source) => ({
        source,
        label: source.title || `${source.textContent.trim()} · ${count}`,
      }))
      .filter(({ label }) => label.toLowerCase().includes(text))
    if (found.length === 0) return
    const section = document.createElement('section')
    const heading = document.createElement('h2')
    const list = document.createElement('ul')
    heading.textContent = section.ariaLabel = palette.dataset.here
    for (const { source, label } of found) {
      const button = document.createElement('button')
      button.type = 'button'
      button.textContent = label
      button.addEventListener('click', () => {
        palette.close()
        source.click()
      })
      list.appendChild(document.createElement('li')).append(button)
    }
    section.append(heading, list)
    results.append(section)
    results.querySelector('[role="status"]').textContent = ''
  }

  /* The field comes before the first link and after the last one. */
  function move(step) {
    const stops = [field, ...links()]
    const at = stops.indexOf(document.activeElement)
    stops[(at + step + stops.length) % stops.length].focus()
  }

  palette.addEventListener('open', search)

  palette.addEventListener('keydown', (event) => {
    const { key, isComposing } = event
    if (isComposing || (key !== 'ArrowDown' && key !== 'ArrowUp')) return
    event.preventDefault()
    move(key === 'ArrowDown' ? 1 : -1)
  })

  field.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(search, DELAY)
  })

  palette.addEventListener('submit', async (event) => {
    event.preventDefault()
    await search()
    palette.querySelector('.palette-results li :is(a, button)')?.click()
  })

  palette.addEventListener('click', ({ target }) => {
    if (target === palette) palette.close()
  })
})()
