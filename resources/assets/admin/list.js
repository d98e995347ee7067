/*
 * The list of a model. htmx swaps its content; this script keeps the scroll position and announces
 * the change.
 */
;(() => {
  let scrolled = 0

  const table = () => document.querySelector('#list-content .list-scroll')

  /* With shift, a heading is one more column to sort by. */
  document.addEventListener(
    'click',
    (event) => {
      const link = event.target.closest?.('#list-content thead a')
      if (!link || !event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      event.stopPropagation()
      window.htmx.ajax('GET', link.dataset.addUrl ?? link.getAttribute('href'), {
        source: link,
        target: '#list-content',
        swap: 'outerHTML',
        push: 'true',
      })
    },
    true
  )

  document.addEventListener('htmx:before:swap', () => {
    scrolled = table()?.scrollLeft ?? 0
  })

  document.addEventListener('htmx:after:swap', () => {
    const list = document.getElementById('list-content')
    if (!list || list.dataset.isShown) return
    list.dataset.isShown = 'true'
    if (table()) table().scrollLeft = scrolled
    /* After paging from below the table, the first record should be visible. */
    if (list.getBoundingClientRect().top < 0) list.scrollIntoView()

    const region = document.getElementById('flash')
    const message = document.createElement('p')
    message.className = 'sr-only'
    message.textContent = list.dataset.announce
    setTimeout(() => region?.replaceChildren(message), 100)
  })
})()
