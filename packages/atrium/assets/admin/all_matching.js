/*
 * The box that selects all records of a list, on whichever page: shown once all of this page are selected.
 * A task on all of them is sent as without this file: the form itself names the list and its number.
 */
;(() => {
  const form = () => document.getElementById('bulk')
  const box = () => form()?.elements.all

  function isPageSelected() {
    const boxes = [...form().querySelectorAll('input[name="ids"][type="checkbox"]')]
    return boxes.length > 0 && boxes.every(({ checked }) => checked)
  }

  function show() {
    if (!box()) return
    const label = box().closest('label')
    label.hidden = !isPageSelected()
    if (label.hidden) box().checked = false
    if (box().checked) say(label.dataset.selected)
  }

  function say(text) {
    for (const place of form().querySelectorAll('.bulk-bar [role="status"], .bulk-count')) {
      if (place.textContent !== text) place.textContent = text
    }
  }

  /* After what else these events cause. */
  const later = () => queueMicrotask(show)

  document.addEventListener('change', ({ target }) => {
    if (!form() || target.form !== form()) return
    /* The number of selected records is shown again. */
    if (target === box() && !target.checked) {
      const [first] = form().querySelectorAll('input[name="ids"][type="checkbox"]')
      first.dispatchEvent(new Event('change', { bubbles: true }))
    }
    later()
  })
  document.addEventListener('click', ({ target }) => {
    if (target.closest?.('.bulk-clear, input[name="ids"]')) later()
  })

  document.addEventListener('htmx:after:swap', later)
  window.addEventListener('pageshow', later)
  later()
})()
