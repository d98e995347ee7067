/*
 * Cells of a list that are edited in place. list.js loads this module when its rows are first reached. A column
 * is edited if its heading names a field, a record if its title links to its form. The server sends the editor
 * of a cell, and the row once it is saved; nothing here creates markup from text.
 */
const CELL = '.list-table tbody > tr > :is(td, th)'
const ACTIVE = 'a, button, input, select, textarea, summary, pre, label'
const HINT = 'cells-hint'

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }

/* The editor: { box, cell, begun: its initial values, isAgain: it was returned with an error, saving } */
let editor = null

const headOf = (element) => element.closest('table').tHead
const fieldOf = (cell) => headOf(cell).rows[0].cells[cell.cellIndex]?.dataset.field

/* Address of the editor; undefined where the cell can't be edited. */
function addressOf(cell) {
  const { cells } = headOf(cell).dataset
  const field = fieldOf(cell)
  const link = cell.parentElement.querySelector(':scope > .lead > a')
  if (!cells || !field || !link) return undefined
  const address = new URL(cells, location.href)
  const forms = address.pathname.replace(/cell$/, 'update/')
  if (link.origin !== location.origin || !link.pathname.startsWith(forms)) return undefined
  address.pathname += `/${link.pathname.slice(forms.length)}`
  address.searchParams.set('field', field)
  return address
}

/* Longer bodies can't outlive the page. */
const MOST_KEPT_ALIVE = 60_000

const isEdited = (cell) => addressOf(cell) !== undefined
const isSeen = (cell) => cell.getClientRects().length > 0
const editedIn = (row) => [...row.cells].filter((cell) => isSeen(cell) && isEdited(cell))

/* The cell that a pointer or key means, if it is edited; links and the like in it have their own meaning. */
function cellOf(target) {
  const cell = target.closest?.(CELL)
  const inner = target.closest?.(ACTIVE)
  return cell && !cell.contains(inner) && isEdited(cell) ? cell : null
}

/* The next cell from left to right and from row to row, or the one before. */
function beside(cell, step) {
  const all = [...cell.closest('tbody').rows].flatMap((row) =>
    row === cell.parentElement || isEdited(row.cells[cell.cellIndex]) ? editedIn(row) : []
  )
  return all[all.indexOf(cell) + step]
}

function neighbour(cell, [down, right]) {
  if (right !== 0) {
    const all = editedIn(cell.parentElement)
    return all[all.indexOf(cell) + right]
  }
  const rows = [...cell.closest('tbody').rows]
  for (let at = rows.indexOf(cell.parentElement) + down; rows[at]; at += down) {
    const other = rows[at].cells[cell.cellIndex]
    if (isEdited(other)) return other
  }
  return undefined
}

function activate(cell) {
  cell.tabIndex = -1
  cell.setAttribute('aria-describedby', HINT)
  describe(cell)
  cell.focus({ preventScroll: true })
}

function focus(cell) {
  activate(cell)
  cell.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  const lead = cell.parentElement.querySelector(':scope > .lead')
  const isCovering = lead !== cell && lead.matches(':dir(ltr)')
  if (!isCovering || getComputedStyle(lead).position !== 'sticky') return
  const covered = lead.getBoundingClientRect().right - cell.getBoundingClientRect().left
  if (covered > 0) cell.closest('.list-scroll').scrollLeft -= covered
}

/* Screen readers say of the focused cell that it can be edited. */
function describe(cell) {
  if (document.getElementById(HINT)) return
  const hint = document.createElement('p')
  Object.assign(hint, { id: HINT, hidden: true, textContent: headOf(cell).dataset.cellsHint })
  cell.closest('table').after(hint)
}

function announce(text) {
  document.dispatchEvent(new CustomEvent('admin:announce', { detail: { text, kind: 'error' } }))
}

function messageFor(status) {
  const { recordGone, notAllowed, requestFailed } = document.getElementById('flash')?.dataset ?? {}
  if (status === 403) return notAllowed
  return status === 404 ? recordGone : requestFailed
}

async function ask(address, options = {}) {
  const headers = { 'accept': 'text/html', 'hx-request': 'true', ...options.headers }
  const response = await fetch(address, { ...options, headers })
  if (response.status === 401) {
    editor = null
    location.reload()
  }
  const elsewhere = response.headers.get('hx-redirect')
  if (elsewhere && response.status === 403) {
    editor = null
    location.assign(elsewhere)
  }
  const isPart = response.headers.get('content-type')?.startsWith('text/html')
  const part = new DOMParser().parseFromString(isPart ? await response.text() : '', 'text/html')
  return {
    isDone: response.ok,
    status: response.status,
    box: part.querySelector('.cell-editor'),
    row: part.querySelector('tr'),
  }
}

const valuesIn = (box) => String(new URLSearchParams(new FormData(box.querySelector('form'))))
/* A number that is none has no value. */
const isUnreadable = (box) =>
  [...box.querySelectorAll('input')].some(({ validity }) => validity.badInput)

const isChanged = () =>
  editor !== null && (valuesIn(editor.box) !== editor.begun || isUnreadable(editor.box))

function show(cell, box, isAgain) {
  if (editor) close()
  cell.classList.add('is-edited')
  cell.append(document.adoptNode(box))
  document.dispatchEvent(new Event('admin:fields'))
  editor = { cell, box, begun: valuesIn(box), isAgain, saving: null }
  const control = box.querySelector('select, textarea, input:not([type="hidden"])')
  control.focus({ preventScroll: true })
  if (control.matches('input:not([type="checkbox"])') && !isAgain) control.select()
  box.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}

function close() {
  const { cell, box } = editor
  editor = null
  box.remove()
  cell.classList.remove('is-edited')
}

function fail(text) {
  const message = editor.box.querySelector('.field-error')
  const control = editor.box.querySelector('select, textarea, input:not([type="hidden"])')
  const described = (control.getAttribute('aria-describedby') ?? '').split(' ').filter(Boolean)
  message.textContent = text
  message.hidden = false
  control.setAttribute('aria-invalid', 'true')
  control.setAttribute('aria-describedby', [...new Set([message.id, ...described])].join(' '))
  editor.box.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}

/* The row as the server has it now. Its checkbox stays, and with it what is selected. */
function put(row, fresh) {
  if (!fresh || fresh.cells.length !== row.cells.length) {
    editor = null
    location.reload()
    return
  }
  for (const [index, cell] of [...fresh.cells].entries()) {
    const old = row.cells[index]
    const box = old.matches('.list-check') && old.querySelector('input')
    if (!box) old.replaceWith(document.adoptNode(cell))
    else {
      const { dataset, ariaLabel } = cell.querySelector('input')
      Object.assign(box.dataset, dataset)
      box.ariaLabel = ariaLabel
    }
  }
}

/* Figures of the list, which the saved value is a part of; they stay as they are if they cannot be read. */
async function refreshFigures() {
  const place = '.list-summary'
  const old = document.querySelector(place)
  if (!old) return
  const response = await fetch(location.href, { headers: { accept: 'text/html' } })
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const fresh = page.querySelector(place)
  if (fresh) old.replaceWith(document.adoptNode(fresh))
}

/*
 * Saves what was changed, and closes the editor.
 *
 * Returns the cell; null while the editor stays open.
 */
async function save(isLeft = false) {
  const { cell, box, isAgain, saving } = editor
  if (saving) return await saving
  if (!isChanged() && (!isAgain || isLeft)) {
    if (isAgain) return null
    close()
    return cell
  }
  const wrong = box.querySelector('input:invalid, select:invalid, textarea:invalid')
  if (wrong) {
    fail(wrong.validationMessage)
    return null
  }
  editor.saving = send(editor)
  return await editor.saving
}

async function send(current) {
  const { box } = current
  const { action, version } = box.dataset
  const body = valuesIn(box)
  box.setAttribute('aria-busy', 'true')
  try {
    const response = await ask(action, {
      method: 'POST',
      body: new URLSearchParams(body),
      headers: { 'if-match': `"${version}"` },
      keepalive: body.length < MOST_KEPT_ALIVE,
    })
    return settle(current, response)
  } catch {
    if (editor === current) fail(messageFor())
    else announce(messageFor())
    return null
  } finally {
    current.saving = null
    box.removeAttribute('aria-busy')
  }
}

function settle(current, { isDone, status, box, row: fresh }) {
  const row = current.cell.parentElement
  const index = current.cell.cellIndex
  /* The list may have been replaced in the meantime. */
  const isShown = editor === current && current.cell.isConnected
  if (!isShown) {
    const message = box?.querySelector('.field-error').textContent
    if (!isDone) announce(message ?? messageFor(status))
    return null
  }
  if (isDone) {
    close()
    put(row, fresh)
    refreshFigures().catch(() => {})
    return row.cells[index] ?? null
  }
  if (!box) {
    fail(messageFor(status))
    return null
  }
  if (fresh) {
    close()
    put(row, fresh)
  }
  show(row.cells[index], box, true)
  return null
}

/** Opens the editor of a cell, or of the first cell of its row that can be edited. */
export async function edit(target, isKey = false) {
  const row = target.closest?.('.list-table tbody > tr')
  const own = target.closest?.(CELL)
  const cell = isKey && row ? (own && isEdited(own) ? own : editedIn(row)[0]) : cellOf(target)
  if (!cell || cell.contains(editor?.box)) return
  const index = cell.cellIndex
  const { cells } = cell.parentElement
  if (editor && !(await save())) return
  await open(cells[index])
}

async function open(cell) {
  getSelection().removeAllRanges()
  focus(cell)
  cell.setAttribute('aria-busy', 'true')
  try {
    const [{ box, status }] = await Promise.all([ask(addressOf(cell)), window.adminForms()])
    if (!box) announce(messageFor(status))
    else if (cell.isConnected && cell.contains(document.activeElement)) show(cell, box, false)
  } catch {
    announce(messageFor())
  } finally {
    cell.removeAttribute('aria-busy')
  }
}

async function saveAndGo(step) {
  const saved = await save()
  if (!saved) return
  const next = step === 0 ? undefined : beside(saved, step)
  if (next) await open(next)
  else focus(saved)
}

/* Keys of the editor, unless its field has used them itself. */
document.addEventListener('keydown', (event) => {
  const { key, target } = event
  if (!editor?.box.contains(target) || event.defaultPrevented || event.isComposing) return
  if (event.ctrlKey || event.metaKey) return
  /* An open list of choices takes its keys. */
  if (CSS.supports('selector(:open)') && target.matches('select:open')) return
  const isLineBreak = target.matches('textarea') && (event.shiftKey || event.altKey)
  if (key === 'Enter' && !isLineBreak) saveAndGo(0)
  else if (key === 'Tab' && !event.altKey) saveAndGo(event.shiftKey ? -1 : 1)
  else if (key === 'Escape') {
    const { cell } = editor
    close()
    focus(cell)
  } else return
  event.preventDefault()
})

/* From a row that `j` or `k` has reached to its cells. */
document.addEventListener('keydown', (event) => {
  const { key, target } = event
  if (key !== 'ArrowRight' || !target.matches?.('.list-table tbody > tr')) return
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
  const [first] = editedIn(target)
  if (!first) return
  focus(first)
  event.preventDefault()
})

/* Keys of a focused cell, before those of its row. */
document.addEventListener(
  'keydown',
  (event) => {
    const { key, target } = event
    if (!target.matches?.(CELL) || event.ctrlKey || event.metaKey || event.altKey) return
    if (key === 'Enter') edit(target)
    else if (STEPS[key] && !event.shiftKey) {
      const next = neighbour(target, STEPS[key])
      if (next) focus(next)
    } else return
    event.preventDefault()
    event.stopPropagation()
  },
  true
)

document.addEventListener('click', ({ target }) => {
  const cell = cellOf(target)
  if (cell && !cell.contains(editor?.box) && getSelection().isCollapsed) activate(cell)
})

document.addEventListener('pointerover', ({ target }) => {
  const cell = cellOf(target)
  if (cell) cell.dataset.isEdited = ''
})

document.addEventListener('focusout', ({ target, relatedTarget }) => {
  if (target.matches?.(CELL)) target.removeAttribute('tabindex')
  if (!editor?.box.contains(target) || editor.box.contains(relatedTarget)) return
  if (document.hasFocus()) save(true)
})

document.addEventListener('submit', (event) => {
  if (!editor?.box.contains(event.target)) return
  event.preventDefault()
  saveAndGo(0)
})

document.addEventListener('htmx:after:swap', () => {
  if (editor && !editor.cell.isConnected && !editor.saving) editor = null
})

addEventListener('beforeunload', (event) => {
  if (isChanged()) event.preventDefault()
})

window.adminForms().catch(() => {})

const sheet = document.createElement('link')
sheet.rel = 'stylesheet'
sheet.href = document.querySelector('[data-cells-sheet]').dataset.cellsSheet
document.head.append(sheet)
