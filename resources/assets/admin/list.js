/*
 * The list of a model. htmx brings in its changed part; here what was seen of it stays in sight, and is
 * said aloud.
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
    /* After a way to another page from below the table, its first record is what one wants to see. */
    if (list.getBoundingClientRect().top < 0) list.scrollIntoView()

    const region = document.getElementById('flash')
    const message = document.createElement('p')
    message.className = 'sr-only'
    message.textContent = list.dataset.announce
    setTimeout(() => region?.replaceChildren(message), 100)
  })
})()
