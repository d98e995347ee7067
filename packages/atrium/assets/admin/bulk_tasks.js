/*
 * Bulk tasks on selected records of a list: the question, the request, and the list as it is afterwards. Nothing here creates markup from text.
 */

/* Number of records that the dialog names, and length of each name. */
const NAMED = 10
const LONGEST = 200

const form = () => document.getElementById('bulk')
const bar = () => form()?.querySelector('.bulk-bar')

/* The selected records by the value of their checkbox, and what bulk.js does with them */
let selection = null

/* Task that the dialog asks about */
let asked = null
let isBusy = false

/* A checkbox has the path of its record; a composite key becomes an array. */
function idOf(value) {
  const parts = value.split('/').map(decodeURIComponent)
  return parts.length === 1 ? parts[0] : parts
}

/** Asks about a task and carries it out; restoring needs no question. */
export function begin(button, records) {
  selection = records
  if (button.value === 'restore') carryOut(button)
  else ask(button)
}

function ask(button) {
  const dialog = bar().querySelector('dialog')
  const { dataset } = button
  const { counted } = selection
  const chosen = selection.all()
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
  const ids = [...selection.all().keys()].map(idOf)
  const { undoUrl, undo } = bar().dataset
  const isUndoable = button.value === 'delete' && undoUrl
  const undoing = isUndoable && { label: undo, url: undoUrl, ids }
  await send(button.dataset, ids, undoing, selection.forget)
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
    const elsewhere = response.headers.get('hx-redirect')
    if (response.status === 401) location.reload()
    else if (elsewhere) location.assign(elsewhere)
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
  const undoForm = content.querySelector('.flash-undo')
  message?.remove()
  undoForm?.remove()
  /* Its message tells what is new about it. */
  content.dataset.isShown = 'true'
  document.getElementById('list-content').replaceWith(content)
  window.htmx?.process(content)
  /* The current page may have disappeared with its last record. */
  const next = form()?.elements.next?.value
  if (next) history.replaceState(history.state, '', next)
  selection.load()
  tell(message?.textContent.trim(), message?.dataset.kind, undoForm ? { form: undoForm } : undo)
  const focus = content.querySelector('.select-all') ?? document.getElementById('content')
  focus?.focus({ preventScroll: true })
}

function tell(text, kind, undo) {
  if (!text) return
  const message = document.createElement('p')
  message.className = 'flash-message'
  message.dataset.kind = kind ?? 'success'
  message.append(text)
  if (undo && !undo.form) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'btn flash-action'
    button.dataset.variant = 'outline'
    button.dataset.size = 'sm'
    button.textContent = undo.label
    button.addEventListener('click', () => {
      button.closest('.toast').remove()
      send({ method: 'POST', url: undo.url }, undo.ids, null, selection.forget)
    })
    message.append(button)
  }
  if (undo?.form) message.append(undo.form)
  document.dispatchEvent(new CustomEvent('admin:tell', { detail: message }))
}

document.addEventListener('click', ({ target }) => {
  const button = target.closest?.('[data-dialog]')
  if (!button) return
  button.closest('dialog').close()
  if (button.dataset.dialog === 'confirm') carryOut(asked)
})
