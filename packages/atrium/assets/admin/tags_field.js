/*
 * Tags as chips over the text with one tag a line, which is what is sent. Enter or a comma adds what is typed,
 * Backspace in an empty input takes the last one away. A list that lines can't hold stays a text.
 */
;(() => {
  const SVG = 'http://www.w3.org/2000/svg'

  function make(name, properties, ...children) {
    const element = Object.assign(document.createElement(name), properties)
    element.append(...children)
    return element
  }

  const tagsIn = (text) => [...new Set(text.split('\n').map((one) => one.trim()))].filter(Boolean)

  function cross() {
    const icon = document.createElementNS(SVG, 'svg')
    const path = document.createElementNS(SVG, 'path')
    icon.setAttribute('class', 'icon')
    icon.setAttribute('viewBox', '0 0 24 24')
    icon.setAttribute('aria-hidden', 'true')
    path.setAttribute('d', 'm7 7 10 10M17 7 7 17')
    icon.append(path)
    return icon
  }

  function enhance(box) {
    const area = box.querySelector('textarea')
    if (area.value.trimStart().startsWith('[')) return
    box.dataset.ready = ''
    const { add, remove, added, removed, help } = box.dataset
    const list = make('ul', { className: 'tags-list' })
    const status = make('span', { className: 'sr-only' })
    const input = make('input', { className: 'tags-input', type: 'text', autocomplete: 'off' })
    list.setAttribute('role', 'list')
    status.setAttribute('role', 'status')
    input.dir = 'auto'
    input.setAttribute('aria-label', add)
    for (const name of ['aria-describedby', 'aria-invalid', 'autofocus']) {
      const value = area.getAttribute(name)
      if (value !== null) input.setAttribute(name, value)
    }
    const suggestions = box.querySelector('datalist')
    if (suggestions) input.setAttribute('list', suggestions.id)
    const { id } = area
    area.id = `${id}-text`
    input.id = id
    area.hidden = true
    area.required = false
    const helpText = document.getElementById(`${id}-help`)
    if (helpText && !helpText.dataset.own) helpText.textContent = help
    /* Without a chip left it is an empty list, and no box is needed for that. */
    box.closest('.form-field')?.querySelector('.form-clear')?.remove()
    const chips = make('div', { className: 'tags-box' }, list, input)
    chips.addEventListener('click', ({ target }) => target === chips && input.focus())
    area.before(chips, status)

    function draw() {
      list.replaceChildren(
        ...tagsIn(area.value).map((tag) => {
          const button = make('button', { type: 'button' }, cross())
          button.setAttribute('aria-label', `${remove} ${tag}`)
          button.addEventListener('click', () => without(tag))
          return make('li', { className: 'tag', dir: 'auto' }, tag, button)
        })
      )
    }

    function write(tags, message) {
      area.value = tags.join('\n')
      status.textContent = message
      area.dispatchEvent(new Event('input', { bubbles: true }))
    }

    function without(tag) {
      const tags = tagsIn(area.value)
      const place = tags.indexOf(tag)
      write(tags.toSpliced(place, 1), `${tag} ${removed}`)
      const next = list.querySelectorAll('button')[Math.min(place, tags.length - 2)]
      ;(next ?? input).focus()
    }

    function take(text = input.value) {
      const typed = tagsIn(text.replaceAll(',', '\n'))
      input.value = ''
      if (typed.length === 0) return
      write(tagsIn([area.value, ...typed].join('\n')), `${typed.join(', ')} ${added}`)
    }

    input.addEventListener('keydown', (event) => {
      if (event.isComposing) return
      const isText = input.value.trim() !== ''
      if (event.key === 'Enter' && isText) {
        event.preventDefault()
        take()
      }
      if (event.key === 'Backspace' && input.value === '') {
        const last = tagsIn(area.value).at(-1)
        if (last === undefined) return
        event.preventDefault()
        write(tagsIn(area.value).slice(0, -1), `${last} ${removed}`)
      }
    })
    input.addEventListener('input', ({ isComposing }) => {
      if (!isComposing && input.value.includes(',')) take()
    })
    input.addEventListener('paste', (event) => {
      const text = event.clipboardData?.getData('text') ?? ''
      if (!/[\n,]/.test(text)) return
      event.preventDefault()
      take(input.value + text)
    })
    input.addEventListener('change', () => take())
    /* Also when what was typed before is brought back */
    area.addEventListener('input', draw)
    draw()
  }

  function enhanceAll() {
    for (const box of document.querySelectorAll('[data-tags]:not([data-ready])')) enhance(box)
  }

  document.addEventListener('htmx:after:swap', enhanceAll)
  document.addEventListener('admin:fields', enhanceAll)
  enhanceAll()
})()
