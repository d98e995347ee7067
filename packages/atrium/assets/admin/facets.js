/* The facets of a list close as menus do. */
;(() => {
  document.addEventListener('click', ({ target }) => {
    for (const facet of document.querySelectorAll('.list .facet[open]')) {
      /* A click behind the sheet of a facet hits the facet itself. */
      if (!facet.contains(target) || target === facet) facet.open = false
    }
  })

  /* A button applies the values once one of them is ticked. */
  document.addEventListener('change', ({ target }) => {
    target.closest?.('.facet-form')?.setAttribute('data-changed', '')
  })

  document.addEventListener('keydown', ({ key, target }) => {
    const facet = key === 'Escape' && target.closest?.('.list .facet[open]')
    if (!facet) return
    facet.open = false
    facet.querySelector('summary').focus()
  })
})()
