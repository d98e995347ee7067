/*
 * Copies what a page shows once. Browsers let a page do so only where it is served encrypted, or from this machine.
 */
;(() => {
  for (const button of document.querySelectorAll('[data-copies]')) {
    button.hidden = !navigator.clipboard
    button.addEventListener('click', async () => {
      const field = document.getElementById(button.dataset.copies)
      try {
        await navigator.clipboard.writeText(field.value)
        button.textContent = button.dataset.copied
        button.setAttribute('role', 'status')
      } catch {
        field.select()
      }
    })
  }
})()
