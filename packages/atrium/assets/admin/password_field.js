/*
 * Says how strong a new password is while it is typed, and shows it on demand. An estimate only: the server decides
 * what is accepted. Nothing of what is typed leaves the page.
 */
;(() => {
  const SHORTEST = 8
  const LONGEST = 128
  /* Guesses, as a power of ten, from which a password is fair, good and strong */
  const LEVELS = [6, 9, 12]
  /* What people begin with: each costs as little as one character. */
  const COMMON =
    /passwor[dt]|passw0rd|letmein|welcome|admin|login|master|monkey|dragon|qwert[yz]?|asdf(?:gh)?|zxcv(?:bn)?|iloveyou|princess|sunshine|football|baseball|summer|winter|spring|autumn|secret|test|hello|abc123|(?:19|20)\d\d/g
  const KEYS = 'abcdefghijklmnopqrstuvwxyz 01234567890 qwertyuiop asdfghjkl zxcvbnm'
  /* A screen reader hears the verdict once the typing pauses. */
  const PAUSE = 600

  const core = (text) => text.toLowerCase().replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  const isNear = (text, name) =>
    name !== '' &&
    (text.toLowerCase() === name.toLowerCase() || (core(name) !== '' && core(text) === core(name)))

  /* Characters that say something new: not those that repeat, or follow, the one before. */
  function newCharacters(text) {
    const kinds = [...text]
    return kinds.filter((one, index) => {
      const last = kinds[index - 1]
      if (last === undefined) return true
      const pair = last + one
      return one !== last && !KEYS.includes(pair) && !KEYS.includes(one + last)
    }).length
  }

  function alphabetOf(text) {
    return (
      (/[a-z]/.test(text) ? 26 : 0) +
      (/[A-Z]/.test(text) ? 26 : 0) +
      (/\d/.test(text) ? 10 : 0) +
      (/[ -/:-@[-`{-~]/.test(text) ? 33 : 0) +
      (/[^ -~]/.test(text) ? 60 : 0)
    )
  }

  /* A known text is replaced by one character that cannot be typed. */
  function guessesOf(text, name) {
    const lower = text.toLowerCase()
    const unnamed = name === '' ? lower : lower.replaceAll(name.toLowerCase(), '\u0001')
    const rest = unnamed.replaceAll(COMMON, '\u0001')
    const count = Math.min(newCharacters(rest), 2 * new Set(rest).size)
    return count * Math.log10(Math.max(alphabetOf(text), 10) * 0.6)
  }

  function verdict(text, name) {
    const { length } = [...text]
    if (length === 0) return { level: 0, key: null }
    if (length < SHORTEST) return { level: 1, key: 'short' }
    if (length > LONGEST) return { level: 1, key: 'long' }
    if (isNear(text, name)) return { level: 1, key: 'name' }
    const guesses = guessesOf(text, name)
    const level = 1 + LEVELS.filter((least) => guesses >= least).length
    return { level, key: ['weak', 'fair', 'good', 'strong'][level - 1] }
  }

  function nameBeside(input) {
    const field = input.form?.elements.username
    return (input.dataset.strengthName ?? field?.value ?? '').trim()
  }

  function meterOf(input) {
    const id = `${input.id}-strength`
    const known = document.getElementById(id)
    if (known) return known
    const meter = document.createElement('p')
    const bar = document.createElement('span')
    const words = document.createElement('span')
    Object.assign(meter, { id, className: 'strength' })
    bar.className = 'strength-bar'
    words.setAttribute('aria-live', 'polite')
    meter.append(bar, words)
    input.closest('.new-password').after(meter)
    return meter
  }

  /* The server's complaint was of the former password. */
  function dropError(input) {
    if (!input.hasAttribute('aria-invalid')) return
    input.removeAttribute('aria-invalid')
    document.getElementById(`${input.id}-error`)?.remove()
  }

  const timers = new WeakMap()

  function show(input) {
    const texts = JSON.parse(input.dataset.strength)
    const meter = meterOf(input)
    const { level, key } = verdict(input.value, nameBeside(input))
    meter.dataset.level = String(level)
    const words = key ? `${texts.label}: ${texts[key]}` : ''
    clearTimeout(timers.get(meter))
    timers.set(
      meter,
      setTimeout(() => (meter.lastChild.textContent = words), input.value === '' ? 0 : PAUSE)
    )
  }

  function addSwitch(input) {
    const box = input.closest('.new-password')
    if (box.querySelector('button')) return
    const texts = JSON.parse(input.dataset.strength)
    const button = document.createElement('button')
    Object.assign(button, { type: 'button', className: 'btn', textContent: texts.show })
    button.dataset.variant = 'outline'
    button.setAttribute('aria-pressed', 'false')
    button.setAttribute('aria-controls', input.id)
    button.addEventListener('click', () => {
      const isShown = input.type === 'text'
      input.type = isShown ? 'password' : 'text'
      button.setAttribute('aria-pressed', String(!isShown))
    })
    box.append(button)
  }

  document.addEventListener('input', ({ target }) => {
    if (!target.matches?.('[data-strength]')) return
    show(target)
    dropError(target)
  })

  /* A password that is shown is sent as one, so that browsers offer to keep it. */
  addEventListener('submit', ({ target }) => {
    for (const input of target.querySelectorAll?.('[data-strength]') ?? []) input.type = 'password'
  })

  const begin = () => document.querySelectorAll('[data-strength]').forEach(addSwitch)
  document.addEventListener('htmx:after:swap', begin)
  begin()
})()
