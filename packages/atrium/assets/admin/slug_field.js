/*
 * A slug follows the field that it is made of until it is changed by hand. The server makes it, also without this
 * file, when a new record comes with an empty one.
 */
;(() => {
  const PAUSE = 250
  /* By input: the slug that was made last, the timer of the next one */
  const states = new WeakMap()

  /* In a row of another form both names begin with that of the row. */
  const sourceOf = (slug) => slug.form?.elements[slug.name.replace(/[^.]*$/, slug.dataset.slugFrom)]

  const slugsOf = (source) =>
    [...(source.form?.querySelectorAll('[data-slug-from]') ?? [])].filter(
      (slug) => sourceOf(slug) === source
    )

  /* A slug that is set when the form is opened does not follow its source. */
  function stateOf(slug) {
    if (!states.has(slug)) states.set(slug, { made: slug.defaultValue, follows: slug.value === '' })
    return states.get(slug)
  }

  async function make(text, url) {
    const body = new URLSearchParams({ text })
    const answer = await fetch(url, { method: 'POST', body }).catch(() => null)
    return answer?.ok && !answer.redirected ? await answer.text().catch(() => null) : null
  }

  async function follow(slug, source) {
    const state = stateOf(slug)
    const text = source.value
    const made = await make(text, slug.dataset.slugUrl)
    if (made === null || !state.follows || source.value !== text) return
    state.made = made
    state.isLate = false
    slug.value = made
  }

  document.addEventListener('input', ({ target }) => {
    if (target.matches?.('[data-slug-from]')) {
      const state = stateOf(target)
      state.follows = target.value === ''
      state.isLate = false
      return
    }
    for (const slug of target.form ? slugsOf(target) : []) {
      const state = stateOf(slug)
      if (!state.follows) continue
      state.isLate = true
      clearTimeout(state.timer)
      state.timer = setTimeout(() => void follow(slug, target), PAUSE)
    }
  })

  /* For a form that is sent before the response arrives, the server creates the slug. */
  addEventListener(
    'click',
    ({ target }) => {
      const button = target.closest?.('[type="submit"]')
      for (const slug of button?.form?.querySelectorAll('[data-slug-from]') ?? []) {
        if (stateOf(slug).isLate) slug.value = ''
      }
    },
    true
  )

  const remember = () => document.querySelectorAll('[data-slug-from]').forEach(stateOf)
  document.addEventListener('htmx:after:swap', remember)
  remember()
})()
