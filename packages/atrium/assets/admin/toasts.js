/*
 * Messages as toasts: several stack, each can be closed, and one without an action closes automatically.
 * Without this file the message of the previous page is part of the page. Other scripts show theirs by the event
 * `admin:tell`, whose detail is the message's element.
 */
;(() => {
  const LASTS = 8000
  const MOST = 4

  const region = () => document.getElementById('flash')
  const toastOf = (element) => element.closest?.('#flash .toast')

  function remove(toast) {
    clearTimeout(timers.get(toast))
    toast.remove()
  }

  const timers = new WeakMap()

  /* Read at leisure: the time begins anew after the pointer or the focus was on it. */
  function wait(toast) {
    clearTimeout(timers.get(toast))
    const isLasting = toast.querySelector('.flash-action, [data-kind="error"]')
    if (!isLasting)
      timers.set(
        toast,
        setTimeout(() => end(toast), LASTS)
      )
  }

  function end(toast) {
    if (document.hidden || toast.matches(':hover, :focus-within')) wait(toast)
    else remove(toast)
  }

  function add(toast) {
    const isError = toast.querySelector('[data-kind="error"]')
    const close = region().querySelector('template').content.cloneNode(true)
    if (!toast.querySelector('.toast-close')) toast.append(close)
    if (isError) region().prepend(toast)
    else region().querySelector('.toasts').append(toast)
    wait(toast)
    const earlier = [...region().querySelectorAll('.toasts .toast')].slice(0, -MOST)
    for (const one of earlier) remove(one)
  }

  /* Screen readers announce content that is inserted into the region a moment after other changes. */
  document.addEventListener('admin:tell', ({ detail: message }) => {
    if (!region()) return
    const toast = document.createElement('div')
    toast.className = 'toast'
    if (message.dataset.kind === 'error') toast.setAttribute('role', 'alert')
    toast.append(message, ...message.querySelectorAll(':scope > .flash-action, .flash-undo'))
    setTimeout(() => {
      for (const fault of region().querySelectorAll('[data-kind="error"]')) remove(toastOf(fault))
      add(toast)
    }, 100)
  })

  for (const event of ['pointerout', 'focusout']) {
    document.addEventListener(event, ({ target }) => {
      const toast = toastOf(target)
      if (toast && timers.has(toast)) wait(toast)
    })
  }

  document.addEventListener('click', ({ target }) => {
    if (target.closest?.('.toast-close')) remove(toastOf(target))
  })

  /* The initial content of a live region is not announced: the message itself comes anew, as it may have a link. */
  document.addEventListener('DOMContentLoaded', () => {
    for (const toast of region()?.querySelectorAll('.toast') ?? []) {
      setTimeout(() => {
        const again = toast.cloneNode(true)
        toast.remove()
        add(again)
      }, 100)
    }
  })
})()
