/* Opens the browser's print dialog. */
const button = document.querySelector('[data-print]')
if (button) {
  button.hidden = false
  button.addEventListener('click', () => print())
  addEventListener('load', () => print(), { once: true })
}
