/*
 * The list of a model. htmx swaps its content; this script keeps the scroll position and announces
 * the change.
 */
;(() => {
  let scrolled = 0

  const table = () => document.querySelector('#list-content .list-scroll')

  /* The address of the list that is sorted by the heading's column, too, or in its other direction. */
  function sortedToo(link) {
    const { sortBy, sortOrder } = link.closest('thead').dataset
    const url = new URL(link.href)
    const by = sortBy ? sortBy.split(',') : []
    const order = sortOrder ? sortOrder.split(',') : []
    const name = url.searchParams.get('sort_by')
    const place = by.includes(name) ? by.indexOf(name) : by.length
    by[place] = name
    order[place] = url.searchParams.get('sort_order')
    url.searchParams.set('sort_by', by.join())
    url.searchParams.set('sort_order', order.join())
    return url.pathname + url.search
  }

  /* With shift, a heading is one more column to sort by. */
  document.addEventListener(
    'click',
    (event) => {
      const link = event.target.closest?.('#list-content thead a')
      if (!link || !event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      event.stopPropagation()
      window.htmx.ajax('GET', sortedToo(link), {
        source: link,
        target: '#list-content',
        swap: 'outerHTML',
        push: 'true',
      })
    },
    true
  )

  /* The scripts that edit cells in place and move rows are loaded when the rows are first reached. */
  for (const reached of ['pointerover', 'focusin', 'dblclick', 'keydown']) {
    document.addEventListener(reached, ({ key, target }) => {
      const table = target.closest?.('.list-table tbody')?.parentElement
      const { cellsScript, movesScript } = table?.tHead?.dataset ?? {}
      if (movesScript) import(movesScript)
      if (!cellsScript) return
      const loading = import(cellsScript)
      if (reached === 'dblclick') loading.then(({ edit }) => edit(target))
      if (key === 'F2') loading.then(({ edit }) => edit(target, true))
    })
  }

  /* The explanation and the form of a card open in the dialog. The links have no attributes of htmx, so that pages stay small. */
  document.addEventListener('click', (event) => {
    const { target, ctrlKey, metaKey, shiftKey, altKey } = event
    const link = target.closest?.('#explain-list, #add-card')
    if (!link || ctrlKey || metaKey || shiftKey || altKey) return
    if (!document.getElementById('list-panel')) return
    event.preventDefault()
    window.htmx.ajax('GET', link.href, { source: link, target: '#list-panel', swap: 'innerHTML' })
  })

  /* Other rows have other texts: columns keep the width that they had. */
  let widths = []
  const headings = () => table()?.querySelectorAll('thead th') ?? []

  document.addEventListener('htmx:before:swap', () => {
    scrolled = table()?.scrollLeft ?? 0
    widths = Array.from(headings(), (one) => `${one.offsetWidth}px`)
  })

  /* The initial list of the page is not announced. */
  document.addEventListener('DOMContentLoaded', () => {
    const list = document.getElementById('list-content')
    if (list) list.dataset.isShown = 'true'
  })

  document.addEventListener('htmx:after:swap', () => {
    const list = document.getElementById('list-content')
    if (!list || list.dataset.isShown) return
    list.dataset.isShown = 'true'
    for (const one of headings()) one.style.minWidth = widths.shift()
    if (table()) table().scrollLeft = scrolled
    /* After paging from below the table, the first record should be visible. */
    if (list.getBoundingClientRect().top < 0) list.scrollIntoView()

    const detail = { text: list.dataset.announce }
    document.dispatchEvent(new CustomEvent('admin:announce', { detail }))
  })
})()
