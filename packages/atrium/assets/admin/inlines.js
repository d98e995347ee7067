/*
 * Rows in the form of their parent: added, removed and moved without the server. Without this file there are blank
 * rows, boxes that remove a row, and numbers for the order.
 */
;(() => {
  const ICONS = {
    up: 'm6 14 6-6 6 6',
    down: 'm6 10 6 6 6-6',
    remove: 'm7 7 10 10M17 7 7 17',
  }

  const textsOf = (inline) => JSON.parse(inline.dataset.texts)
  const rowsOf = (inline) => [...inline.querySelectorAll('.inline-rows > tbody > .inline-row')]
  const boxOf = (row) => row.querySelector('.inline-remove input[type="checkbox"]')
  const orderOf = (row) => row.querySelector('.inline-order')
  const isRemoved = (row) => boxOf(row)?.checked ?? false
  const numberOf = (row) => row.querySelector('[data-inline-number]').textContent

  function say(inline, key, row) {
    const text = textsOf(inline)[key].replace('{row}', row)
    inline.querySelector(':scope > [role="status"]').textContent = text
  }

  function changed(inline) {
    inline.dispatchEvent(new Event('input', { bubbles: true }))
  }

  function makeButton(kind, text) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'inline-button'
    button.dataset.inlineDoes = kind
    button.setAttribute('aria-label', text)
    button.title = text
    const space = 'http://www.w3.org/2000/svg'
    const icon = document.createElementNS(space, 'svg')
    icon.setAttribute('class', 'icon')
    icon.setAttribute('viewBox', '0 0 24 24')
    icon.setAttribute('aria-hidden', 'true')
    const path = document.createElementNS(space, 'path')
    path.setAttribute('d', ICONS[kind])
    icon.append(path)
    button.append(icon)
    return button
  }

  /* ---------- One row ---------- */

  function enhance(inline, row) {
    const texts = textsOf(inline)
    if (orderOf(row)) {
      const after = row.querySelector('.inline-number')
      after.after(makeButton('up', texts.up), makeButton('down', texts.down))
    }
    if (boxOf(row)) {
      row.querySelector('.inline-remove').append(makeButton('remove', texts.remove))
      follow(inline, row)
    }
  }

  /* Texts of a removed row stay until the form is saved, and are not sent. */
  function follow(inline, row) {
    const texts = textsOf(inline)
    const box = boxOf(row)
    const button = row.querySelector('[data-inline-does="remove"]')
    for (const control of row.querySelectorAll('.inline-cell :is(input, select, textarea)')) {
      control.disabled = box.checked
    }
    button.classList.toggle('inline-keep', box.checked)
    if (box.checked) button.textContent = texts.keep
    else button.replaceChildren(...makeButton('remove', texts.remove).childNodes)
    number(inline)
  }

  /* ---------- Figures of the rows ---------- */

  const NUMBER = /\d[\d,]*(?:\.\d+)?/

  /* Returns [digits as a whole number, number of decimals], as a number would lose digits; null for another text. */
  function exact(text) {
    const plain = text.replace(/[,'_\s]/g, '')
    const [, sign, whole, part = ''] = /^([+-]?)(\d+)(?:\.(\d*))?$/.exec(plain) ?? []
    if (whole === undefined) return null
    return [BigInt(`${sign === '-' ? '-' : ''}${whole}${part}`), part.length]
  }

  const REDUCE = {
    sum: (one, other) => one + other,
    min: (one, other) => (other < one ? other : one),
    max: (one, other) => (other > one ? other : one),
  }

  /* A text that is not a number is left out: it is refused when the form is saved. */
  function valuesIn(inline, input) {
    return rowsOf(inline).flatMap((row) => {
      const control = isRemoved(row) ? null : row.querySelector(`[name$=".${CSS.escape(input)}"]`)
      const value = control && exact(control.value)
      return value ? [value] : []
    })
  }

  function figure(inline, { input, of, sample }) {
    const values = valuesIn(inline, input)
    if (values.length === 0) return '–'
    const [shown] = NUMBER.exec(sample)
    const decimals = shown.split('.')[1]?.length ?? 0
    const scale = Math.max(decimals, ...values.map(([, part]) => part))
    const scaled = values.map(([whole, part]) => whole * 10n ** BigInt(scale - part))
    const result = scaled.reduce(REDUCE[of])
    const digits = String(result < 0n ? -result : result).padStart(scale + 1, '0')
    const whole = digits.slice(0, digits.length - scale)
    const grouped = shown.includes(',') ? BigInt(whole).toLocaleString('en') : whole
    const text = scale > 0 ? `${grouped}.${digits.slice(-scale)}` : grouped
    return (result < 0n ? '-' : '') + sample.replace(NUMBER, () => text)
  }

  /* Shows the figures of the rows as they are typed; the labels of the others say that they are of the saved rows. */
  function showFigures(inline) {
    const totals = inline.querySelector(':scope > .inline-totals')
    const live = totals?.querySelectorAll('[data-sample]') ?? []
    if (live.length === 0) return
    totals.hidden = false
    totals.querySelector('.list-summary-of').hidden = true
    for (const one of live) {
      const shown = one.querySelector('b')
      shown.textContent = figure(inline, one.dataset)
      shown.removeAttribute('title')
    }
  }

  document.addEventListener('input', ({ target }) => {
    const inline = target.closest?.('.inline[data-ready]')
    if (inline) showFigures(inline)
  })

  /* ---------- Their order ---------- */

  function number(inline) {
    const texts = textsOf(inline)
    const rows = rowsOf(inline)
    for (const [index, row] of rows.entries()) {
      for (const one of row.querySelectorAll('[data-inline-number]')) one.textContent = index + 1
      const order = orderOf(row)
      if (order) order.value = index + 1
      for (const button of row.querySelectorAll('[data-inline-does]')) {
        const kind = button.dataset.inlineDoes
        const key = kind === 'remove' && isRemoved(row) ? 'keep' : kind
        const word = texts[key].replace('{row}', index + 1)
        const label = kind === 'remove' ? `${word}, ${index + 1}` : word
        button.setAttribute('aria-label', label)
        button.title = word
        if (kind === 'up') button.disabled = index === 0
        if (kind === 'down') button.disabled = index === rows.length - 1
      }
    }
    inline.querySelector(':scope > .inline-none').hidden = rows.length > 0
    const add = inline.querySelector('[data-inline-add]')
    const left = rows.filter((row) => !isRemoved(row)).length
    if (add && inline.dataset.one !== undefined) add.hidden = left > 0
    showFigures(inline)
  }

  /* The focus stays in the row: on the field that had it, else on a button that moves on. */
  function move(inline, row, kind, field) {
    const other = kind === 'up' ? row.previousElementSibling : row.nextElementSibling
    if (!other) return
    if (kind === 'up') other.before(row)
    else other.after(row)
    number(inline)
    const button = row.querySelector(`[data-inline-does="${kind}"]`)
    const there = row.querySelector(`[data-inline-does="${kind === 'up' ? 'down' : 'up'}"]`)
    ;(field ?? (button.disabled ? there : button)).focus()
    say(inline, 'moved', numberOf(row))
    changed(inline)
  }

  const KEYS = { ArrowUp: 'up', ArrowDown: 'down' }
  /* Controls that open or change with Alt and an arrow key */
  const USES_KEYS = 'select, [role="combobox"], [type^="date"], [type="time"]'

  document.addEventListener('keydown', (event) => {
    const { altKey, defaultPrevented, key, target } = event
    const row = altKey && KEYS[key] && target.closest?.('.inline[data-ready] .inline-row')
    if (!row || defaultPrevented || !orderOf(row) || target.matches(USES_KEYS)) return
    event.preventDefault()
    const isButton = target.matches('[data-inline-does="up"], [data-inline-does="down"]')
    move(row.closest('.inline'), row, KEYS[key], isButton ? undefined : target)
  })

  /* A row is dragged by its number. */
  let dragged = null

  function dragTo(y) {
    const { inline, row } = dragged
    for (const other of rowsOf(inline)) {
      const { top, bottom } = other.getBoundingClientRect()
      if (other === row || y < top || y > bottom) continue
      if (y < (top + bottom) / 2) other.before(row)
      else other.after(row)
      number(inline)
      dragged.isMoved = true
      return
    }
  }

  document.addEventListener('pointerdown', (event) => {
    const row = event.target.closest?.('.inline-number')?.closest('.inline-row')
    if (!row || event.button !== 0 || !orderOf(row)) return
    event.preventDefault()
    dragged = { row, inline: row.closest('.inline'), isMoved: false }
    event.target.setPointerCapture(event.pointerId)
    row.classList.add('is-dragged')
  })
  document.addEventListener('pointermove', ({ clientY }) => dragged && dragTo(clientY))
  for (const end of ['pointerup', 'pointercancel']) {
    document.addEventListener(end, () => {
      if (!dragged) return
      const { inline, isMoved, row } = dragged
      dragged = null
      row.classList.remove('is-dragged')
      if (!isMoved) return
      say(inline, 'moved', numberOf(row))
      changed(inline)
    })
  }

  /* ---------- Added and removed ---------- */

  function addRow(inline) {
    const index = Number(inline.dataset.next)
    inline.dataset.next = index + 1
    const row = inline
      .querySelector(':scope > template')
      .content.querySelector('.inline-row')
      .cloneNode(true)
    for (const element of [row, ...row.querySelectorAll('*')]) {
      for (const { name, value } of [...element.attributes]) {
        if (!value.includes('__index__')) continue
        element.setAttribute(name, value.replaceAll('__index__', index))
      }
    }
    inline.querySelector('.inline-rows > tbody').append(row)
    enhance(inline, row)
    number(inline)
    document.dispatchEvent(new Event('admin:fields'))
    return row
  }

  function add(inline) {
    const row = addRow(inline)
    changed(inline)
    const first = row.querySelector(
      '.inline-cell :is(input:not([type="hidden"]), select, textarea)'
    )
    ;(first ?? row).focus()
    say(inline, 'added', numberOf(row))
  }

  /* Each file becomes a row, whose field uploads it. */
  function addFiles(inline, files) {
    for (const file of files) {
      const box = addRow(inline).querySelector('[data-files]')
      box.dispatchEvent(new CustomEvent('admin:files', { detail: [file] }))
    }
    if (files.length === 0) return
    changed(inline)
    say(inline, 'added', numberOf(rowsOf(inline).at(-1)))
  }

  document.addEventListener('change', ({ target }) => {
    if (!target.matches?.('[data-inline-files]')) return
    const files = [...target.files]
    target.value = ''
    addFiles(target.closest('.inline'), files)
  })

  const zoneOf = ({ dataTransfer, target }) => {
    const inline = dataTransfer?.types.includes('Files') && target.closest?.('.inline')
    return inline && inline.querySelector('[data-inline-files]') ? inline : null
  }
  for (const type of ['dragover', 'drop']) {
    document.addEventListener(type, (event) => {
      const inline = zoneOf(event)
      if (!inline || event.defaultPrevented) return
      event.preventDefault()
      if (type === 'drop') addFiles(inline, [...event.dataTransfer.files])
    })
  }

  function remove(inline, row) {
    const box = boxOf(row)
    box.checked = !box.checked
    follow(inline, row)
    changed(inline)
    say(inline, box.checked ? 'removed' : 'restored', numberOf(row))
  }

  document.addEventListener('click', (event) => {
    const inline = event.target.closest?.('.inline')
    if (!inline) return
    if (event.target.closest('[data-inline-add]')) {
      event.preventDefault()
      add(inline)
      return
    }
    const button = event.target.closest('[data-inline-does]')
    if (!button) return
    const row = button.closest('.inline-row')
    const kind = button.dataset.inlineDoes
    if (kind === 'remove') remove(inline, row)
    else move(inline, row, kind)
  })

  /* ---------- Restored input ---------- */

  /*
   * Rows that were added are made again, under their numbers. Returns false if the rows are not those that the texts
   * are of any more.
   */
  function makeRows(inline, texts) {
    const prefix = `${inline.dataset.inline}.`
    const own = texts.filter(([name]) => name.startsWith(prefix))
    const ids = new Map(own.filter(([name]) => /\.\d+\.id$/.test(name)))
    const stored = [...inline.querySelectorAll('.inline-place > input[type="hidden"]')].filter(
      ({ name }) => name.endsWith('.id')
    )
    const isSame =
      stored.length === ids.size && stored.every(({ name, value }) => ids.get(name) === value)
    if (!isSame) return own.length === 0
    const numbers = new Set(own.map(([name]) => Number.parseInt(name.slice(prefix.length), 10)))
    const next = Number(inline.dataset.next)
    const isMissing = (index) => index >= 0 && !document.getElementById(`row-${prefix}${index}`)
    const added = [...numbers].filter(isMissing).sort((one, other) => one - other)
    if (added.length > 0 && !inline.querySelector(':scope > template')) return false
    for (const index of added) {
      inline.dataset.next = index
      addRow(inline)
    }
    inline.dataset.next = Math.max(next, Number(inline.dataset.next))
    return true
  }

  function arrange(inline) {
    const placeOf = (row) => Number(orderOf(row)?.value ?? 0)
    const rows = rowsOf(inline)
    rows.sort((one, other) => placeOf(one) - placeOf(other))
    rows[0]?.parentElement.append(...rows)
    for (const row of rows.filter(boxOf)) follow(inline, row)
    number(inline)
  }

  const inlines = () => document.querySelectorAll('.inline[data-ready]')

  document.addEventListener('admin:restoring', ({ detail }) => {
    for (const inline of inlines()) {
      if (!makeRows(inline, detail.texts)) detail.without.push(`${inline.dataset.inline}.`)
    }
  })
  document.addEventListener('admin:restored', () => {
    for (const inline of inlines()) arrange(inline)
  })

  /* ---------- All ---------- */

  /* A button adds rows, so that blank ones are not needed; those that were sent and came back stay. */
  function begin(inline) {
    inline.dataset.ready = ''
    for (const row of rowsOf(inline)) {
      const isBlank = row.dataset.blank !== undefined
      if (isBlank) row.remove()
      else enhance(inline, row)
    }
    const button = inline.querySelector('[data-inline-add]')
    if (button) button.hidden = false
    number(inline)
  }

  function enhanceAll() {
    for (const inline of document.querySelectorAll('.inline:not([data-ready])')) {
      if (inline.querySelector('.inline-rows')) begin(inline)
    }
  }

  document.addEventListener('htmx:after:swap', enhanceAll)
  enhanceAll()
})()
