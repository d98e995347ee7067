/*
 * Starts Swagger UI, after a prompt for a token if one is required. The token is in memory only
 * and is lost with the page.
 */
;(() => {
  const place = document.getElementById('docs')
  const { schema, locked } = place.dataset
  const absolute = (path) => new URL(path, location.href).href

  const show = (token) => {
    const ui = SwaggerUIBundle({
      domNode: place,
      url: schema,
      /* No other host may learn of this API. */
      validatorUrl: null,
      deepLinking: true,
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      displayRequestDuration: true,
      tryItOutEnabled: true,
      filter: true,
      syntaxHighlight: { activate: true },
      requestInterceptor(request) {
        if (token && absolute(request.url) === absolute(schema)) {
          request.headers.Authorization = `Bearer ${token}`
        }
        return request
      },
      onComplete() {
        document.title = ui.specSelectors.info().get('title') ?? document.title
        if (token) ui.preauthorizeApiKey('bearer', token)
      },
    })
    place.hidden = false
  }

  const ask = () => {
    const form = document.getElementById('docs-lock')
    const field = form.elements.token
    const message = document.getElementById('docs-error')
    form.hidden = false
    field.focus()
    form.addEventListener('submit', async (event) => {
      event.preventDefault()
      const token = field.value.trim()
      message.textContent = ''
      const request = fetch(locked, { headers: { authorization: `Bearer ${token}` } })
      const response = await request.catch(() => null)
      if (!response) message.textContent = 'The server could not be reached.'
      else if (response.ok) {
        form.remove()
        show(token)
      } else if (response.status === 401) message.textContent = 'This token is not valid.'
      else message.textContent = `The server responded with ${response.status}. Try again later.`
    })
  }

  const theme = (() => {
    const button = document.getElementById('docs-theme')
    const wish = matchMedia('(prefers-color-scheme: dark)')
    let chosen = localStorage.getItem('docs-theme')
    const apply = () => {
      const dark = chosen ? chosen === 'dark' : wish.matches
      document.documentElement.classList.toggle('dark-mode', dark)
      button.textContent = dark ? 'Light' : 'Dark'
      return dark
    }
    button.hidden = false
    button.addEventListener('click', () => {
      chosen = apply() ? 'light' : 'dark'
      localStorage.setItem('docs-theme', chosen)
      apply()
    })
    wish.addEventListener('change', apply)
    return apply
  })()

  theme()
  if (locked) ask()
  else show()
})()
