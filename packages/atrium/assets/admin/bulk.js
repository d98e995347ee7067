/*
 * Selection of records in a list, and bulk tasks on them; later.js loads it once a record is or was selected.
 * Without this file, the same buttons submit the list's form to a confirmation page. Nothing here creates markup from text.
 */
;(() => {
  const { lang } = document.documentElement
  const rules = new Intl.PluralRules(lang)
  const form = () => document.getElementById('bulk')
  const bar = () => form()?.querySelector('.bulk-bar')
  const boxes = () => [...(form()?.querySelectorAll('input[name="ids"][type="checkbox"]') ?? [])]

  /*
   * Selected records of the list, on any page: from the value of the checkbox to title and state.
   * Stored for this tab, so that paging, sorting and opening a record preserve them.
   */
  let chosen = new Map()
  let kept = null
  const KEPT = 'selection '
  const UNDER_WAY = 'selection, under way'
  /* These parameters arrange a list and do not change which records it has. */
  const ARRANGING = ['page', 'rows-per-page-select', 'sort_by', 'sort_order', 'columns']

  /* Numbers of records that the server accepts */
  const LIMITS = { compare: [2, 5], merge: [2, 10] }

  /* Last checkbox that was clicked: one end of a range. */
  let anchor = null

  /* The catalogue's texts are given in singular and plural. */
  function counted(data, name, count) {
    const text = data[name + (rules.select(count) === 'one' ? 'One' : 'Other')]
    return text.replace('{n}', () => count.toLocaleString(lang))
  }

  /* The browser may refuse to keep anything. */
  function storage(act) {
    try {
      return act(window.sessionStorage)
    } catch {
      return null
    }
  }

  const nameOfList = () => {
    const address = new URL(form().elements.next.value, location.href)
    for (const name of ARRANGING) address.searchParams.delete(name)
    return KEPT + address.pathname + address.search
  }

  const save = () =>
    storage((store) =>
      chosen.size > 0 ? store.setItem(kept, JSON.stringify([...chosen])) : store.removeItem(kept)
    )

  function forget() {
    chosen.clear()
    save()
  }

  /* An action that the page was left for is over: with success, its records are no longer selected. */
  function endAction() {
    if (!document.getElementById('list-content')) return
    const name = storage((store) => store.getItem(UNDER_WAY))
    if (!name) return
    storage((store) => store.removeItem(UNDER_WAY))
    if (!document.querySelector('#flash [data-kind="success"]')) return
    storage((store) => store.removeItem(name))
    if (name === kept) chosen.clear()
  }

  /* Shows the stored selection of this list. */
  function load() {
    endAction()
    if (!bar()) return
    const name = nameOfList()
    const stored = storage((store) => JSON.parse(store.getItem(name)) ?? [])
    if (stored || name !== kept) chosen = new Map(stored)
    kept = name
    removeOthers()
    for (const box of boxes()) {
      box.checked = chosen.has(box.value)
      if (box.checked) choose(box, true)
    }
    showSelection()
  }

  function choose(box, isChecked) {
    box.checked = isChecked
    const { title, deleted } = box.dataset
    if (isChecked) chosen.set(box.value, { title, isDeleted: deleted !== undefined })
    else chosen.delete(box.value)
  }

  function showSelection() {
    const tools = bar()
    if (!tools) return
    const all = boxes()
    const here = all.filter(({ checked }) => checked).length
    const head = form().querySelector('.select-all')
    if (head) {
      head.checked = here > 0 && here === all.length
      head.indeterminate = here > 0 && here < all.length
    }
    const { size } = chosen
    tools.toggleAttribute('data-any', size > 0)
    const texts = [
      size > 0 && counted(tools.dataset, 'selected', size),
      size > here && counted(tools.dataset, 'elsewhere', size - here),
    ]
    const text = texts.filter(Boolean).join(' · ')
    for (const place of tools.querySelectorAll('[role="status"], .bulk-count')) {
      if (place.textContent !== text) place.textContent = text
    }
    /* Only active records can be deleted, and only deleted ones restored. */
    const deleted = [...chosen.values()].filter(({ isDeleted }) => isDeleted).length
    for (const button of tools.querySelectorAll('button[name="action"]')) {
      const isWrong =
        button.value === 'restore'
          ? deleted < size
          : deleted > 0 && !['purge', 'export', 'compare'].includes(button.value)
      button.hidden = size > 0 && isWrong
      const [min, max] = LIMITS[button.value] ?? [0, Infinity]
      button.disabled = size > 0 && (size < min || size > max)
    }
  }

  function select(some, isChecked) {
    for (const box of some) choose(box, isChecked)
    save()
    showSelection()
  }

  /* With shift, all rows between the last one that was clicked and this one. */
  function rangeTo(box) {
    const all = boxes()
    const [first, last] = [all.indexOf(anchor), all.indexOf(box)].sort((one, two) => one - two)
    return first < 0 ? [box] : all.slice(first, last + 1)
  }

  /* The form has the checkboxes of this page only. */
  function addOthers() {
    const here = new Set(boxes().map(({ value }) => value))
    for (const value of chosen.keys()) {
      if (here.has(value)) continue
      const hidden = document.createElement('input')
      Object.assign(hidden, { type: 'hidden', name: 'ids', value })
      form().append(hidden)
    }
  }

  function removeOthers() {
    for (const hidden of form().querySelectorAll('input[name="ids"][type="hidden"]'))
      hidden.remove()
  }

  function sendAll() {
    addOthers()
    storage((store) => store.setItem(UNDER_WAY, kept))
  }

  /* A form in a dialog on the list; the selection stays. */
  function showPanel({ formAction }) {
    const source = form()
    addOthers()
    window.htmx.ajax('POST', formAction, { source, target: '#list-panel', swap: 'innerHTML' })
    removeOthers()
  }

  /* The module that this file is a part of */
  const loaded = () => import(bar().dataset.script)
  const selection = { all: () => chosen, counted, forget, load }

  document.addEventListener('change', ({ target }) => {
    if (target.form !== form() || !form()) return
    if (target.matches('.select-all')) select(boxes(), target.checked)
    else if (target.name === 'ids') {
      select([target], target.checked)
      anchor = target
    }
  })

  document.addEventListener('click', ({ target, shiftKey }) => {
    if (target.name !== 'ids' || target.form !== form()) return
    if (shiftKey && anchor?.isConnected) select(rangeTo(target), target.checked)
  })

  document.addEventListener('submit', (event) => {
    const { submitter, target } = event
    if (target.matches('.flash-undo')) forget()
    if (target !== form() || !form()) return
    if (submitter?.hasAttribute('data-panel') && window.htmx) {
      event.preventDefault()
      showPanel(submitter)
      return
    }
    if (form().elements.all?.checked) return
    if (!submitter?.dataset.url) {
      sendAll()
      return
    }
    event.preventDefault()
    if (chosen.size === 0) return
    loaded().then(
      ({ begin }) => begin(submitter, selection),
      () => {
        const text = document.getElementById('flash')?.dataset.requestFailed
        const detail = { text, kind: 'error' }
        document.dispatchEvent(new CustomEvent('admin:announce', { detail }))
      }
    )
  })

  document.addEventListener('click', ({ target }) => {
    if (!target.closest?.('.bulk-clear')) return
    forget()
    load()
    form().querySelector('.select-all')?.focus()
  })

  /* The confirmation of an action was cancelled. */
  document.addEventListener(
    'close',
    ({ target }) => {
      if (target.id !== 'confirm' || !form()) return
      storage((store) => store.removeItem(UNDER_WAY))
      removeOthers()
    },
    true
  )

  document.addEventListener('htmx:after:swap', load)
  window.addEventListener('pageshow', load)
  load()
})()
