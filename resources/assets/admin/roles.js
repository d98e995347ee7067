/*
 * What the matrix of a role does beyond checkboxes, and how roles are found where there are many. Both
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
    if (changed === all) for (const box of boxesOf(row)) box.checked = all.checked
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
  }

  function choose(row, records) {
    const radio = row.querySelector(`.matrix-records input[value="${records}"]`)
    if (radio) radio.checked = true
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
