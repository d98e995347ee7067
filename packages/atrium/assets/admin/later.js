/*
 * Forms that come into a page that had none: their stylesheet and their script are loaded when the first one
 * comes, or a moment before, when what opens it is reached.
 */
;(() => {
  const FORM = '#filter-panel form, #list-panel > *'
  const OPENERS = '.filter-bar, .view-tools, #explain-list'
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
})()
