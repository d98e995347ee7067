/*
 * Keys. Which key does what is written in the dialog's `data-keys`, by the server: there single keys are left
 * out for a person who has switched them off.
 */
;(() => {
  /* How long `g` waits for the letter of a page, in milliseconds */
  const PATIENCE = 5000
  const FIELD =
    'input:not([type=checkbox], [type=radio], [type=button], [type=submit]), textarea, select'

  const find = (selector) => document.querySelector(selector)
  const dialog = () => find('#keys')
  const list = () => find('#list-content')
  const rows = () => [...document.querySelectorAll('#list-content tbody tr')]
  const current = () => find('#list-content tbody tr[aria-current]')
  const link = (row) => row?.querySelector('.lead a')
  const box = (row) => row?.querySelector('[name=ids]')
  const isField = (target) => target.matches(FIELD) || target.isContentEditable

  /* Which row was current, for the lists that follow this one */
  let place = null
  let shown = null
  let isTurning = false
  let waiting = 0

  /* Until the next frame, a dialog that is closed still has the focus. */
  const overOf = (target, open = 'dialog[open]') => target.closest(open) ?? find(open)

  /* Returns true if there was something to click. */
  function click(element) {
    element?.click()
    return Boolean(element)
  }

  /* ---------- Rows ---------- */

  const nameOf = (row) => box(row)?.value ?? link(row)?.pathname

  function mark(row) {
    current()?.removeAttribute('aria-current')
    row.setAttribute('aria-current', 'true')
    row.tabIndex = -1
    place = { name: nameOf(row), index: rows().indexOf(row), address: location.href }
  }

  function show(row) {
    mark(row)
    row.focus({ preventScroll: true })
    row.scrollIntoView({ block: 'nearest' })
    const heading = find('#list-content thead th')
    const covered = heading.getBoundingClientRect().bottom - row.getBoundingClientRect().top
    if (covered > 0) row.closest('.list-scroll').scrollTop -= covered
  }

  function move(step) {
    const all = rows()
    const row = current()
    /* A record that was deleted leaves its place to the next one. */
    const left = place?.address === location.href ? place.index : 0
    const start = row ? all.indexOf(row) + step : left
    const next = all[Math.max(0, Math.min(start, all.length - 1))]
    if (next) show(next)
    return Boolean(next)
  }

  function select(shiftKey) {
    const event = new MouseEvent('click', { bubbles: true, cancelable: true, shiftKey })
    return Boolean(box(current())?.dispatchEvent(event))
  }

  /* A new list goes on at the same record; another page of it, at its first. */
  function goOn() {
    if (list() === shown) return
    shown = list()
    const row = isTurning ? rows()[0] : rows().find((one) => nameOf(one) === place?.name)
    isTurning = false
    if (row && place) (document.activeElement === document.body ? show : mark)(row)
  }

  function turn(relation) {
    const to = find(`#content a[rel~=${relation}][href]`)
    isTurning = Boolean(to?.hasAttribute('hx-get'))
    if (isTurning) place ??= {}
    return click(to)
  }

  /* ---------- What opens over a page ---------- */

  /* Its script and style are loaded when it is first opened; text typed during the load goes into its field. */
  let styled

  async function open(over) {
    if (over.open) return
    over.showModal()
    over.querySelector('input')?.select()
    try {
      const { script, sheet } = dialog().dataset
      await Promise.all([import(script), (styled ??= window.adminSheet(sheet))])
      over.dataset.ready = ''
      over.dispatchEvent(new Event('open'))
    } catch {
      location.assign(over.dataset.url)
    }
  }

  /* ---------- What keys do, by the names of the server ---------- */

  const does = {
    help() {
      if (dialog().open) dialog().close()
      else open(dialog())
      return true
    },
    palette() {
      open(find('#palette'))
      return true
    },
    search() {
      const field = find('#search-input')
      field?.select()
      return field ? true : does.palette()
    },
    go() {
      document.body.dataset.going = ''
      waiting = setTimeout(stay, PATIENCE)
      return true
    },
    leave({ target }) {
      const row = current()
      if (isField(target)) {
        target.blur()
        row?.focus()
      } else if (!target.matches('body, main, tr')) return false
      else if (row) {
        row.removeAttribute('aria-current')
        row.blur()
        place = null
      } else return click(find('.back-link'))
      return true
    },
    down: () => move(1),
    up: () => move(-1),
    open: ({ key, target }) =>
      (key !== 'Enter' || target.matches('body, main, tr')) && click(link(current())),
    select: () => select(false),
    extend: () => select(true),
    create: () => click(find('#new-record')),
    filter: () => click(find('#add-filter')),
    before: () => turn('prev'),
    after: () => turn('next'),
    save({ target }) {
      const button = (overOf(target) ?? find('#record-form'))?.querySelector('.form-submit')
      /* As with a click, the field that is left first takes its last change. */
      button?.focus()
      return click(button)
    },
  }

  function stay() {
    clearTimeout(waiting)
    waiting = 0
    delete document.body.dataset.going
  }

  /* ---------- From an event to what its key does ---------- */

  /* As the server names it; shift is part of the character, and so is AltGr. */
  function typed(event) {
    const { key, altKey, ctrlKey, metaKey, shiftKey } = event
    const isThird = event.getModifierState('AltGraph')
    const isCharacter = key.length === 1
    if ((altKey && !isThird) || (shiftKey && !isCharacter)) return null
    const name = isCharacter ? key[shiftKey ? 'toUpperCase' : 'toLowerCase']() : key
    return (ctrlKey || metaKey) && !isThird ? `Mod+${name}` : name
  }

  /* No action has the name of a key. */
  function actionOf(name) {
    const keys = dialog().dataset.keys.split(' ')
    return keys[keys.indexOf(name) + 1 || keys.length]
  }

  function isOpenTo(action, name, target) {
    if (action === 'palette') return true
    const over = overOf(target)
    if (over) return action === 'save' || (action === 'help' && over === dialog())
    if (target.closest('[popover], .cell-editor')) return false
    return !isField(target) || name === 'Escape' || name.startsWith('Mod+')
  }

  function press(event) {
    const { defaultPrevented, isComposing, keyCode, key, target, repeat } = event
    /* Programs that fill forms send events without a key; 229 is that of a text under composition. */
    if (!key || !dialog() || defaultPrevented || isComposing || keyCode === 229) return
    const name = typed(event)
    if (waiting && name) {
      if (key.length > 1 && key !== 'Escape') return
      stay()
      event.preventDefault()
      click(find(`[data-go="${CSS.escape(name)}"]`))
      return
    }
    const action = actionOf(name)
    if (!action || !isOpenTo(action, name, target)) return
    const isOnce = action !== 'down' && action !== 'up'
    if ((repeat && isOnce) || does[action](event)) event.preventDefault()
  }

  document.addEventListener('keydown', press)
  document.addEventListener('pointerdown', stay)
  document.addEventListener('htmx:after:swap', goOn)
  document.addEventListener('DOMContentLoaded', () => {
    shown = list()
    if (current()) mark(current())
  })

  document.addEventListener('click', (event) => {
    const { target, button, ctrlKey, metaKey, shiftKey } = event
    if (button !== 0 || ctrlKey || metaKey || shiftKey || !target.closest?.('.search-open')) return
    event.preventDefault()
    does.palette()
  })
})()
