/*
 * Questions in a dialog: a form or link that leads to a page that asks shows the page's question here.
 * Without this file the question is a page. Nothing here creates markup from text.
 */
;(() => {
  const dialog = () => document.getElementById('confirm')

  /* Navigates as the browser would, when the response is not a confirmation but an error or another page. */
  function goOn(source, submitter) {
    if (source.href) return location.assign(source.href)
    if (submitter?.name) {
      const hidden = document.createElement('input')
      Object.assign(hidden, { type: 'hidden', name: submitter.name, value: submitter.value })
      source.append(hidden)
    }
    source.setAttribute('action', addressOf(source, submitter))
    source.submit()
  }

  /* The form's own property is a field, if one is called action. */
  const addressOf = (source, submitter) =>
    submitter?.getAttribute('formaction') ?? source.getAttribute('action')

  function requestOf(source, submitter) {
    if (source.href) return [source.href, {}]
    return [
      addressOf(source, submitter),
      { method: 'POST', body: new URLSearchParams(new FormData(source, submitter)) },
    ]
  }

  async function ask(source, submitter) {
    const [url, options] = requestOf(source, submitter)
    try {
      const answer = await fetch(url, { ...options, redirect: 'manual' })
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
      const question = answer.ok && page.querySelector('.confirm-page')
      if (!question) return goOn(source, submitter)
      question.classList.remove('card')
      question.querySelector('h1').id = 'confirm-heading'
      dialog().replaceChildren(question)
      dialog().showModal()
    } catch {
      goOn(source, submitter)
    }
  }

  /* After what other scripts do with the event. */
  window.addEventListener('submit', (event) => {
    const { target, submitter } = event
    if (event.defaultPrevented || !dialog()) return
    if (!target.matches('[data-asks]') && !submitter?.matches('[data-asks]')) return
    event.preventDefault()
    ask(target, submitter)
  })

  window.addEventListener('click', (event) => {
    const { target, button, ctrlKey, metaKey, shiftKey, altKey } = event
    const isPlain = button === 0 && !ctrlKey && !metaKey && !shiftKey && !altKey
    const link = target.closest?.('a[data-asks], #confirm [data-close]')
    if (!isPlain || !link || !dialog() || event.defaultPrevented) return
    event.preventDefault()
    if (link.matches('[data-asks]')) ask(link)
    else dialog().close()
  })

  document.addEventListener(
    'close',
    ({ target }) => {
      if (target === dialog()) target.replaceChildren()
    },
    true
  )

  /* A page that is shown again asks nothing. */
  window.addEventListener('pageshow', () => dialog()?.close())
})()
