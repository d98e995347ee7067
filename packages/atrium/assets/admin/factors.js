/* Copies and prints recovery codes. Without this file its buttons are not shown, and the codes can be downloaded. */
;(() => {
  function begin() {
    const copies = document.querySelector('[data-copies]')
    const prints = document.querySelector('[data-prints]')
    if (copies && navigator.clipboard) {
      copies.hidden = false
      copies.addEventListener('click', () => copy(copies))
    }
    if (prints) {
      prints.hidden = false
      prints.addEventListener('click', () => window.print())
    }
  }

  async function copy(button) {
    const codes = [...document.querySelectorAll(`#${button.dataset.copies} code`)]
    await navigator.clipboard.writeText(codes.map(({ textContent }) => textContent).join('\n'))
    document.getElementById('copied').textContent = button.dataset.copied
    button.textContent = button.dataset.copied
  }

  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', begin)
  else begin()
})()
