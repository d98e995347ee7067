/* The dialog that shows all keys, with the switch for single ones. Loaded when it is first opened. */
;(() => {
  const dialog = document.getElementById('keys')

  async function load(address, options) {
    const response = await fetch(address, { headers: { 'hx-request': 'true' }, ...options })
    const { body } = new DOMParser().parseFromString(await response.text(), 'text/html')
    dialog.dataset.keys = body.querySelector('[data-keys]').dataset.keys
    return body
  }

  /* Moves the stylesheet of the content to the page, and waits for it. */
  async function styled(content) {
    await window.adminForms()
    const sheet = content.querySelector('link')
    await new Promise((resolve, reject) => {
      Object.assign(sheet, { onload: resolve, onerror: reject })
      document.head.append(sheet)
    })
    return content
  }

  dialog.addEventListener('open', async () => {
    if (dialog.querySelector('form')) return
    const { url } = dialog.dataset
    try {
      const { children } = await styled(await load(url))
      dialog.replaceChildren(...children)
      dialog.querySelector('[data-close]').focus()
    } catch {
      location.assign(url)
    }
  })

  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog || target.closest('[data-close]')) dialog.close()
  })

  /* The switch saves its value immediately. */
  dialog.addEventListener('change', async ({ target: { form } }) => {
    const status = form.querySelector('[role="status"]')
    status.textContent = ''
    try {
      await load(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)) })
      status.textContent = status.dataset.saved
    } catch {
      form.submit()
    }
  })
})()
