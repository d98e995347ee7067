/*
 * The matrix of a role beyond checkboxes, and how roles are found where there are many. Both
 * work without this file.
 */
;(() => {
  const SAYS_SOMETHING = ":checked:not([value=''], [value='all'])"
  const boxesOf = (row) => [...row.querySelectorAll('[data-action] input')]

  document.addEventListener('change', ({ target }) => {
    const row = target.closest?.('.matrix-row')
    if (row) follow(row, target)
  })

  /** Ticks what goes with a tick, and takes away what its going takes along. */
  function follow(row, changed) {
    const own = row.querySelector('.matrix-own input')
    const all = row.querySelector('.matrix-all input')
    if (changed === own) {
      if (!own.checked) clear(row)
      return
    }
    if (changed === all) {
      for (const box of boxesOf(row)) box.checked = all.checked
      keepOthers(row, all.checked)
    }
    if (changed.closest('[data-action]') && !changed.checked) all.checked = false
    if (changed.closest('.matrix-scope') && changed.checked) choose(row, 'chosen')
    if (changed.type === 'radio' && changed.value === 'all') {
      for (const scope of row.querySelectorAll('.matrix-scope input')) scope.checked = false
    }
    if (row.querySelector(SAYS_SOMETHING)) own.checked = true
  }

  function clear(row) {
    for (const box of row.querySelectorAll('input[type="checkbox"]')) box.checked = false
    for (const shown of row.querySelectorAll('input[type="radio"][value=""]')) shown.checked = true
    choose(row, 'all')
    const kept = row.querySelector('.matrix-kept')
    if (kept) kept.value = ''
  }

  function choose(row, records) {
    const radio = row.querySelector(`.matrix-records input[value="${records}"]`)
    if (radio) radio.checked = true
  }

  /** The other actions of a row that is not loaded are ticked with the rest. */
  function keepOthers(row, areTicked) {
    const kept = row.querySelector('.matrix-kept')
    if (!kept?.dataset.others) return
    const { actions, ...rest } = JSON.parse(kept.value || '{}')
    kept.value = JSON.stringify(
      areTicked ? { actions: JSON.parse(kept.dataset.others), ...rest } : rest
    )
  }

  /* ---------- What is folded ---------- */

  document.addEventListener(
    'toggle',
    ({ target }) => {
      if (target.matches?.('.matrix-details[open]')) void load(target)
    },
    true
  )

  /** Loads fields and records of a row; where that fails, its button remains. */
  async function load(details) {
    const more = details.querySelector('.matrix-more')
    const kept = more.querySelector('.matrix-kept')
    if (!kept || more.ariaBusy === 'true') return
    const { name, value } = kept
    const url = `${details.closest('.matrix').dataset.more}?${new URLSearchParams([[name, value]])}`
    more.ariaBusy = 'true'
    const response = await fetch(url, { headers: { accept: 'text/html' } }).catch(() => null)
    const html =
      response?.ok && !response.redirected ? await response.text().catch(() => null) : null
    more.ariaBusy = null
    if (html === null) return
    if (kept.value !== value) return void load(details)
    more.insertAdjacentHTML('afterend', html)
    more.remove()
  }

  /* ---------- Many roles ---------- */

  document.addEventListener('input', ({ target }) => {
    if (!target.matches?.('.roles-find input')) return
    const wanted = target.value.trim().toLowerCase()
    for (const choice of target.closest('.roles-field').querySelectorAll('.roles-choice')) {
      choice.hidden = !choice.textContent.toLowerCase().includes(wanted)
    }
  })
})()
