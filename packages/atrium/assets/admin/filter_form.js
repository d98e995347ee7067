/* The form of a filter opens over the list, next to what opens it. Without this file it is a page. */
;(() => {
  const OPENERS = '#add-filter, .filter-edit, .filter-or, .facet-more'
  /* What gets the focus in a new form: the first of them that it has */
  const FIRST = ['find-column', 'filter-search', 'filter-value', 'filter-operator']
  const panel = () => document.getElementById('filter-panel')
  /* The element that gets the focus when the list has changed */
  let opener = null
  let isApplying = false

  /* The popover is placed at the element with this attribute. */
  function anchor(link) {
    for (const old of document.querySelectorAll('[data-filter-anchor]')) {
      old.removeAttribute('data-filter-anchor')
    }
    link?.setAttribute('data-filter-anchor', '')
  }

  function show() {
    const box = panel()
    const form = box?.querySelector('form')
    /* This file may come after the click. */
    opener ??= document.activeElement?.closest(OPENERS)?.id ?? null
    if (form && !box.matches(':popover-open')) {
      for (const facet of document.querySelectorAll('.facet[open]')) facet.open = false
      const link = document.getElementById(opener) ?? document.getElementById('add-filter')
      link?.focus()
      anchor(link)
      box.showPopover()
    }
    /* A part of the form that comes while a value is searched must not take the focus. */
    if (form && !form.contains(document.activeElement)) {
      const first = FIRST.map((id) => document.getElementById(id)).find(Boolean)
      first?.focus()
    }
    if (isApplying && !form && document.activeElement === document.body) {
      const link = document.getElementById(opener) ?? document.getElementById('add-filter')
      link?.focus()
    }
    if (!form) isApplying = false
  }

  /* Shows the columns whose names contain the text. */
  function findColumns(input) {
    const text = input.value.trim().toLowerCase()
    const links = [...input.form.querySelectorAll('.filter-columns a')]
    for (const link of links) {
      link.parentElement.hidden = !link.textContent.toLowerCase().includes(text)
    }
    input.form.querySelector('.filter-none').hidden = links.some((one) => !one.parentElement.hidden)
  }

  /* Arrow keys go through the columns or values below the search. */
  function move(event) {
    const form = event.target.closest('#filter-form')
    const items = form?.querySelectorAll('.filter-columns li:not([hidden]) a, .filter-ticks input')
    if (!items?.length) return
    const list = [form.querySelector('.filter-find'), ...items]
    const at = list.indexOf(event.target)
    const next = list[at + (event.key === 'ArrowDown' ? 1 : -1)]
    if (at < 0 || !next) return
    event.preventDefault()
    next.focus()
  }

  document.addEventListener('input', ({ target }) => {
    if (target.id === 'find-column') findColumns(target)
  })

  /* Enter opens the first column or goes to the first value that was found, and applies ticked values. */
  function enter(event) {
    const { form, id } = event.target
    if (!form || (id !== 'find-column' && id !== 'filter-search' && !isTick(event.target))) return
    event.preventDefault()
    if (id === 'find-column') form.querySelector('.filter-columns li:not([hidden]) a')?.click()
    else if (id === 'filter-search') form.querySelector('.filter-ticks input')?.focus()
    else form.requestSubmit(form.querySelector('.form-actions button, .facet-apply button'))
  }

  const isTick = (target) => target.matches('.filter-ticks input, .facet-row input')

  document.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') move(event)
    if (event.key === 'Enter') enter(event)
  })

  document.addEventListener('submit', ({ target }) => {
    if (target.matches('#filter-panel form, .facet-form')) isApplying = true
  })

  document.addEventListener(
    'toggle',
    ({ target, newState }) => {
      if (target !== panel() || newState !== 'closed') return
      target.replaceChildren()
      anchor(null)
    },
    true
  )

  document.addEventListener('click', (event) => {
    const link = event.target.closest?.(OPENERS)
    if (link) opener = link.closest('.facet')?.querySelector('summary').id ?? link.id
    if (event.target.closest?.('#filter-panel .filter-remove')) isApplying = true
    if (!event.target.closest?.('#filter-panel .filter-cancel')) return
    event.preventDefault()
    panel().hidePopover()
  })

  document.addEventListener('htmx:after:swap', show)
  show()
})()
