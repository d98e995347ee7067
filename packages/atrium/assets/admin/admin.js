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
    message.textContent = text
    if (kind) {
      message.dataset.kind = kind
      document.dispatchEvent(new CustomEvent('admin:tell', { detail: message }))
      return
    }
    region.querySelector(':scope > .sr-only')?.remove()
    setTimeout(() => region.append(message), 100)
  }

  /* Changes the theme immediately and stores it on the server for the next pages. */
  async function switchTheme(form, button) {
    const isDark = form.elements.theme.value === 'dark-theme'
    const body = new URLSearchParams(new FormData(form))
    const { classList } = document.documentElement
    classList.remove('system-theme')
    classList.toggle('dark-theme', isDark)
    classList.toggle('light-theme', !isDark)
    showTheme(form, button, isDark)
    /* Only the cookie of the response is needed, not the page that it redirects to. */
    await fetch(form.action, { method: 'POST', body, redirect: 'manual' })
  }

  /* The switch offers the other theme. */
  function showTheme(form, button, isDark) {
    document.documentElement.classList.toggle('dark', isDark)
    form.elements.theme.value = isDark ? 'light-theme' : 'dark-theme'
    const label = isDark ? button.dataset.toLight : button.dataset.toDark
    button.title = label
    button.querySelector('.sr-only').textContent = label
  }

  /* The stylesheet follows the system by itself; parts of the component library need the class. */
  const system = matchMedia('(prefers-color-scheme: dark)')
  function followSystem() {
    const form = document.querySelector('.theme-switch')
    if (!form || !document.documentElement.matches('.system-theme')) return
    showTheme(form, form.querySelector('button'), system.matches)
  }
  system.addEventListener('change', followSystem)
  followSystem()

  /* Of scripts that are loaded later. */
  document.addEventListener('admin:announce', ({ detail }) => announce(detail.text, detail.kind))

  document.addEventListener('submit', (event) => {
    if (!event.target.matches('.theme-switch')) return
    event.preventDefault()
    switchTheme(event.target, event.target.querySelector('button')).catch(() =>
      announce(flash()?.dataset.requestFailed, 'error')
    )
  })

  /* A cookie stores the closed groups of the sidebar, so that the next page is rendered with them closed. */
  document.addEventListener('click', ({ target }) => {
    const group = target.closest?.('.side-group > summary')?.parentElement
    if (!group) return
    const name = 'admin_closed_groups'
    const kept = document.cookie.split('; ').find((one) => one.startsWith(`${name}=`))
    const labels = new Set(
      kept
        ?.slice(name.length + 1)
        .split('.')
        .filter(Boolean)
    )
    /* A dot stands between labels. */
    const label = encodeURIComponent(group.dataset.group).replaceAll('.', '%2E')
    /* The click itself opens or closes it afterwards. */
    if (group.open) labels.add(label)
    else labels.delete(label)
    const rest = `path=${group.closest('.side').dataset.mount}; max-age=31536000; samesite=lax`
    const secure = location.protocol === 'https:' ? '; secure' : ''
    document.cookie = `${name}=${[...labels].slice(-20).join('.')}; ${rest}${secure}`
  })

  /* Stored input of forms in this browser belongs to one user. [R10] */
  function dropDrafts(user) {
    try {
      for (const key of Object.keys(localStorage)) {
        if (key.startsWith('atrium-draft:') && !(user && key.startsWith(`atrium-draft:${user}:`))) {
          localStorage.removeItem(key)
        }
      }
    } catch {
      /* The browser lets the site keep nothing. */
    }
  }
  const { user } = document.body.dataset
  if (user) dropDrafts(user)
  addEventListener('click', ({ target }) => {
    if (target.closest?.('a[href$="/logout"]')) dropDrafts()
  })

  /* A hidden page does not poll, which also lets an unused session expire. */
  document.addEventListener('htmx:config:request', (event) => {
    if (document.hidden) event.preventDefault()
  })

  /* A part that refreshes itself repeats a failed request anyway. */
  const isPoll = ({ ctx }) => ctx?.sourceEvent?.type?.startsWith('every')

  /* A new request clears the message of the previous failure. */
  document.addEventListener('htmx:before:request', ({ detail }) => {
    if (!isPoll(detail)) flash()?.querySelector('[data-kind="error"]')?.closest('.toast').remove()
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
      /* Its own script says what was not saved, and keeps it. */
      if (ctx?.sourceElement?.matches?.('[data-is-kept]') && ![403, 404, 429].includes(status))
        return
      const { recordGone, notAllowed, requestFailed } = flash()?.dataset ?? {}
      if (status === 403) announce(notAllowed, 'error')
      else announce(isForm && status === 404 ? recordGone : requestFailed, 'error')
    })
  }
})()
