/*
 * New records of a reference: the form of the other record opens in a dialog, and the record created there is chosen.
 * forms.js loads this file for the first one. Nothing here creates markup
 * from text: the server renders the form.
 */
const LOGIN = 401
let dialog = null
/* The button that opened it */
let opener = null
let isTyped = false

/* The page has another form with the same ids. */
const PREFIX = 'new-'

function setApart(root) {
  const ids = new Set([...root.querySelectorAll('[id]')].map(({ id }) => id))
  const apart = (text) =>
    text
      .split(' ')
      .map((one) => (ids.has(one) ? PREFIX + one : one))
      .join(' ')
  for (const element of root.querySelectorAll('*')) {
    for (const { name, value } of [...element.attributes]) {
      const isText = name.endsWith('label') || name === 'data-slug-from'
      if (/^(?:id|for|list|aria-.*|data-.*)$/.test(name) && !isText) {
        element.setAttribute(name, apart(value))
      } else if (name === 'href' && value.startsWith('#')) {
        element.setAttribute(name, `#${apart(value.slice(1))}`)
      }
    }
  }
}

/* Sheets and scripts for the widgets of the other form that this page does not have */
function loadAssets(root) {
  for (const { name, sheet, script } of JSON.parse(root.dataset.sheets ?? '[]')) {
    if (document.querySelector(`link[data-parts~="${CSS.escape(name)}"]`)) continue
    const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: sheet })
    link.dataset.parts = name
    document.head.append(link)
    if (script)
      document.head.append(Object.assign(document.createElement('script'), { src: script }))
  }
}

function show(html) {
  const root = new DOMParser().parseFromString(html, 'text/html').querySelector('.new-reference')
  if (!root) return false
  loadAssets(root)
  setApart(root)
  dialog.replaceChildren(root)
  if (!dialog.open) dialog.showModal()
  /* As other content that comes into the page: the scripts of widgets look for theirs. */
  dialog.dispatchEvent(new CustomEvent('htmx:after:swap', { bubbles: true, detail: {} }))
  const first = '[aria-invalid], [autofocus], input:not([type="hidden"]), select, textarea'
  root.querySelector(first)?.focus()
  return true
}

/* The server returns a full page to requests without these headers. */
const HEADERS = { 'hx-request': 'true', 'accept': 'text/html, application/json' }

export async function open(button) {
  if (dialog?.open || button.hasAttribute('aria-busy')) return
  opener = button
  isTyped = false
  dialog ??= makeDialog()
  button.setAttribute('aria-busy', 'true')
  try {
    const response = await fetch(button.dataset.dialog, { headers: HEADERS })
    if (!response.ok || !show(await response.text())) goToPage(button)
  } catch {
    goToPage(button)
  } finally {
    button.removeAttribute('aria-busy')
  }
}

/* As without scripts */
function goToPage(button) {
  button.removeAttribute('data-dialog')
  button.form.requestSubmit(button)
}

function makeDialog() {
  const made = document.createElement('dialog')
  made.className = 'confirm-dialog new-reference-dialog'
  made.setAttribute('aria-labelledby', `${PREFIX}heading`)
  made.addEventListener('input', () => (isTyped = true))
  made.addEventListener('submit', (event) => {
    event.preventDefault()
    event.stopPropagation()
    send(event.target)
  })
  made.addEventListener('cancel', (event) => {
    if (event.target !== made) return
    event.preventDefault()
    leave()
  })
  made.addEventListener('close', ({ target }) => {
    if (target === made) made.replaceChildren()
  })
  document.body.append(made)
  return made
}

/* ---------- Sending ---------- */

async function send(form) {
  const buttons = form.querySelectorAll('button[type="submit"]')
  if (buttons[0].disabled) return
  for (const button of buttons) button.disabled = true
  fail(form, null)
  try {
    const data = new FormData(form)
    const body = form.enctype === 'multipart/form-data' ? data : new URLSearchParams(data)
    const action = form.getAttribute('action')
    const request = fetch(action, { method: 'POST', headers: HEADERS, body })
    const response = await request.catch(() => null)
    if (response) await follow(form, response)
    else fail(form, 'away')
  } catch {
    fail(form, 'failed')
  } finally {
    for (const button of buttons) button.disabled = false
  }
}

async function follow(form, response) {
  if (response.status === LOGIN) return fail(form, 'ended')
  const isJson = response.headers.get('content-type')?.includes('json')
  if (response.ok && isJson) return done(await response.json())
  if (isJson || !show(await response.text())) fail(form, kindOf(response.status))
}

/* From a proxy that did not reach the server */
const AWAY = [502, 504]

function kindOf(status) {
  if (AWAY.includes(status)) return 'away'
  if (status === 503) return 'busy'
  if (status === 403) return 'notAllowed'
  return status >= 500 ? 'failed' : 'notAccepted'
}

function fail(form, kind) {
  const notice = form.querySelector('.new-reference-failure')
  notice.hidden = kind === null
  for (const text of notice.children) text.hidden = text.dataset.failure !== kind
}

function done({ message, value, label }) {
  const picker = pickerOf(opener)
  dialog.close()
  if (value !== null && picker) choose(picker, value, label)
  const focused = picker?.matches('select') ? picker : picker?.querySelector('input')
  ;(focused ?? opener).focus()
  document.dispatchEvent(
    new CustomEvent('admin:announce', { detail: { text: message, kind: 'success' } })
  )
}

/* Of its field, be it one of the form or of a row */
function pickerOf(button) {
  for (let at = button.parentElement; at && !at.matches('form'); at = at.parentElement) {
    const picker = at.querySelector('select, .combobox')
    if (picker) return picker
  }
  return null
}

function choose(picker, value, label) {
  if (!picker.matches('select')) {
    picker.dispatchEvent(new CustomEvent('admin:choose', { detail: { value, label } }))
    return
  }
  const known = [...picker.options].find((option) => option.value === value)
  if (!known) picker.append(new Option(label, value))
  if (picker.multiple) [...picker.options].find((one) => one.value === value).selected = true
  else picker.value = value
  for (const type of ['input', 'change']) picker.dispatchEvent(new Event(type, { bubbles: true }))
}

/* ---------- Leaving ---------- */

/* The question of the page's own form */
function leave() {
  const asked = isTyped && document.getElementById('leave')
  if (!asked) return dialog.close()
  const question = asked.cloneNode(true)
  question.removeAttribute('open')
  for (const element of [question, ...question.querySelectorAll('[id]')]) {
    element.id = PREFIX + element.id
  }
  for (const name of ['aria-labelledby', 'aria-describedby']) {
    question.setAttribute(name, PREFIX + question.getAttribute(name))
  }
  for (const button of question.querySelectorAll('[data-leave]')) {
    const goes = button.dataset.leave === 'go'
    button.removeAttribute('data-leave')
    button.addEventListener('click', () => {
      question.close()
      if (goes) dialog.close()
    })
  }
  question.addEventListener('close', () => question.remove())
  document.body.append(question)
  question.showModal()
}

addEventListener('beforeunload', (event) => {
  if (dialog?.open && isTyped) event.preventDefault()
})

/* A key that was handled closes nothing, which a second Escape would, without asking. */
document.addEventListener('keydown', (event) => {
  const isOurs = event.key === 'Escape' && dialog?.contains(event.target)
  if (!isOurs || event.defaultPrevented) return
  event.preventDefault()
  leave()
})

document.addEventListener('click', ({ target }) => {
  if (target.closest?.('[data-new-close]')) leave()
})
