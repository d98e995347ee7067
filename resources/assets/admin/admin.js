/*
 * What the site does beyond htmx. Every page works without this file; nothing here makes markup from
 * text, and all texts come out of data attributes that the templates fill.
 */
;(() => {
  const flash = () => document.getElementById('flash')

  /*
   * Screen readers speak when something comes into a region, not for what is in it when the page
   * comes; and not in the moment in which they are still reading the page.
   */
  function announce(text, kind) {
    const region = flash()
    if (!region || !text) return
    const message = document.createElement('p')
    message.className = kind ? 'flash-message' : 'sr-only'
    if (kind) message.dataset.kind = kind
    message.textContent = text
    setTimeout(() => region.replaceChildren(message), 100)
  }

  /* The theme changes at once; the server is told for the pages to come. */
  async function switchTheme(form, button) {
    const { theme } = form.elements
    const isDark = theme.value === 'dark-theme'
    const body = new URLSearchParams(new FormData(form))
    const page = document.documentElement
    page.classList.toggle('dark-theme', isDark)
    page.classList.toggle('dark', isDark)
    page.classList.toggle('light-theme', !isDark)
    theme.value = isDark ? 'light-theme' : 'dark-theme'
    const label = isDark ? button.dataset.toLight : button.dataset.toDark
    button.title = label
    button.querySelector('.sr-only').textContent = label
    /* Only the cookie is wanted, not the page that the answer leads to. */
    await fetch(form.action, { method: 'POST', body, redirect: 'manual' })
  }

  document.addEventListener('submit', (event) => {
    if (!event.target.matches('.theme-switch')) return
    event.preventDefault()
    switchTheme(event.target, event.target.querySelector('button')).catch(() =>
      announce(flash()?.dataset.requestFailed, 'error')
    )
  })

  /* Nobody looks: no request, and no life for a session that nobody uses. */
  document.addEventListener('htmx:config:request', (event) => {
    if (document.hidden) event.preventDefault()
  })

  /* A part that refreshes by itself; it does so again. */
  const isPoll = ({ ctx }) => ctx?.sourceEvent?.type?.startsWith('every')

  /* What failed before is no longer true of what is tried now. */
  document.addEventListener('htmx:before:request', ({ detail }) => {
    if (!isPoll(detail)) flash()?.querySelector('[data-kind="error"]')?.remove()
  })

  document.addEventListener('htmx:after:swap', (event) => {
    if (event.detail.ctx?.response?.status >= 400) return
    announce(event.target.closest?.('[data-announce]')?.dataset.announce)
  })

  const isShown = (status) => [400, 409, 422].includes(status)

  for (const failure of ['htmx:response:error', 'htmx:error']) {
    document.addEventListener(failure, (event) => {
      const { ctx } = event.detail
      const isForm = ctx?.sourceElement?.id === 'record-form'
      const status = ctx?.response?.status
      /* A form comes back with what was wrong in it; an answer with a redirect is no failure. */
      if (isPoll(event.detail) || (isForm && isShown(status)) || ctx?.hx?.redirect) return
      const { recordGone, notAllowed, requestFailed } = flash()?.dataset ?? {}
      if (status === 403) announce(notAllowed, 'error')
      else announce(isForm && status === 404 ? recordGone : requestFailed, 'error')
    })
  }

  document.addEventListener('DOMContentLoaded', () => {
    const message = flash()?.querySelector('.flash-message')
    if (message) announce(message.textContent, message.dataset.kind)
  })
})()
