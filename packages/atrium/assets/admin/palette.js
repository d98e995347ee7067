/*
 * The palette: the search of the site in a dialog, which also offers what the page behind it does. Arrow keys
 * lead through what was found, Enter in the field opens the first of it. Pages and records that the page knows are
 * shown until the server responds. Loaded when it is first opened; without it the search is a page.
 */
;(() => {
  const DELAY = 150
  /* Results that are shown before the server responds */
  const MOST_AT_ONCE = 8
  let timer
  let request
  /* Results of earlier searches of this page, by text */
  const earlier = new Map()

  const palette = document.getElementById('palette')
  const field = palette.querySelector('input')
  const links = () => [...palette.querySelectorAll('.palette-results :is(a, button)')]
  const OWN = '.bulk-bar[data-any] .bulk-buttons button:not([hidden]), .topbar .theme-switch button'

  async function search() {
    clearTimeout(timer)
    request?.abort()
    const { signal } = (request = new AbortController())
    const results = palette.querySelector('.palette-results')
    const text = field.value.trim()
    const url = new URL(palette.querySelector('form').action)
    url.searchParams.set('q', field.value)
    showKnown()
    try {
      const response = await fetch(url, { headers: { 'hx-request': 'true' }, signal })
      const elsewhere = response.headers.get('hx-redirect')
      if (elsewhere) return location.assign(elsewhere)
      if (!response.ok) throw new Error(String(response.status))
      const html = await response.text()
      earlier.set(text, html)
      show(html)
    } catch {
      if (!signal.aborted) results.textContent = palette.dataset.failed
    }
  }

  function show(html) {
    const page = new DOMParser().parseFromString(html, 'text/html')
    put(page.body.firstElementChild)
  }

  /* The focus stays on its result if the new ones have it, too. */
  function put(content) {
    const results = palette.querySelector('.palette-results')
    const focused = results.contains(document.activeElement) ? document.activeElement.href : null
    results.replaceChildren(content)
    offerOwn(content)
    if (focused === null) return
    const same = links().find(({ href }) => href && href === focused)
    ;(same ?? field).focus()
  }

  /* What the page knows, until the server responds: the same search, else pages and records with the text. */
  function showKnown() {
    const text = field.value.trim()
    if (earlier.has(text)) return show(earlier.get(text))
    const found = knownLinks(text.toLowerCase())
    if (found.length === 0) return
    const content = document.createElement('div')
    content.className = 'search-content'
    const status = document.createElement('p')
    status.className = 'search-status'
    status.setAttribute('role', 'status')
    content.append(status, sectionOf(palette.dataset.pages, found))
    put(content)
  }

  /* Copies of links of the sidebar, of earlier results and of the list behind the dialog */
  function knownLinks(text) {
    const parser = new DOMParser()
    const pages = [...earlier.values()].map((html) => parser.parseFromString(html, 'text/html'))
    const all = [
      ...document.querySelectorAll('nav.side a[href]'),
      ...pages.flatMap((page) => [...page.querySelectorAll('li a[href]')]),
      ...document.querySelectorAll('#list-content tbody .lead a[href]'),
    ].filter(({ textContent }) => textContent.trim().toLowerCase().includes(text))
    const byUrl = new Map(all.map((source) => [source.getAttribute('href'), source]))
    return [...byUrl].slice(0, MOST_AT_ONCE).map(([href, source]) => {
      const link = document.createElement('a')
      link.href = href
      link.append((source.querySelector('span, bdi') ?? source).textContent.trim())
      return link
    })
  }

  function sectionOf(label, entries) {
    const section = document.createElement('section')
    const heading = document.createElement('h2')
    const list = document.createElement('ul')
    heading.textContent = section.ariaLabel = label
    for (const entry of entries) list.appendChild(document.createElement('li')).append(entry)
    section.append(heading, list)
    return section
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
    const buttons = found.map(({ source, label }) => {
      const button = document.createElement('button')
      button.type = 'button'
      button.textContent = label
      button.addEventListener('click', () => {
        palette.close()
        source.click()
      })
      return button
    })
    results.append(sectionOf(palette.dataset.here, buttons))
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
