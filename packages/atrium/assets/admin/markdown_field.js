/*
 * The preview of a long text, without leaving the form. The server renders and sanitises it; without this file
 * the button sends the form, which comes back with the preview.
 */
;(() => {
  const PAUSE = 500
  const waiting = new WeakMap()

  const partsOf = (box) => ({
    area: box.querySelector('textarea'),
    button: box.querySelector('.markdown-button'),
    region: box.querySelector('.markdown-preview'),
  })

  async function show(box) {
    const { area, region } = partsOf(box)
    const text = area.value
    const body = new URLSearchParams({ text })
    const response = await fetch(box.dataset.markdown, { method: 'POST', body }).catch(() => null)
    const html =
      response?.ok && !response.redirected ? await response.text().catch(() => null) : null
    if (area.value !== text) return
    if (html === null) region.textContent = region.dataset.failed
    else region.innerHTML = html
  }

  document.addEventListener('click', (event) => {
    const box = event.target.closest?.('.markdown-button')?.closest('[data-markdown]')
    if (!box) return
    event.preventDefault()
    const { button, region } = partsOf(box)
    region.hidden = !region.hidden
    button.setAttribute('aria-expanded', !region.hidden)
    if (!region.hidden) void show(box)
  })

  /* ---------- The toolbar ---------- */

  const AROUND = { bold: '**', italic: '_', code: '`' }
  const BEFORE = { heading: '## ', list: '- ', quote: '> ' }
  const KEYS = { b: 'bold', i: 'italic' }

  /* Replaces a part of the text, and selects what the user goes on with. */
  function replace(area, [start, end], text, [from, to]) {
    area.focus()
    area.setSelectionRange(start, end)
    /* Only this keeps the browser's own undo. */
    if (!document.execCommand('insertText', false, text)) {
      area.setRangeText(text, start, end)
      area.dispatchEvent(new Event('input', { bubbles: true }))
    }
    area.setSelectionRange(start + from, start + to)
  }

  function format(area, tool) {
    const { selectionEnd: end, selectionStart: start, value } = area
    const text = value.slice(start, end)
    if (AROUND[tool]) {
      const mark = AROUND[tool]
      replace(area, [start, end], mark + text + mark, [mark.length, mark.length + text.length])
    } else if (tool === 'link') {
      const begin = `[${text}](`
      replace(area, [start, end], `${begin}https://)`, [begin.length, begin.length + 8])
    } else {
      const first = value.lastIndexOf('\n', start - 1) + 1
      const lines = value.slice(first, end).replace(/^/gm, BEFORE[tool])
      replace(area, [first, end], lines, [lines.length, lines.length])
    }
  }

  document.addEventListener('click', ({ target }) => {
    const button = target.closest?.('[data-markdown-tool]')
    if (!button) return
    format(partsOf(button.closest('[data-markdown]')).area, button.dataset.markdownTool)
  })

  document.addEventListener('keydown', (event) => {
    const { altKey, ctrlKey, key, metaKey, shiftKey, target } = event
    if (
      !(ctrlKey || metaKey) ||
      altKey ||
      shiftKey ||
      !target.matches?.('[data-markdown] textarea')
    )
      return
    if (!KEYS[key]) return
    event.preventDefault()
    event.stopPropagation()
    format(target, KEYS[key])
  })

  function showTools() {
    for (const tools of document.querySelectorAll('.markdown-tools[hidden]')) {
      const { area } = partsOf(tools.closest('[data-markdown]'))
      tools.hidden = area.disabled || area.readOnly
    }
  }
  for (const event of ['htmx:after:swap', 'admin:fields']) {
    document.addEventListener(event, showTools)
  }
  showTools()

  /* The preview follows the typed text. */
  document.addEventListener('input', ({ target }) => {
    const box = target.closest?.('[data-markdown]')
    if (!box || partsOf(box).region.hidden) return
    clearTimeout(waiting.get(box))
    waiting.set(
      box,
      setTimeout(() => void show(box), PAUSE)
    )
  })
})()
