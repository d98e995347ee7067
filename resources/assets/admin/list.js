/*
 * The list of a model. htmx swaps its content; this script keeps the scroll position and announces
 * the change.
 */
;(() => {
  let scrolled = 0

  const table = () => document.querySelector('#list-content .list-scroll')

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
