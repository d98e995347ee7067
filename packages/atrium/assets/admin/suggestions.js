/*
 * Suggests values of other records for a text of one line, in the list that the browser offers. Without this file the text is
 * typed.
 */
;(() => {
  const DELAY = 200
  /* Last response of each field */
  const known = new WeakMap()
  let timer

  function listOf(input) {
    if (input.list) return input.list
    const list = document.createElement('datalist')
    list.id = `${input.id}-list`
    input.after(list)
    input.setAttribute('list', list.id)
    return list
  }

  async function load(input, q) {
    known.set(input, { q, isCut: true })
    const url = new URL(input.dataset.suggest, document.baseURI)
    url.searchParams.set('q', q)
    const response = await fetch(url, { headers: { accept: 'application/json' } }).catch(() => null)
    /* Suggestions are optional: an error shows none. A later request replaces an earlier one. */
    if (!response?.ok || known.get(input).q !== q) return
    const { values, isCut } = await response.json()
    known.set(input, { q, isCut })
    listOf(input).replaceChildren(
      ...values.map((value) => Object.assign(document.createElement('option'), { value }))
    )
  }

  /* The browser narrows down a list that is complete. */
  function typed(input) {
    const { q, isCut } = known.get(input) ?? { isCut: true }
    if (isCut || !input.value.startsWith(q)) load(input, input.value.trim())
  }

  document.addEventListener('focusin', ({ target }) => {
    if (target.dataset?.suggest && !known.has(target)) load(target, '')
  })
  document.addEventListener('input', ({ target }) => {
    if (!target.dataset?.suggest) return
    clearTimeout(timer)
    timer = setTimeout(typed, DELAY, target)
  })
  const { activeElement } = document
  if (activeElement?.dataset.suggest) load(activeElement, '')
})()
