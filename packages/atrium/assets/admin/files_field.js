/*
 * Lists of files, and single files of rows: each file is uploaded as soon as it is chosen or dropped, with its own progress and error, and files
 * are moved and removed without the server. Without this file the form sends them, with numbers for the order and boxes
 * that remove.
 */
;(() => {
  const SPACE = 'http://www.w3.org/2000/svg'
  const ICONS = {
    up: 'm6 14 6-6 6 6',
    down: 'm6 10 6 6 6-6',
    remove: 'm7 7 10 10M17 7 7 17',
    handle: 'M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01',
  }
  /* Files that are uploaded at a time, of all lists of the page; the others wait. */
  const MOST_AT_ONCE = 3
  let waiting = []
  let sending = 0
  const SIDE = 96

  function make(name, properties, ...children) {
    const element = Object.assign(document.createElement(name), properties)
    element.append(...children)
    return element
  }

  function icon(kind) {
    const svg = document.createElementNS(SPACE, 'svg')
    const path = document.createElementNS(SPACE, 'path')
    svg.setAttribute('class', 'icon')
    svg.setAttribute('viewBox', '0 0 24 24')
    svg.setAttribute('aria-hidden', 'true')
    path.setAttribute('d', ICONS[kind])
    svg.append(path)
    return svg
  }

  const sizeOf = (bytes) =>
    bytes < 1024 * 1024
      ? `${Math.max(1, Math.round(bytes / 1024))} KB`
      : `${(bytes / 1024 / 1024).toFixed(1)} MB`

  /* The browser's policy allows no addresses of its own, so the image is drawn. */
  async function draw(place, file) {
    const image = await createImageBitmap(file).catch(() => null)
    if (!image) return
    const canvas = make('canvas', { width: SIDE, height: SIDE })
    const scale = Math.max(SIDE / image.width, SIDE / image.height)
    const [width, height] = [image.width * scale, image.height * scale]
    canvas.getContext('2d').drawImage(image, (SIDE - width) / 2, (SIDE - height) / 2, width, height)
    image.close()
    place.replaceChildren(canvas)
  }

  class FileList {
    #box
    #list
    #input
    #texts
    #names
    #required
    #isOne
    #submitter = null

    constructor(box) {
      this.#box = box
      this.#list = box.querySelector('.files-list')
      this.#input = box.querySelector('input[type="file"]')
      this.#texts = JSON.parse(box.dataset.texts)
      this.#names = JSON.parse(box.dataset.names)
      this.#required = this.#input.required
      this.#isOne = box.dataset.one !== undefined
      box.dataset.ready = ''
      for (const item of this.#items()) this.#enhance(item)
      this.#input.addEventListener('change', () => this.#take([...this.#input.files]))
      this.#takeDrops(box.querySelector('.files-drop'))
      this.#takeMoves()
      this.#number()
      box.addEventListener('admin:files', ({ detail }) => this.#take(detail))
      this.#input.form.addEventListener('submit', (event) => this.#wait(event), true)
      this.#input.form.addEventListener('admin:restored', () => this.#number())
    }

    #items() {
      return [...this.#list.children]
    }

    #say(key, data) {
      this.#box.querySelector(':scope > [role="status"]').textContent = this.#text(key, data)
    }

    #text(key, data = {}) {
      return this.#texts[key].replace(/\{(\w+)\}/g, (whole, name) => data[name] ?? whole)
    }

    #changed() {
      this.#list.dispatchEvent(new Event('input', { bubbles: true }))
    }

    /* ---------- One file ---------- */

    #enhance(item) {
      if (!this.#isOne) {
        const handle = make('span', { className: 'files-handle' }, icon('handle'))
        handle.setAttribute('aria-hidden', 'true')
        item.prepend(handle)
      }
      const kinds = this.#isOne ? ['remove'] : ['up', 'down', 'remove']
      const buttons = kinds.map((kind) => {
        const button = make('button', { type: 'button', className: 'files-button' }, icon(kind))
        button.dataset.does = kind
        button.addEventListener('click', () => this.#do(item, kind))
        return button
      })
      item.append(make('span', { className: 'files-buttons' }, ...buttons))
    }

    #add(file) {
      const { name } = file
      const type = /\.([^.]{1,8})$/.exec(name)?.[1] ?? ''
      const label = make('bdi', { className: 'files-name', textContent: name, title: name })
      const state = make('span', { className: 'files-state', textContent: sizeOf(file.size) })
      const preview = make(
        'span',
        { className: 'files-preview' },
        make('span', { className: 'files-type', textContent: type })
      )
      const item = make(
        'li',
        { className: 'files-item' },
        preview,
        make('span', { className: 'files-about' }, label, state)
      )
      this.#enhance(item)
      this.#list.append(item)
      if (file.type.startsWith('image/')) void draw(preview, file)
      return item
    }

    #nameOf = (item) => item.querySelector('.files-name').textContent.trim()
    #removal = (item) => item.querySelector('.files-remove input')

    #do(item, kind) {
      if (kind === 'remove') this.#remove(item)
      else this.#move(item, kind)
    }

    #remove(item) {
      const box = this.#removal(item)
      const name = this.#nameOf(item)
      if (box) {
        box.checked = !box.checked
        this.#say(box.checked ? 'removed' : 'kept', { name })
      } else {
        item.upload?.abort()
        waiting = waiting.filter((one) => one.item !== item)
        const next = item.nextElementSibling ?? item.previousElementSibling
        item.remove()
        ;(next?.querySelector('[data-does="remove"]') ?? this.#input).focus()
        this.#say('dropped', { name })
      }
      this.#number()
      this.#changed()
    }

    #move(item, kind) {
      const other = kind === 'up' ? item.previousElementSibling : item.nextElementSibling
      if (kind === 'up') other?.before(item)
      else other?.after(item)
      this.#moved(item)
      const buttons = [kind, kind === 'up' ? 'down' : 'up'].map((does) =>
        item.querySelector(`[data-does="${does}"]`)
      )
      buttons.find((button) => !button.disabled)?.focus()
    }

    #moved(item) {
      this.#number()
      this.#say('moved', { name: this.#nameOf(item), place: this.#items().indexOf(item) + 1 })
      this.#changed()
    }

    /* Numbers, labels of the buttons, and whether a file has to be chosen */
    #number() {
      const items = this.#items()
      for (const [index, item] of items.entries()) {
        const name = this.#nameOf(item)
        const place = item.querySelector('.files-place input')
        if (place) place.value = index + 1
        for (const button of item.querySelectorAll('[data-does]')) {
          const { does } = button.dataset
          if (does === 'up') button.disabled = index === 0
          if (does === 'down') button.disabled = index === items.length - 1
          button.setAttribute('aria-label', this.#text(does, { name }))
          button.title = button.getAttribute('aria-label')
          if (does === 'remove') this.#showRemoval(button, item)
        }
      }
      this.#input.required = this.#required && this.#count() === 0
    }

    #showRemoval(button, item) {
      const isRemoved = this.#removal(item)?.checked === true
      button.toggleAttribute('data-text', isRemoved)
      if (isRemoved) {
        button.replaceChildren(this.#texts.keep)
        button.setAttribute('aria-label', `${this.#texts.keep}, ${this.#nameOf(item)}`)
      } else button.replaceChildren(icon('remove'))
    }

    #count() {
      return this.#items().filter(
        (item) => !this.#removal(item)?.checked && !('failed' in item.dataset)
      ).length
    }

    /* ---------- Order by dragging ---------- */

    #takeMoves() {
      let dragged = null
      let isMoved = false
      this.#list.addEventListener('pointerdown', (event) => {
        const handle = event.target.closest('.files-handle')
        if (!handle || event.button !== 0) return
        event.preventDefault()
        dragged = handle.parentElement
        isMoved = false
        handle.setPointerCapture(event.pointerId)
        dragged.classList.add('is-dragged')
      })
      this.#list.addEventListener('pointermove', ({ clientY }) => {
        if (!dragged) return
        for (const other of this.#items()) {
          const { top, bottom } = other.getBoundingClientRect()
          if (other === dragged || clientY < top || clientY > bottom) continue
          if (clientY < (top + bottom) / 2) other.before(dragged)
          else other.after(dragged)
          isMoved = true
          return
        }
      })
      for (const end of ['pointerup', 'pointercancel']) {
        this.#list.addEventListener(end, () => {
          const item = dragged
          dragged = null
          item?.classList.remove('is-dragged')
          if (item && isMoved) this.#moved(item)
        })
      }
    }

    /* ---------- New files ---------- */

    #takeDrops(zone) {
      const hasFiles = (event) => event.dataTransfer?.types.includes('Files')
      for (const type of ['dragenter', 'dragover']) {
        this.#box.addEventListener(type, (event) => {
          if (!hasFiles(event)) return
          event.preventDefault()
          zone.dataset.over = ''
        })
      }
      this.#box.addEventListener('dragleave', ({ relatedTarget }) => {
        if (!this.#box.contains(relatedTarget)) delete zone.dataset.over
      })
      this.#box.addEventListener('drop', (event) => {
        delete zone.dataset.over
        if (!hasFiles(event)) return
        const files = [...event.dataTransfer.files]
        /* Several files on the row of one become rows. */
        if (this.#isOne && files.length > 1) return
        event.preventDefault()
        this.#take(files)
      })
    }

    /* Each file is on its own: one that is refused does not affect the others. */
    #take(files) {
      this.#input.value = ''
      if (this.#isOne) this.#makeRoom()
      const { mostBytes = Infinity, mostFiles } = this.#input.dataset
      for (const file of files) {
        const isTooMany = this.#count() >= Number(mostFiles)
        const item = this.#add(file)
        if (isTooMany) this.#fail(item, this.#text('tooMany', { most: mostFiles }))
        else if (file.size > Number(mostBytes)) {
          this.#fail(item, this.#text('tooLarge', { most: sizeOf(Number(mostBytes)) }))
        } else waiting.push({ list: this, item, file })
      }
      this.#number()
      this.#changed()
      sendNext()
    }

    /* A new file replaces the one of a row. */
    #makeRoom() {
      for (const item of this.#items()) {
        const box = this.#removal(item)
        item.upload?.abort()
        waiting = waiting.filter((one) => one.item !== item)
        if (box) box.checked = true
        else item.remove()
      }
    }

    #isBusy() {
      return waiting.some(({ list }) => list === this) || this.#box.querySelector('progress')
    }

    #submit() {
      if (this.#isBusy() || !this.#submitter) return
      const { form, button } = this.#submitter
      this.#submitter = null
      if (!this.#items().some((item) => 'failed' in item.dataset)) form.requestSubmit(button)
    }

    send({ item, file }) {
      const state = item.querySelector('.files-state')
      const progress = make('progress', { max: 1, value: 0 })
      progress.setAttribute('aria-label', `${this.#texts.sending} ${file.name}`)
      state.replaceWith(progress)
      const body = new FormData()
      body.set('file', file)
      const request = new XMLHttpRequest()
      item.upload = request
      sending++
      request.upload.addEventListener('progress', ({ loaded, total }) => {
        progress.value = loaded / total
      })
      request.addEventListener('loadend', () => {
        sending--
        progress.replaceWith(state)
        this.#finish(item, file, request)
        this.#number()
        sendNext()
        this.#submit()
      })
      request.open('POST', this.#box.dataset.upload)
      request.setRequestHeader('accept', 'application/json')
      request.responseType = 'json'
      request.send(body)
    }

    #finish(item, file, { response, status }) {
      if (status === 201) {
        item.append(make('input', { type: 'hidden', name: this.#names.file, value: response.key }))
        const place = make('input', { type: 'number', name: this.#names.place })
        if (!this.#isOne) item.append(make('label', { className: 'files-place' }, place))
        this.#say('stored', { name: file.name })
        return
      }
      if (!item.isConnected) return
      this.#fail(item, response?.message ?? this.#texts.failed)
      if (status !== 422) this.#offerAgain(item, file)
    }

    #fail(item, message) {
      item.dataset.failed = ''
      const state = item.querySelector('.files-state')
      state.setAttribute('role', 'alert')
      state.textContent = message
    }

    #offerAgain(item, file) {
      const again = make('button', {
        type: 'button',
        className: 'files-button',
        textContent: this.#texts.retry,
      })
      again.dataset.text = ''
      item.querySelector('.files-buttons').prepend(again)
      again.addEventListener('click', () => {
        again.remove()
        delete item.dataset.failed
        waiting.push({ list: this, item, file })
        sendNext()
      })
    }

    /* ---------- The form ---------- */

    /* A form that is sent while files are uploaded is sent afterwards. */
    #wait(event) {
      if (!this.#isBusy()) return
      event.preventDefault()
      event.stopImmediatePropagation()
      this.#submitter = { form: event.target, button: event.submitter }
      this.#say('wait')
    }
  }

  function sendNext() {
    while (sending < MOST_AT_ONCE && waiting.length > 0) {
      const next = waiting.shift()
      next.list.send(next)
    }
  }

  function enhanceAll() {
    for (const box of document.querySelectorAll('[data-files]:not([data-ready])')) new FileList(box)
  }

  document.addEventListener('htmx:after:swap', enhanceAll)
  document.addEventListener('admin:fields', enhanceAll)
  enhanceAll()
})()
