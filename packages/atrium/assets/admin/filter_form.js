/*
 * The form for one more filter opens over the list. Without this file it is a page.
 */
;(() => {
  const panel = () => document.getElementById('filter-panel')
  let isAdding = false

  /* The form has come: show it. */
  function show() {
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
  }

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
    if (!event.target.closest?.('#filter-panel .filter-cancel')) return
    event.preventDefault()
    panel().hidePopover()
  })

  document.addEventListener('htmx:after:swap', show)
  show()
})()
