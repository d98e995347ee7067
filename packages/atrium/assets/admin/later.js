/*
 * What pages load when it is first needed. Forms that come into a page that had none: their stylesheet and their script
 * are loaded when the first one comes, or a moment before, when what opens it is reached. The selection of records in a
 * list: its script is loaded once a record is selected, or was on an earlier page.
 */
;(() => {
  const FORM = '#filter-panel form, #list-panel > *'
  const OPENERS = '.filter-bar, .view-tools, #explain-list, #add-card'
  let loading

  const sheet = (href) =>
    new Promise((resolve, reject) => {
      const link = document.createElement('link')
      Object.assign(link, { rel: 'stylesheet', href, onload: resolve, onerror: reject })
      document.head.append(link)
    })

  /* Also for what opens over a page. */
  window.adminSheet = sheet

  /* Nothing is shown without its style. */
  async function load({ formsSheets, formsScript }) {
    if (!formsSheets) return
    try {
      await Promise.all(formsSheets.split(' ').map(sheet))
      await import(formsScript)
    } catch (fault) {
      loading = undefined
      throw fault
    }
  }

  /* Also for scripts that are loaded later. */
  window.adminForms = () => (loading ??= load(document.body.dataset))

  for (const reached of ['pointerover', 'focusin']) {
    document.addEventListener(reached, ({ target }) => {
      if (target.closest?.(OPENERS)) window.adminForms().catch(() => {})
    })
  }

  document.addEventListener('htmx:after:swap', () => {
    if (!document.querySelector(FORM)) return
    window.adminForms().catch(() => {
      const text = document.getElementById('flash')?.dataset.requestFailed
      document.dispatchEvent(new CustomEvent('admin:announce', { detail: { text, kind: 'error' } }))
    })
  })

  const BOXES = '#bulk input[type="checkbox"]'
  /* A row is focused by keys, and a range may be selected by the next ones. */
  const SELECTABLE = `${BOXES}, #bulk tbody tr`
  let hasSelection = false

  const selection = () =>
    import(document.querySelector('.bulk-bar').dataset.script).then(() => (hasSelection = true))

  function storedSelections() {
    try {
      return Object.keys(sessionStorage).filter((name) => name.startsWith('selection'))
    } catch {
      return []
    }
  }

  function findSelection() {
    /* The next user who logs in has another selection. */
    if (document.querySelector('.door')) {
      for (const name of storedSelections()) sessionStorage.removeItem(name)
    } else if (hasSelection || !document.querySelector('.bulk-bar')) return
    else if (storedSelections().length > 0 || document.querySelector(`${BOXES}:checked`))
      selection()
  }
  for (const event of ['DOMContentLoaded', 'htmx:after:swap']) {
    document.addEventListener(event, findSelection)
  }
  addEventListener('pageshow', findSelection)

  for (const reached of ['pointerover', 'focusin']) {
    document.addEventListener(reached, ({ target }) => target.matches?.(SELECTABLE) && selection())
  }

  /* The script shows the stored selection first, and then learns of the box that was clicked in the meantime. */
  document.addEventListener('change', ({ target }) => {
    if (hasSelection || !target.matches?.(BOXES)) return
    const { checked } = target
    selection().then(() => {
      target.checked = checked
      target.dispatchEvent(new Event('change', { bubbles: true }))
    })
  })
})()
