/*
 * Forms: tabs, by the ARIA pattern of tabs with automatic activation; a cross that empties a field; fields that are
 * there only when others have certain values. Without this file tabs are sections one below the other, a checkbox
 * empties a field, and all fields are there.
 */
;(() => {
  /* The last open tab stays open when the form is returned without an error on a tab. */
  const chosen = new Map()

  function makeTabs(group) {
    const panels = [...group.querySelectorAll(':scope > .form-tab')]
    const row = document.createElement('div')
    row.className = 'form-tab-row'
    row.setAttribute('role', 'tablist')
    row.append(...panels.map(makeTab))
    group.prepend(row)
    group.dataset.ready = ''
    const hasErrors = panels.some((panel) => panel.dataset.errors)
    const last = panels.find((panel) => !hasErrors && panel.id === chosen.get(group.id))
    show(last ?? panels.find((panel) => panel.dataset.selected !== undefined) ?? panels[0])
  }

  function makeTab(panel) {
    const heading = panel.querySelector(':scope > :first-child')
    const tab = document.createElement('button')
    tab.type = 'button'
    tab.id = `${panel.id}-tab`
    tab.dir = 'auto'
    tab.textContent = heading.textContent
    tab.setAttribute('role', 'tab')
    tab.setAttribute('aria-controls', panel.id)
    if (panel.dataset.errors) tab.append(errorMark(panel.dataset.errors))
    panel.setAttribute('role', 'tabpanel')
    panel.setAttribute('aria-labelledby', tab.id)
    return tab
  }

  function errorMark(text) {
    const mark = document.createElement('span')
    mark.className = 'form-tab-error'
    mark.title = text
    mark.setAttribute('role', 'img')
    mark.setAttribute('aria-label', text)
    return mark
  }

  const tabOf = (panel) => document.getElementById(`${panel.id}-tab`)

  function show(panel) {
    for (const other of panel.parentElement.querySelectorAll(':scope > .form-tab')) {
      const isShown = other === panel
      other.hidden = !isShown
      tabOf(other).setAttribute('aria-selected', isShown)
      tabOf(other).tabIndex = isShown ? 0 : -1
    }
  }

  function choose(tab) {
    const panel = document.getElementById(tab.getAttribute('aria-controls'))
    chosen.set(panel.parentElement.id, panel.id)
    show(panel)
    tab.focus()
    tab.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }

  document.addEventListener('click', (event) => {
    const tab = event.target.closest?.('.form-tab-row > [role="tab"]')
    if (tab) choose(tab)
  })

  document.addEventListener('keydown', (event) => {
    const tab = event.target.closest?.('.form-tab-row > [role="tab"]')
    if (!tab || event.ctrlKey || event.metaKey || event.altKey) return
    const tabs = [...tab.parentElement.children]
    const isRtl = getComputedStyle(tab).direction === 'rtl'
    const step = { ArrowRight: isRtl ? -1 : 1, ArrowLeft: isRtl ? 1 : -1 }[event.key]
    const to = { Home: 0, End: tabs.length - 1 }[event.key]
    const next = tabs.at(to ?? (tabs.indexOf(tab) + (step ?? 0)) % tabs.length)
    if (next === tab) return
    event.preventDefault()
    choose(next)
  })

  /* A field that is to be seen must not be on a closed tab or in a closed section. */
  function reveal(element) {
    for (let at = element; (at = at.parentElement?.closest('.form-tab, details'));) {
      if (at.matches('details')) at.open = true
      else if (at.hidden) show(at)
    }
  }

  /* The browser focuses the first field that it refuses, after this. */
  document.addEventListener('invalid', (event) => reveal(event.target), true)

  document.addEventListener(
    'click',
    (event) => {
      const link = event.target.closest?.('.form-error a')
      const field = link && document.getElementById(decodeURIComponent(link.hash.slice(1)))
      if (field) reveal(field)
    },
    true
  )

  /* ---------- Crosses ---------- */

  function makeCross(cross) {
    const box = document.querySelector(`[data-clears="${CSS.escape(cross.dataset.empties)}"]`)
    if (!box) return
    box.closest('.form-clear').hidden = true
    followCross(cross, document.getElementById(cross.dataset.empties))
  }

  function followCross(cross, field) {
    cross.hidden = field.value === ''
  }

  function empty(field) {
    const options = [...(field.options ?? [])]
    if (field.multiple) for (const option of options) option.selected = false
    else field.value = ''
    field.focus()
    field.dispatchEvent(new Event('input', { bubbles: true }))
    field.dispatchEvent(new Event('change', { bubbles: true }))
  }

  document.addEventListener('click', (event) => {
    const cross = event.target.closest?.('.form-cross')
    if (cross) empty(document.getElementById(cross.dataset.empties))
  })

  /* ---------- Fields that depend on others ---------- */

  function followConditions(form) {
    const fields = [...form.querySelectorAll('[data-visible-when]')]
    /* One that disappears can take others with it. */
    for (let round = 0; round <= fields.length; round++) {
      const changed = fields.filter((field) => setShown(field, isWanted(form, field)))
      if (changed.length === 0) break
    }
  }

  function isWanted(form, field) {
    const wanted = Object.entries(JSON.parse(field.dataset.visibleWhen))
    return wanted.every(([name, texts]) => {
      const controls = [...form.elements].filter((control) => control.name === name)
      if (controls.every((control) => control.disabled)) return false
      const values = new FormData(form).getAll(name)
      /* A hidden `false` precedes a checkbox. */
      const counting = controls.some(({ type }) => type === 'checkbox') ? values.slice(-1) : values
      return (counting.length > 0 ? counting : ['']).some((value) => texts.includes(value.trim()))
    })
  }

  function setShown(field, isShown) {
    for (const control of field.querySelectorAll('input, select, textarea')) {
      control.disabled = !isShown
      if (control.dataset.required !== undefined) control.required = isShown
    }
    if (field.hidden === !isShown) return false
    field.hidden = !isShown
    return true
  }

  document.addEventListener('input', ({ target }) => {
    const form = target.closest?.('.record-form')
    if (!form) return
    const cross = document.querySelector(`[data-empties="${CSS.escape(target.id)}"]`)
    if (cross) followCross(cross, target)
    followConditions(form)
  })

  function enhanceAll() {
    for (const group of document.querySelectorAll('.form-tabs:not([data-ready])')) makeTabs(group)
    for (const cross of document.querySelectorAll('.form-cross')) makeCross(cross)
    for (const form of document.querySelectorAll('.record-form')) followConditions(form)
  }

  document.addEventListener('htmx:after:swap', enhanceAll)
  enhanceAll()
})()
