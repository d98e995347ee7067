/*
 * Asks the browser for a passkey, or to make one, and sends it with its form. The challenge comes from the site when
 * the button is pressed. Without this file, and in browsers without passkeys, the forms stay hidden.
 */
;(() => {
  const { browserSupportsWebAuthn, browserSupportsWebAuthnAutofill } = SimpleWebAuthnBrowser
  const { startAuthentication, startRegistration } = SimpleWebAuthnBrowser

  function begin() {
    if (!browserSupportsWebAuthn()) return
    for (const form of document.querySelectorAll('form[data-passkey]')) {
      form.hidden = false
      form.addEventListener('submit', (event) => {
        event.preventDefault()
        ask(form)
      })
      if (form.dataset.autofills !== undefined) offerInField(form)
    }
  }

  async function ask(form) {
    const button = form.querySelector('button')
    if (button.disabled) return
    button.disabled = true
    say(form, '')
    try {
      const optionsJSON = await fetchOptions(form)
      /* What the site would refuse, it explains on the page that the form leads to. */
      if (!optionsJSON) return form.submit()
      const start = form.dataset.passkey === 'create' ? startRegistration : startAuthentication
      send(form, await start({ optionsJSON }))
    } catch (error) {
      say(form, wordsFor(form, error))
    } finally {
      button.disabled = false
    }
  }

  /* Browsers list the passkeys in the field of the user name; until one is chosen, this waits. */
  async function offerInField(form) {
    if (!(await browserSupportsWebAuthnAutofill())) return
    try {
      const optionsJSON = await fetchOptions(form)
      if (optionsJSON) {
        send(form, await startAuthentication({ optionsJSON, useBrowserAutofill: true }))
      }
    } catch {
      /* The button was pressed, or nothing was chosen: the page is as it was. */
    }
  }

  const UNREACHABLE = 'unreachable'

  async function fetchOptions({ dataset }) {
    const request = fetch(dataset.options, {
      method: 'POST',
      headers: { accept: 'application/json' },
    })
    const response = await request.catch((cause) => {
      throw new Error(UNREACHABLE, { cause })
    })
    return response.ok ? await response.json() : null
  }

  function send(form, credential) {
    form.elements.passkey.value = JSON.stringify(credential)
    form.submit()
  }

  function wordsFor({ dataset }, error) {
    if (error.message === UNREACHABLE) return dataset.unreachable
    if (error.name === 'InvalidStateError' && dataset.known) return dataset.known
    return dataset.cancelled
  }

  function say(form, text) {
    const message = form.querySelector('[data-error]')
    message.hidden = text === ''
    /* Only a message is an alert; without one, the page has none. */
    if (text === '') message.removeAttribute('role')
    else message.setAttribute('role', 'alert')
    message.textContent = text
  }

  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', begin)
  else begin()
})()
