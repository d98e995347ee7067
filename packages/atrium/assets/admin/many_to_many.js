/*
 * Many-to-many fields with a search: chosen records are chips that can be removed, and found ones are added to
 * them. Without this file they are checkboxes, and keys are typed.
 */
;(() => {
  class Chosen {
    constructor(box) {
      this.box = box
      this.list = box.querySelector('.many-list')
      this.input = box.querySelector('.many-add input')
      this.spoken = document.createElement('p')
      this.spoken.className = 'sr-only'
      this.spoken.role = 'status'
      box.append(this.spoken)
      for (const choice of [...this.list.children]) this.toChip(choice)
      box.dataset.isReady = 'true'
      box.addEventListener('admin:chosen', ({ detail }) => this.add(detail))
      box
        .closest('form')
        ?.addEventListener('admin:restoring', (event) => this.restore(event.detail))
      this.list.addEventListener('click', ({ target }) => {
        const button = target.closest('button')
        if (button) this.remove(button.closest('li'))
      })
    }

    /** Boxes without a tick were removed before the form was returned. */
    toChip(choice) {
      const { checked, value } = choice.querySelector('input')
      const title = choice.textContent.trim()
      choice.replaceWith(...(checked ? [this.chip(value, title)] : []))
    }

    chip(value, title) {
      const chip = document.createElement('li')
      chip.className = 'many-chip'
      const text = Object.assign(document.createElement('span'), {
        className: 'many-title',
        dir: 'auto',
        textContent: title,
      })
      const key = Object.assign(document.createElement('input'), {
        type: 'hidden',
        name: this.box.dataset.name,
        value,
      })
      const button = Object.assign(document.createElement('button'), {
        type: 'button',
        className: 'many-remove',
        ariaLabel: this.say('remove', title),
        title: this.say('remove', title),
      })
      button.append(cross())
      chip.append(text, key, button)
      return chip
    }

    add({ value, label }) {
      const has = [...this.list.querySelectorAll('input')].some((one) => one.value === value)
      if (has) return
      this.list.append(this.chip(value, label))
      this.changed('added', label)
    }

    remove(chip) {
      const next = chip.nextElementSibling ?? chip.previousElementSibling
      const title = chip.textContent.trim()
      chip.remove()
      const target = next?.querySelector('button') ?? this.input
      target.focus()
      this.changed('removed', title)
    }

    changed(word, title) {
      this.spoken.textContent = this.say(word, title)
      /* forms.js watches for unsaved changes. */
      this.list.dispatchEvent(new Event('input', { bubbles: true }))
    }

    /** Exactly the records that were chosen when the input was stored */
    restore({ texts, titles }) {
      const { name } = this.box.dataset
      const keys = texts.flatMap(([one, value]) => (one === name ? value : []))
      if (keys.length === 0) return
      const chips = keys
        .filter(Boolean)
        .map((key) => this.chip(key, titles?.[`${name}=${key}`] || key))
      this.list.replaceChildren(...chips)
    }

    say(word, title) {
      return this.box.dataset[word].replace('%', () => title)
    }
  }

  function cross() {
    const make = (tag, attributes) => {
      const element = document.createElementNS('http://www.w3.org/2000/svg', tag)
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
      return element
    }
    const icon = make('svg', { 'class': 'icon', 'viewBox': '0 0 24 24', 'aria-hidden': 'true' })
    icon.append(make('path', { d: 'm7 7 10 10M17 7 7 17' }))
    return icon
  }

  /* ---------- Rows with columns of the pivot ---------- */

  function addRow(pivot, index) {
    const row = pivot.querySelector(':scope > template').content.firstElementChild.cloneNode(true)
    for (const element of row.querySelectorAll('*')) {
      for (const { name, value } of [...element.attributes]) {
        if (!value.includes('__index__')) continue
        element.setAttribute(name, value.replaceAll('__index__', index))
      }
    }
    pivot.dataset.next = Math.max(Number(pivot.dataset.next), index + 1)
    pivot.querySelector('.pivot-rows > tbody').append(row)
    document.dispatchEvent(new Event('admin:fields'))
    return row
  }

  /* Returns false if the rows are not those that the texts are of any more. */
  function makeRows(pivot, texts) {
    const prefix = `${pivot.dataset.name}.`
    const own = new Map(texts.filter(([name]) => name.startsWith(prefix)))
    const begun = [...own.keys()].filter((name) => name.endsWith('.__was'))
    const stored = [...pivot.querySelectorAll('th > input[name$=".id"]')]
    const isSame =
      stored.length === begun.length && stored.every(({ name, value }) => own.get(name) === value)
    if (!isSame) return own.size === 0
    const numbers = [...own.keys()].map((name) => Number.parseInt(name.slice(prefix.length), 10))
    for (const index of new Set(numbers.filter((one) => one >= 0))) {
      if (!pivot.querySelector(`[name^="${CSS.escape(`${prefix}${index}.`)}"]`))
        addRow(pivot, index)
    }
    return true
  }

  document.addEventListener('admin:restoring', ({ detail }) => {
    for (const pivot of document.querySelectorAll('.pivot')) {
      if (!makeRows(pivot, detail.texts)) detail.without.push(`${pivot.dataset.name}.`)
    }
  })

  document.addEventListener('click', (event) => {
    const pivot = event.target.closest?.('[data-pivot-add]')?.closest('.pivot')
    if (!pivot) return
    event.preventDefault()
    const row = addRow(pivot, Number(pivot.dataset.next))
    row.querySelector('input:not([type="hidden"]), select').focus()
  })

  function begin() {
    for (const box of document.querySelectorAll('.many[data-chips]:not([data-is-ready])')) {
      new Chosen(box)
    }
  }

  document.addEventListener('htmx:after:swap', begin)
  document.addEventListener('admin:fields', begin)
  begin()
})()
