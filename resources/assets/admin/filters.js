/*
 * The filters of a list: the form for one more opens over the list, and facets close as menus do. Without this
 * file the form is a page.
 */
;(() => {
  const panel = () => document.getElementById('filter-panel')
  let isAdding = false

  /* The form has come: show it. */
  document.addEventListener('htmx:after:swap', () => {
    const box = panel()
    const form = box?.querySelector('form')
    if (form && !box.matches(':popover-open')) {
      for (const facet of document.querySelectorAll('.facet[open]')) facet.open = false
      box.showPopover()
      const fields = [...form.querySelectorAll('select, input:not([type="hidden"])')]
      ;(fields.find((field) => field.id === 'filter-value') ?? fields[0])?.focus()
    }
    if (isAdding && document.activeElement === document.body) {
      document.getElementById('add-filter')?.focus()
    }
    if (!form) isAdding = false
  })

  document.addEventListener('submit', ({ target }) => {
    if (target.id === 'filter-form' && target.closest('#filter-panel')) isAdding = true
  })

  document.addEventListener(
    'toggle',
    ({ target, newState }) => {
      if (target === panel() && newState === 'closed') target.replaceChildren()
    },
    true
  )

  document.addEventListener('click', (event) => {
    if (event.target.closest?.('#filter-panel .filter-cancel')) {
      event.preventDefault()
      panel().hidePopover()
    }
    for (const facet of document.querySelectorAll('.list .facet[open]')) {
      /* What lies behind a sheet belongs to the facet itself. */
      if (!facet.contains(event.target) || event.target === facet) facet.open = false
    }
  })

  document.addEventListener('keydown', ({ key, target }) => {
    const facet = key === 'Escape' && target.closest?.('.list .facet[open]')
    if (!facet) return
    facet.open = false
    facet.querySelector('summary').focus()
  })
})()
