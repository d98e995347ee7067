/*
 * The input of a form that can't be sent, as the session has ended or the server is unavailable, is stored in the
 * browser: for its user and page, for a week, without passwords, hidden values and files. It is offered again on that
 * page, and deleted once it is saved. Without this file the server stores what is sent after the session's end.
 */
;(() => {
  const WEEK = 7 * 24 * 3600 * 1000
  const LONGEST = 200_000
  const MOST = 20
  const PREFIX = 'atrium-draft:'

  const form = () => document.getElementById('record-form')
  const line = (name) => form().querySelector(`.${name}`)
  const own = `${PREFIX}${document.body.dataset.user}:`
  /* A page shown again has parameters of its own. */
  const key = () => own + location.pathname

  /* ---------- The store ---------- */

  function read(name) {
    try {
      const draft = JSON.parse(localStorage.getItem(name))
      return Array.isArray(draft?.texts) && Date.now() - draft.at < WEEK ? draft : null
    } catch {
      return null
    }
  }

  function remove(name) {
    try {
      localStorage.removeItem(name)
    } catch {
      /* Storage is not available, so nothing is stored. */
    }
  }

  /* Old ones go, and the oldest make room. */
  function tidy() {
    const names = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX))
    const drafts = names.map((name) => ({ name, at: read(name)?.at ?? 0 }))
    drafts.sort((one, other) => other.at - one.at)
    for (const [index, { name, at }] of drafts.entries()) {
      if (at === 0 || index >= MOST) remove(name)
    }
  }

  /* Returns true if it is stored. */
  function keep() {
    try {
      const text = JSON.stringify({ at: Date.now(), texts: textsOf(form()), titles: titlesOf() })
      if (text.length > LONGEST) return false
      localStorage.setItem(key(), text)
      tidy()
      return true
    } catch {
      return false
    }
  }

  /* ---------- Out of the form and into it ---------- */

  const NEVER = ['password', 'file', 'submit', 'button', 'image', 'reset']
  const OWN = ['_by', '__new']

  const isKept = (control) =>
    control.name &&
    !OWN.includes(control.name) &&
    !NEVER.includes(control.type) &&
    !control.closest('[data-secret]') &&
    !/\b(?:cc-|one-time-code|(?:current|new)-password)/.test(control.autocomplete ?? '')

  /* Includes fields that are not shown, as the values that they depend on are stored, too. */
  function textsOf(from) {
    const texts = []
    for (const control of [...from.elements].filter(isKept)) {
      const { name, type } = control
      if (type === 'checkbox' || type === 'radio') {
        if (control.checked) texts.push([name, control.value])
      } else if (type === 'select-multiple') {
        for (const { value } of control.selectedOptions) texts.push([name, value])
      } else if (type !== 'fieldset') texts.push([name, control.value])
    }
    return texts
  }

  /* The titles of records that were searched */
  function titlesOf() {
    const boxes = [...form().querySelectorAll('.combobox')]
    const chips = [...form().querySelectorAll('.many-chip')]
    return Object.fromEntries([
      ...boxes.flatMap((box) => {
        const value = box.querySelector('input[type="hidden"]')
        return value ? [[value.name, box.querySelector('[role="combobox"]').value]] : []
      }),
      ...chips.map((chip) => {
        const { name, value } = chip.querySelector('input')
        return [`${name}=${value}`, chip.querySelector('.many-title').textContent]
      }),
    ])
  }

  /* Returns false if some of it has no place. */
  function restore({ texts, titles }) {
    const byName = Map.groupBy(texts, ([name]) => name)
    /* Other scripts make the rows and chips that were there, or say what is to be left alone. */
    const detail = { texts, titles, without: [] }
    form().dispatchEvent(new CustomEvent('admin:restoring', { bubbles: true, detail }))
    const isLeft = ({ name }) => detail.without.some((start) => name.startsWith(start))
    const own = [...form().elements].filter((control) => isKept(control) && !isLeft(control))
    const controls = Map.groupBy(own, ({ name }) => name)
    let isWhole = true
    for (const [name, group] of controls) {
      const values = (byName.get(name) ?? []).map(([, value]) => value)
      byName.delete(name)
      if (!fill(group, values, titles?.[name])) isWhole = false
    }
    form().dispatchEvent(new CustomEvent('admin:restored', { bubbles: true }))
    return isWhole && byName.size === 0
  }

  function fill(group, values, title) {
    const boxes = group.filter(({ type }) => type === 'checkbox' || type === 'radio')
    for (const box of boxes) set(box, 'checked', values.includes(box.value))
    if (boxes.length > 0) return true
    const [first] = group
    if (first.type === 'select-multiple') {
      for (const option of first.options) option.selected = values.includes(option.value)
      tell(first)
      return values.every((value) => [...first.options].some((option) => option.value === value))
    }
    for (const [index, control] of group.entries()) {
      if (index < values.length) setText(control, values[index], title)
    }
    return values.length <= group.length
  }

  function setText(control, value, title) {
    const box = control.type === 'hidden' && control.closest('.combobox')
    if (box) {
      const detail = { value, label: title || value }
      box.dispatchEvent(new CustomEvent('admin:choose', { detail }))
      return
    }
    const isNew = control.type === 'select-one' && value !== ''
    if (isNew && ![...control.options].some((option) => option.value === value)) {
      control.append(new Option(title || value, value))
    }
    set(control, 'value', value)
  }

  function set(control, property, value) {
    if (control[property] === value) return
    control[property] = value
    tell(control)
  }

  function tell(control) {
    for (const type of ['input', 'change']) {
      control.dispatchEvent(new Event(type, { bubbles: true }))
    }
  }

  /* ---------- Offering ---------- */

  /* Other scripts leave it to this one to say why the form was not sent. */
  function begin() {
    if (form()) form().dataset.isKept = ''
  }

  /* As the server writes moments, in the zone of the form. */
  function written(at, timeZone) {
    const number = { day: 'numeric', year: 'numeric', hour: '2-digit', minute: '2-digit' }
    const options = { ...number, month: 'short', hourCycle: 'h23', timeZone: timeZone || undefined }
    const parts = new Intl.DateTimeFormat(document.documentElement.lang, options).formatToParts(at)
    const part = Object.fromEntries(parts.map(({ type, value }) => [type, value]))
    return `${part.day} ${part.month} ${part.year}, ${part.hour}:${part.minute}`
  }

  function offer() {
    const draft = form() && read(key())
    if (!draft) return
    const time = line('form-draft').querySelector('time')
    const at = new Date(draft.at)
    time.dateTime = at.toISOString()
    time.textContent = written(at, form().elements._time_zone?.value)
    line('form-draft').hidden = false
  }

  function answer(choice) {
    const notice = line('form-draft')
    if (choice === 'discard') {
      remove(key())
      notice.hidden = true
      form().querySelector('input:not([type="hidden"]), select, textarea')?.focus()
      return
    }
    const draft = read(key())
    const isWhole = draft === null || restore(draft)
    notice.querySelector('[data-partly]').hidden = isWhole
    notice.querySelector('[data-draft="restore"]').hidden = true
    if (isWhole) notice.hidden = true
    form().querySelector('.form-submit').focus()
  }

  document.addEventListener('click', ({ target }) => {
    const choice = target.closest?.('[data-draft]')?.dataset.draft
    if (choice === 'again') form().requestSubmit(sentBy?.isConnected ? sentBy : undefined)
    else if (choice) answer(choice)
  })

  /* ---------- Sending ---------- */

  const isOurs = ({ detail }) => detail.ctx?.sourceElement?.id === 'record-form'
  /* The button that the last attempt was made with */
  let sentBy

  document.addEventListener('submit', ({ target, submitter }) => {
    if (target === form()) sentBy = submitter ?? undefined
  })

  /* At the current scroll position, as other errors; a new attempt clears it. */
  function say(kind, isStored) {
    const { content, dataset } = line('form-unsent')
    const message = content.firstElementChild.cloneNode(true)
    message.firstElementChild.textContent = `${dataset[kind]} ${isStored ? dataset.saved : dataset.notSaved}`
    document.dispatchEvent(new CustomEvent('admin:tell', { detail: message }))
  }

  /* From a proxy that did not reach the server */
  const AWAY = [502, 504]

  function kindOf(status) {
    if (AWAY.includes(status)) return 'away'
    if (status === 503) return 'busy'
    return status >= 500 ? 'failed' : 'refused'
  }

  /* The form comes back, or admin.js says why not. */
  const ANSWERED = [400, 403, 404, 409, 422, 429]

  document.addEventListener('htmx:response:error', (event) => {
    const { status } = event.detail.ctx?.response ?? {}
    if (!isOurs(event) || ANSWERED.includes(status)) return
    const isStored = keep()
    /* Without a session htmx goes to the login. */
    if (status !== 401) say(kindOf(status), isStored)
  })

  document.addEventListener('htmx:error', (event) => {
    if (isOurs(event) && !event.detail.ctx.response) say('away', keep())
  })

  document.addEventListener('htmx:after:request', (event) => {
    const { ctx } = event.detail
    if (isOurs(event) && ctx.response.status < 400 && ctx.hx?.redirect) remove(key())
  })

  try {
    tidy()
  } catch {
    /* The browser lets the site keep nothing. */
  }
  document.addEventListener('htmx:after:swap', begin)
  begin()
  offer()
})()
