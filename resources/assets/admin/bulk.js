/*
 * Selection of records in a list, and bulk tasks on them. Without this file, the same buttons
 * submit the list's form to a confirmation page. Nothing here creates markup from text.
 */
;(() => {
  /* Number of records that the dialog names, and length of each name. */
  const NAMED = 10
  const LONGEST = 200

  const { lang } = document.documentElement
  const rules = new Intl.PluralRules(lang)
  const form = () => document.getElementById('bulk')
  const bar = () => form()?.querySelector('.bulk-bar')
  const boxes = () => [...(form()?.querySelectorAll('input[name="ids"]') ?? [])]
  const selected = () => boxes().filter(({ checked }) => checked)

  /* Task that the dialog asks about; cleared once its request is sent. */
  let asked = null
  let isBusy = false

  /* The catalogue's texts are given in singular and plural. */
  function counted(data, name, count) {
    const text = data[name + (rules.select(count) === 'one' ? 'One' : 'Other')]
    return text.replace('{n}', () => count.toLocaleString(lang))
  }

  /* A checkbox has the path of its record; a composite key becomes an array. */
  function idOf({ value }) {
    const parts = value.split('/').map(decodeURIComponent)
    return parts.length === 1 ? parts[0] : parts
  }

  function showSelection() {
    const tools = bar()
    if (!tools) return
    const all = boxes()
    const chosen = selected()
    const head = form().querySelector('.select-all')
    if (head) {
      head.checked = chosen.length > 0 && chosen.length === all.length
      head.indeterminate = chosen.length > 0 && chosen.length < all.length
    }
    tools.toggleAttribute('data-any', chosen.length > 0)
    const text = chosen.length > 0 ? counted(tools.dataset, 'selected', chosen.length) : ''
    for (const place of tools.querySelectorAll('[role="status"], .bulk-count')) {
      if (place.textContent !== text) place.textContent = text
    }
    /* Only active records can be deleted, and only deleted ones restored. */
    const deleted = chosen.filter((box) => box.hasAttribute('data-deleted')).length
    for (const button of tools.querySelectorAll('button[name="action"]')) {
      const isWrong =
        button.value === 'restore'
          ? deleted < chosen.length
          : deleted > 0 && button.value !== 'purge'
      button.hidden = chosen.length > 0 && isWrong
    }
  }

  function select(isChecked) {
    for (const box of boxes()) box.checked = isChecked
    showSelection()
  }

  function ask(button) {
    const dialog = bar().querySelector('dialog')
    const chosen = selected()
    const { dataset } = button
    asked = button
    dialog.querySelector('h2').textContent = counted(dataset, 'heading', chosen.length)
    dialog.querySelector('.confirm-note').textContent = counted(dataset, 'note', chosen.length)
    dialog.querySelector('.record-names').replaceChildren(
      ...chosen.slice(0, NAMED).map((box) => {
        const line = document.createElement('li')
        const name = document.createElement('bdi')
        const title = [...box.dataset.title]
        name.textContent =
          title.length > LONGEST ? `${title.slice(0, LONGEST).join('')}…` : title.join('')
        line.append(name)
        return line
      })
    )
    const more = dialog.querySelector('.record-more')
    const rest = chosen.length - NAMED
    more.hidden = rest < 1
    more.textContent = rest < 1 ? '' : counted(more.dataset, 'more', rest)
    dialog.querySelector('[data-dialog="confirm"]').textContent = button.textContent
    dialog.showModal()
  }

  async function carryOut(button) {
    const ids = selected().map(idOf)
    const { undoUrl, undo } = bar().dataset
    const isUndoable = button.value === 'delete' && undoUrl
    await send(button.dataset, ids, isUndoable && { label: undo, url: undoUrl, ids })
  }

  /* Sends the task and shows the updated list. */
  async function send({ method, url }, ids, undo) {
    if (isBusy) return
    isBusy = true
    form()?.setAttribute('aria-busy', 'true')
    try {
      const response = await fetch(withList(url), {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ids }),
      })
      if (response.status === 401) location.reload()
      else if (response.ok) show(await response.text(), undo)
      else tell(messageOf(await response.json()), 'error')
    } catch {
      tell(document.getElementById('flash')?.dataset.requestFailed, 'error')
    } finally {
      isBusy = false
      form()?.removeAttribute('aria-busy')
    }
  }

  /* The response is the list with its current page, order and search. */
  function withList(url) {
    const address = new URL(url, location.href)
    const list = new URL(form()?.elements.next?.value ?? location.href, location.href)
    for (const [name, value] of list.searchParams) address.searchParams.append(name, value)
    return address
  }

  function messageOf({ detail }) {
    return Array.isArray(detail) ? detail[0].message : detail
  }

  function show(text, undo) {
    const answer = new DOMParser().parseFromString(text, 'text/html')
    const content = answer.getElementById('list-content')
    const message = content.querySelector('[data-flash]')
    message?.remove()
    document.getElementById('list-content').replaceWith(content)
    window.htmx?.process(content)
    /* The current page may have disappeared with its last record. */
    const next = form()?.elements.next?.value
    if (next) history.replaceState(history.state, '', next)
    showSelection()
    tell(message?.textContent.trim(), message?.dataset.kind, undo)
    const focus = content.querySelector('.select-all') ?? document.getElementById('content')
    focus?.focus({ preventScroll: true })
  }

  /* Screen readers announce content that is inserted into the region a moment after other
   * changes. */
  function tell(text, kind, undo) {
    const region = document.getElementById('flash')
    if (!region || !text) return
    const message = document.createElement('p')
    message.className = 'flash-message'
    message.dataset.kind = kind ?? 'success'
    message.append(text)
    if (undo) {
      const button = document.createElement('button')
      button.type = 'button'
      button.className = 'btn flash-action'
      button.dataset.variant = 'outline'
      button.dataset.size = 'sm'
      button.textContent = undo.label
      button.addEventListener('click', () => send({ method: 'POST', url: undo.url }, undo.ids))
      message.append(button)
    }
    setTimeout(() => {
      region.replaceChildren(message)
      region.scrollIntoView({ block: 'nearest' })
    }, 100)
  }

  document.addEventListener('change', ({ target }) => {
    if (target.form !== form() || !form()) return
    if (target.matches('.select-all')) select(target.checked)
    else if (target.name === 'ids') showSelection()
  })

  document.addEventListener('submit', (event) => {
    const { submitter, target } = event
    if (target !== form() || !submitter?.dataset.url) return
    event.preventDefault()
    if (selected().length === 0) return
    if (submitter.value === 'restore') carryOut(submitter)
    else ask(submitter)
  })

  document.addEventListener('click', ({ target }) => {
    const button = target.closest?.('.bulk-clear, [data-dialog]')
    if (!button) return
    if (button.matches('.bulk-clear')) {
      select(false)
      form().querySelector('.select-all')?.focus()
      return
    }
    button.closest('dialog').close()
    if (button.dataset.dialog === 'confirm') carryOut(asked)
  })

  /* A browser may restore a page with its checkboxes checked. */
  for (const event of ['DOMContentLoaded', 'htmx:after:swap']) {
    document.addEventListener(event, showSelection)
  }
  window.addEventListener('pageshow', showSelection)
})()
