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
  const boxes = () => [...(form()?.querySelectorAll('input[name="ids"][type="checkbox"]') ?? [])]

  /*
   * Selected records of the list, on whichever page: from the value of the checkbox to title and state.
   * Kept for this tab, so that paging, sorting and a look at a record do not lose them.
   */
  let chosen = new Map()
  let kept = null
  const KEPT = 'selection '
  const UNDER_WAY = 'selection, under way'
  /* These parameters arrange a list and do not change which records it has. */
  const ARRANGING = ['page', 'rows-per-page-select', 'sort_by', 'sort_order']

  /* Last checkbox that was clicked: one end of a range. */
  let anchor = null

  /* Task that the dialog asks about; cleared once its request is sent. */
  let asked = null
  let isBusy = false

  /* The catalogue's texts are given in singular and plural. */
  function counted(data, name, count) {
    const text = data[name + (rules.select(count) === 'one' ? 'One' : 'Other')]
    return text.replace('{n}', () => count.toLocaleString(lang))
  }

  /* A checkbox has the path of its record; a composite key becomes an array. */
  function idOf(value) {
    const parts = value.split('/').map(decodeURIComponent)
    return parts.length === 1 ? parts[0] : parts
  }

  /* The browser may refuse to keep anything. */
  function storage(act) {
    try {
      return act(window.sessionStorage)
    } catch {
      return null
    }
  }

  const nameOfList = () => {
    const address = new URL(form().elements.next.value, location.href)
    for (const name of ARRANGING) address.searchParams.delete(name)
    return KEPT + address.pathname + address.search
  }

  const save = () =>
    storage((store) =>
      chosen.size > 0 ? store.setItem(kept, JSON.stringify([...chosen])) : store.removeItem(kept)
    )

  function forget() {
    chosen.clear()
    save()
  }

  /* An action that the page was left for is over: with success, its records are no longer selected. */
  function endAction() {
    if (!document.getElementById('list-content')) return
    const name = storage((store) => store.getItem(UNDER_WAY))
    if (!name) return
    storage((store) => store.removeItem(UNDER_WAY))
    if (!document.querySelector('#flash [data-kind="success"]')) return
    storage((store) => store.removeItem(name))
    if (name === kept) chosen.clear()
  }

  /* Shows the selection that was kept for this list. */
  function load() {
    endAction()
    if (!bar()) return
    const name = nameOfList()
    const stored = storage((store) => JSON.parse(store.getItem(name)) ?? [])
    if (stored || name !== kept) chosen = new Map(stored)
    kept = name
    for (const hidden of form().querySelectorAll('input[name="ids"][type="hidden"]'))
      hidden.remove()
    for (const box of boxes()) {
      box.checked = chosen.has(box.value)
      if (box.checked) choose(box, true)
    }
    showSelection()
  }

  function choose(box, isChecked) {
    box.checked = isChecked
    const { title, deleted } = box.dataset
    if (isChecked) chosen.set(box.value, { title, isDeleted: deleted !== undefined })
    else chosen.delete(box.value)
  }

  function showSelection() {
    const tools = bar()
    if (!tools) return
    const all = boxes()
    const here = all.filter(({ checked }) => checked).length
    const head = form().querySelector('.select-all')
    if (head) {
      head.checked = here > 0 && here === all.length
      head.indeterminate = here > 0 && here < all.length
    }
    const { size } = chosen
    tools.toggleAttribute('data-any', size > 0)
    const texts = [
      size > 0 && counted(tools.dataset, 'selected', size),
      size > here && counted(tools.dataset, 'elsewhere', size - here),
    ]
    const text = texts.filter(Boolean).join(' · ')
    for (const place of tools.querySelectorAll('[role="status"], .bulk-count')) {
      if (place.textContent !== text) place.textContent = text
    }
    /* Only active records can be deleted, and only deleted ones restored. */
    const deleted = [...chosen.values()].filter(({ isDeleted }) => isDeleted).length
    for (const button of tools.querySelectorAll('button[name="action"]')) {
      const isWrong =
        button.value === 'restore' ? deleted < size : deleted > 0 && button.value !== 'purge'
      button.hidden = size > 0 && isWrong
    }
  }

  function select(some, isChecked) {
    for (const box of some) choose(box, isChecked)
    save()
    showSelection()
  }

  /* With shift, all rows between the last one that was clicked and this one. */
  function rangeTo(box) {
    const all = boxes()
    const [first, last] = [all.indexOf(anchor), all.indexOf(box)].sort((one, two) => one - two)
    return first < 0 ? [box] : all.slice(first, last + 1)
  }

  /* The form has the checkboxes of this page only. */
  function sendAll() {
    const here = new Set(boxes().map(({ value }) => value))
    for (const value of chosen.keys()) {
      if (here.has(value)) continue
      const hidden = document.createElement('input')
      Object.assign(hidden, { type: 'hidden', name: 'ids', value })
      form().append(hidden)
    }
    storage((store) => store.setItem(UNDER_WAY, kept))
  }

  function ask(button) {
    const dialog = bar().querySelector('dialog')
    const { dataset } = button
    asked = button
    dialog.querySelector('h2').textContent = counted(dataset, 'heading', chosen.size)
    dialog.querySelector('.confirm-note').textContent = counted(dataset, 'note', chosen.size)
    dialog.querySelector('.record-names').replaceChildren(
      ...[...chosen.values()].slice(0, NAMED).map((record) => {
        const line = document.createElement('li')
        const name = document.createElement('bdi')
        const title = [...record.title]
        name.textContent =
          title.length > LONGEST ? `${title.slice(0, LONGEST).join('')}…` : title.join('')
        line.append(name)
        return line
      })
    )
    const more = dialog.querySelector('.record-more')
    const rest = chosen.size - NAMED
    more.hidden = rest < 1
    more.textContent = rest < 1 ? '' : counted(more.dataset, 'more', rest)
    dialog.querySelector('[data-dialog="confirm"]').textContent = button.textContent
    dialog.showModal()
  }

  async function carryOut(button) {
    const ids = [...chosen.keys()].map(idOf)
    const { undoUrl, undo } = bar().dataset
    const isUndoable = button.value === 'delete' && undoUrl
    await send(button.dataset, ids, isUndoable && { label: undo, url: undoUrl, ids }, forget)
  }

  /* Sends the task and shows the updated list. */
  async function send({ method, url }, ids, undo, afterwards) {
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
      else if (response.ok) {
        const text = await response.text()
        afterwards?.()
        show(text, undo)
      } else tell(messageOf(await response.json()), 'error')
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
    load()
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
    if (target.matches('.select-all')) select(boxes(), target.checked)
    else if (target.name === 'ids') select([target], target.checked)
  })

  document.addEventListener('click', ({ target, shiftKey }) => {
    if (target.name !== 'ids' || target.form !== form()) return
    if (shiftKey && anchor?.isConnected) select(rangeTo(target), target.checked)
    anchor = target
  })

  document.addEventListener('submit', (event) => {
    const { submitter, target } = event
    if (target !== form() || !form()) return
    if (!submitter?.dataset.url) {
      sendAll()
      return
    }
    event.preventDefault()
    if (chosen.size === 0) return
    if (submitter.value === 'restore') carryOut(submitter)
    else ask(submitter)
  })

  document.addEventListener('click', ({ target }) => {
    const button = target.closest?.('.bulk-clear, [data-dialog]')
    if (!button) return
    if (button.matches('.bulk-clear')) {
      forget()
      load()
      form().querySelector('.select-all')?.focus()
      return
    }
    button.closest('dialog').close()
    if (button.dataset.dialog === 'confirm') carryOut(asked)
  })

  /* Whoever logs in next has another selection. */
  document.addEventListener('DOMContentLoaded', () => {
    if (!document.querySelector('.door')) return
    storage((store) => {
      for (const name of Object.keys(store)) if (name.startsWith(KEPT)) store.removeItem(name)
    })
  })

  /* A browser may restore a page with its checkboxes checked. */
  for (const event of ['DOMContentLoaded', 'htmx:after:swap']) {
    document.addEventListener(event, load)
  }
  window.addEventListener('pageshow', load)
})()
