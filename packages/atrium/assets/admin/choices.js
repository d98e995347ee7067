/*
 * Reference fields to a model with many records: part of the title is typed, and an option found by
 * the server is chosen. Without this file, the record's key is typed into the same field.
 *
 * Follows the ARIA pattern of an editable combobox with a listbox: the focus stays in the field,
 * and `aria-activedescendant` refers to the active option.
 */
;(() => {
  const DELAY = 200
  let count = 0

  function make(tag, properties, attributes = {}) {
    const element = Object.assign(document.createElement(tag), properties)
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
    return element
  }

  class Combobox {
    constructor(box) {
      const input = box.querySelector('input')
      this.box = box
      this.input = input
      this.id = `choices-${++count}`
      this.active = -1
      this.chosen = { value: input.value, label: box.dataset.title || input.value }

      this.list = make('ul', { id: this.id, className: 'choices-list' }, { role: 'listbox' })
      this.note = make('p', { className: 'choices-note' }, { 'aria-hidden': 'true' })
      this.spoken = make('p', { className: 'sr-only' }, { role: 'status' })
      this.popup = make('div', { className: 'choices-popup', hidden: true })
      this.popup.append(this.list, this.note)
      this.label()
      this.hold()
      box.append(this.popup, this.spoken)
      box.dataset.isReady = 'true'
      this.listen()
    }

    label() {
      const label = document.querySelector(`label[for="${CSS.escape(this.input.id)}"]`)
      if (!label) return
      label.id ||= `${this.id}-label`
      this.list.setAttribute('aria-labelledby', label.id)
    }

    /* The visible field shows the title; a hidden one submits the key. */
    hold() {
      const { input } = this
      this.value = make('input', { type: 'hidden', name: input.name, value: input.value })
      input.removeAttribute('name')
      for (const name of ['min', 'max', 'step', 'pattern', 'minlength', 'maxlength']) {
        input.removeAttribute(name)
      }
      input.type = 'text'
      input.dir = 'auto'
      input.value = this.chosen.label
      input.autocomplete = 'off'
      input.spellcheck = false
      input.setAttribute('role', 'combobox')
      input.setAttribute('aria-autocomplete', 'list')
      input.setAttribute('aria-controls', this.id)
      input.setAttribute('aria-expanded', 'false')
      input.after(this.value)
      this.box.querySelector('.combobox-current')?.remove()
    }

    listen() {
      const { input, popup } = this
      input.addEventListener('input', () => this.isChoosing || this.typed())
      input.addEventListener('keydown', (event) => this.pressed(event))
      input.addEventListener('click', () => (this.isOpen ? this.close() : this.search('')))
      input.addEventListener('blur', () => this.left())
      /* A new record, made in a dialog */
      this.box.addEventListener('admin:choose', ({ detail }) => {
        this.chosen = detail
        this.back()
      })
      /* A press on the popup, including its scroll bar, must not move the focus. */
      popup.addEventListener('mousedown', (event) => event.preventDefault())
      this.list.addEventListener('click', ({ target }) => {
        const option = target.closest('[role="option"]')
        if (option) this.choose(option)
      })
    }

    get isOpen() {
      return !this.popup.hidden
    }

    get options() {
      return [...this.list.children]
    }

    typed() {
      const text = this.input.value.trim()
      /* Text without a chosen option is submitted as typed, as it may be a key. */
      this.put(text === this.chosen.label ? this.chosen.value : text)
      this.input.setCustomValidity('')
      clearTimeout(this.timer)
      this.timer = setTimeout(() => this.search(text), DELAY)
    }

    pressed(event) {
      const { key, altKey } = event
      if (key === 'ArrowDown' || key === 'ArrowUp') {
        event.preventDefault()
        if (!this.isOpen) this.search('', key === 'ArrowUp' ? -1 : 0)
        else if (!altKey) this.move(key === 'ArrowDown' ? 1 : -1)
        else if (key === 'ArrowUp') this.close()
      } else if (key === 'Enter' && this.isOpen) {
        event.preventDefault()
        if (this.active >= 0) this.choose(this.options[this.active])
        else this.close()
      } else if (key === 'Escape' && this.isOpen) {
        event.preventDefault()
        event.stopPropagation()
        this.close()
      } else if (key === 'Escape' && this.input.value !== this.chosen.label) {
        event.preventDefault()
        this.back()
      }
    }

    /* Leaving the field chooses the option that was typed in full; any other text stays, even
     * without a match. */
    left() {
      clearTimeout(this.timer)
      const text = this.input.value.trim()
      const exact = this.options.find(
        ({ textContent, dataset }) =>
          textContent.toLowerCase() === text.toLowerCase() || dataset.value === text
      )
      if (text === this.chosen.label) this.back()
      else if (text !== '' && exact) this.choose(exact)
      else if (text !== '' && !/^\d+$/.test(text)) {
        this.input.setCustomValidity(this.box.dataset.unknown ?? '')
      }
      this.close()
    }

    async search(text, active) {
      clearTimeout(this.timer)
      this.request?.abort()
      const request = (this.request = new AbortController())
      const url = new URL(this.box.dataset.search, document.baseURI)
      url.searchParams.set('q', text)
      try {
        const answer = await fetch(url, {
          headers: { accept: 'application/json' },
          signal: request.signal,
        })
        if (!answer.ok) throw new Error(String(answer.status))
        const { choices, status } = await answer.json()
        this.show(choices, status, active)
      } catch {
        if (!request.signal.aborted) this.show([], this.box.dataset.failed)
      }
    }

    show(choices, status, active) {
      /* The response may arrive after the field was left. */
      if (document.activeElement !== this.input) return
      const options = choices.map(({ value, label }, index) => {
        const isChosen = value === this.value.value || this.isAdded(value)
        const option = make(
          'li',
          {
            id: `${this.id}-${index}`,
            className: 'choices-option',
            textContent: label,
            dir: 'auto',
          },
          { 'role': 'option', 'aria-selected': String(isChosen) }
        )
        option.dataset.value = value
        return option
      })
      this.list.replaceChildren(...options)
      this.list.hidden = options.length === 0
      this.note.textContent = status ?? ''
      this.spoken.textContent = status ?? ''
      this.popup.hidden = false
      this.input.setAttribute('aria-expanded', 'true')
      this.activate(active === undefined ? -1 : (active + options.length) % options.length)
      this.popup.scrollIntoView({ block: 'nearest' })
    }

    move(step) {
      const { length } = this.options
      if (length === 0) return
      const from = this.active < 0 && step < 0 ? 0 : this.active
      this.activate((from + step + length) % length)
    }

    activate(index) {
      const { options } = this
      options[this.active]?.classList.remove('is-active')
      this.active = options[index] ? index : -1
      const option = options[this.active]
      option?.classList.add('is-active')
      option?.scrollIntoView({ block: 'nearest' })
      if (option) this.input.setAttribute('aria-activedescendant', option.id)
      else this.input.removeAttribute('aria-activedescendant')
    }

    /* Of a field with several values, this only adds to them. */
    get adds() {
      return 'adds' in this.box.dataset
    }

    isAdded(value) {
      if (!this.adds) return false
      const chosen = this.box.closest('.many').querySelectorAll('.many-list input')
      return [...chosen].some((one) => one.value === value)
    }

    choose(option) {
      if (this.adds) {
        const detail = { value: option.dataset.value, label: option.textContent }
        this.box.dispatchEvent(new CustomEvent('admin:chosen', { bubbles: true, detail }))
        this.back()
        this.close()
        return
      }
      this.chosen = { value: option.dataset.value, label: option.textContent }
      this.back()
      this.close()
    }

    back() {
      this.input.value = this.chosen.label
      this.input.setCustomValidity('')
      this.put(this.chosen.value)
    }

    put(value) {
      if (this.value.value === value) return
      this.value.value = value
      /* forms.js watches for unsaved changes. */
      this.isChoosing = true
      this.input.dispatchEvent(new Event('input', { bubbles: true }))
      this.isChoosing = false
    }

    close() {
      this.request?.abort()
      clearTimeout(this.timer)
      this.popup.hidden = true
      this.input.setAttribute('aria-expanded', 'false')
      this.activate(-1)
    }
  }

  function begin() {
    for (const box of document.querySelectorAll('.combobox[data-search]:not([data-is-ready])')) {
      new Combobox(box)
    }
  }

  document.addEventListener('htmx:after:swap', begin)
  document.addEventListener('admin:fields', begin)
  begin()
})()
