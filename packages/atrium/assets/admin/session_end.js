/*
 * Two minutes before the session ends a form says so in a toast, and offers to stay, which is a request as any other. The
 * longest time that a session may last can't be made longer.
 */
;(() => {
  const EARLY = 120
  const PAUSE = 5000

  const line = () => document.querySelector('#record-form .session-line')

  /* Moments, as timers stand still while a computer sleeps */
  let idleEnd = Infinity
  let limit = Infinity
  /* Seconds before the end; a short session is not about to end all the time */
  let early = EARLY
  /* The message that is shown */
  let shown = null
  let isAsking = false

  function take({ idle, limit: rest }) {
    idleEnd = Date.now() + Number(idle) * 1000
    limit = Date.now() + Number(rest) * 1000
  }

  const left = () => (Math.min(idleEnd, limit) - Date.now()) / 1000

  function show(kind) {
    if (kind === shown) return
    shown = kind
    document.querySelector('#flash .session-message')?.closest('.toast').remove()
    const message = kind && line().content.querySelector(`[data-kind="${kind}"]`).cloneNode(true)
    if (message) document.dispatchEvent(new CustomEvent('admin:tell', { detail: message }))
  }

  function showWhatIsLeft() {
    if (left() > early) show(null)
    else if (left() <= 0) show('over')
    else show(limit <= idleEnd ? 'last' : 'soon')
  }

  /* With `poll` the question does not renew the session. */
  async function ask(query) {
    isAsking = true
    try {
      const answer = await fetch(line().dataset.url + query, {
        headers: { accept: 'application/json' },
      })
      if (answer.ok) take(await answer.json())
      else if (answer.status === 401) idleEnd = 0
    } catch {
      /* The last known response stays in effect. */
    } finally {
      isAsking = false
    }
    if (line()) showWhatIsLeft()
  }

  /* Another tab may have renewed the session, or ended it. */
  function look() {
    const isSaid = shown === 'over' || (shown !== null && left() > 0)
    if (line() && !isAsking && !isSaid && left() <= early) ask('?poll')
  }

  document.addEventListener('click', ({ target }) => {
    if (target.closest?.('[data-stay]') && !isAsking) ask('')
  })

  /* The user may have logged in again in another tab. */
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && shown !== null && line() && !isAsking) ask('?poll')
  })

  /* A form that is shown again comes with new times. */
  function begin() {
    if (!line() || line().dataset.isRead !== undefined) return
    line().dataset.isRead = ''
    take(line().dataset)
    early = Math.min(EARLY, Number(line().dataset.idle) / 2)
    if (left() > early) show(null)
  }

  document.addEventListener('htmx:after:swap', begin)
  begin()
  setInterval(look, PAUSE)
})()
