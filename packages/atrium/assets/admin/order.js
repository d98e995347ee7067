/*
 * Rows of a list that are moved: dragged by their handle, or with Alt and an arrow key. list.js loads this module once
 * a list with handles is reached. Without it, a handle opens a page with the moves as buttons.
 */

/* Distance in pixels from which a press is a drag, and from the window's edge at which it scrolls */
const MOVED = 4
const EDGE = 48

const KEYS = { ArrowUp: 'up', ArrowDown: 'down', Home: 'top', End: 'bottom' }

const handleIn = (target) => target.closest?.('.move-handle')
const content = () => document.getElementById('list-content')

let drag = null
let isBusy = false
/* The click that ends a drag is none. */
let isDropped = false

/* ---------- The request ---------- */

async function send(handle, fields) {
  if (isBusy) return
  isBusy = true
  const { key } = handle.dataset
  content().setAttribute('aria-busy', 'true')
  try {
    const response = await fetch(handle.href, {
      method: 'POST',
      headers: { 'hx-request': 'true' },
      body: new URLSearchParams(fields),
    })
    if (response.status === 401) location.reload()
    else if (response.ok || response.status === 422) show(await response.text(), key)
    else throw new Error(String(response.status))
  } catch {
    putBack()
    const message = document.createElement('p')
    message.className = 'flash-message'
    message.dataset.kind = 'error'
    message.textContent = document.getElementById('flash')?.dataset.requestFailed
    tell(message)
  } finally {
    isBusy = false
    drag = null
    content().removeAttribute('aria-busy')
  }
}

/* The response is the list as it is now. */
function show(text, key) {
  const answer = new DOMParser().parseFromString(text, 'text/html').getElementById('list-content')
  const message = answer.querySelector('[data-flash]')
  const undo = answer.querySelector('.flash-undo')
  message?.remove()
  undo?.remove()
  if (message && undo) message.append(undo)
  answer.dataset.isShown = 'true'
  content().replaceWith(answer)
  window.htmx?.process(answer)
  document.dispatchEvent(new CustomEvent('htmx:after:swap', { detail: {} }))
  const handles = [...answer.querySelectorAll('.move-handle')]
  const own = handles.find((one) => one.dataset.key === key)
  ;(own ?? document.getElementById('content'))?.focus()
  if (message) tell(message)
}

function tell(detail) {
  document.dispatchEvent(new CustomEvent('admin:tell', { detail }))
}

/* ---------- Dragged ---------- */

function putBack() {
  if (!drag) return
  drag.row.classList.remove('is-dragged')
  drag.body.insertBefore(drag.row, drag.next)
}

function begin(event) {
  const handle = handleIn(event.target)
  if (!handle || event.button !== 0 || isBusy) return
  const row = handle.closest('tr')
  drag = {
    handle,
    row,
    body: row.parentElement,
    next: row.nextElementSibling,
    y: event.clientY,
    isMoving: false,
  }
  handle.setPointerCapture(event.pointerId)
}

function follow({ clientY }) {
  if (!drag || isBusy) return
  if (!drag.isMoving && Math.abs(clientY - drag.y) < MOVED) return
  drag.isMoving = true
  const { row, body } = drag
  row.classList.add('is-dragged')
  for (const other of body.children) {
    const { top, bottom } = other.getBoundingClientRect()
    if (other === row || clientY < top || clientY > bottom) continue
    if (clientY < (top + bottom) / 2) other.before(row)
    else other.after(row)
    break
  }
  if (clientY < EDGE) scrollBy(0, -EDGE / 4)
  if (clientY > innerHeight - EDGE) scrollBy(0, EDGE / 4)
}

function drop() {
  if (!drag || isBusy) return
  const { handle, isMoving, next, row } = drag
  if (!isMoving) {
    drag = null
    return
  }
  isDropped = true
  setTimeout(() => (isDropped = false))
  row.classList.remove('is-dragged')
  if (row.nextElementSibling === next) {
    drag = null
    return
  }
  const keyOf = (other) => other?.querySelector('.move-handle')?.dataset.key
  const before = keyOf(row.previousElementSibling)
  const after = keyOf(row.nextElementSibling)
  send(handle, before === undefined ? { before: after } : { after: before })
}

document.addEventListener('pointerdown', begin)
document.addEventListener('pointermove', follow)
document.addEventListener('pointerup', drop)
document.addEventListener('pointercancel', () => {
  putBack()
  drag = null
})
document.addEventListener('dragstart', (event) => {
  if (handleIn(event.target)) event.preventDefault()
})

/* ---------- Pressed ---------- */

document.addEventListener('click', (event) => {
  const handle = handleIn(event.target)
  if (!handle || event.ctrlKey || event.metaKey || !window.htmx) return
  event.preventDefault()
  if (!isDropped) window.htmx.ajax('GET', handle.href, { target: '#list-panel', swap: 'innerHTML' })
})

document.addEventListener('keydown', (event) => {
  const handle = handleIn(event.target)
  if (event.key === 'Escape' && drag?.isMoving && !isBusy) {
    putBack()
    drag = null
  }
  if (!handle || !event.altKey || !KEYS[event.key]) return
  event.preventDefault()
  send(handle, { to: KEYS[event.key] })
})
