/*
 * Enhancements beyond htmx. Every page works without this file; nothing here creates markup from
 * text, and all texts come from data attributes that the templates fill.
 */
;(() => {
  const flash = () => document.getElementById('flash')

  /*
   * Screen readers announce content that is inserted into a live region, not its initial content;
   * the delay keeps them from being interrupted while they read the page.
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

  /* Changes the theme at once and stores it on the server for the next pages. */
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
    /* Only the cookie of the response is needed, not the page that it redirects to. */
    await fetch(form.action, { method: 'POST', body, redirect: 'manual' })
  }

  document.addEventListener('submit', (event) => {
    if (!event.target.matches('.theme-switch')) return
    event.preventDefault()
    switchTheme(event.target, event.target.querySelector('button')).catch(() =>
      announce(flash()?.dataset.requestFailed, 'error')
    )
  })

  /* A hidden page does not poll, which also lets an unused session expire. */
  document.addEventListener('htmx:config:request', (event) => {
    if (document.hidden) event.preventDefault()
  })

  /* A part that refreshes itself repeats a failed request anyway. */
  const isPoll = ({ ctx }) => ctx?.sourceEvent?.type?.startsWith('every')

  /* A new request clears the message of the previous failure. */
  document.addEventListener('htmx:before:request', ({ detail }) => {
    if (!isPoll(detail)) flash()?.querySelector('[data-kind="error"]')?.remove()
  })

  document.addEventListener('htmx:after:swap', (event) => {
    if (event.detail.ctx?.response?.status >= 400) return
    /* The list's own script tells the list from the parts that come after it. */
    if (event.target.closest?.('#list-content')) return
    announce(event.target.closest?.('[data-announce]')?.dataset.announce)
  })

  const isShown = (status) => [400, 409, 422].includes(status)

  for (const failure of ['htmx:response:error', 'htmx:error']) {
    document.addEventListener(failure, (event) => {
      const { ctx } = event.detail
      const isForm = ctx?.sourceElement?.id === 'record-form'
      const status = ctx?.response?.status
      /* A form is returned with its errors; a redirect is not a failure. */
      if (isPoll(event.detail) || (isForm && isShown(status)) || ctx?.hx?.redirect) return
      const { recordGone, notAllowed, requestFailed } = flash()?.dataset ?? {}
      if (status === 403) announce(notAllowed, 'error')
      else announce(isForm && status === 404 ? recordGone : requestFailed, 'error')
    })
  }

  document.addEventListener('DOMContentLoaded', () => {
    const message = flash()?.querySelector('.flash-message')
    /* The message itself, as it may have a link. */
    if (message) setTimeout(() => flash().replaceChildren(message.cloneNode(true)), 100)
  })
})()
