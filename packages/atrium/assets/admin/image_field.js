/*
 * The image that was chosen for a field, before it is sent. It is drawn instead of loaded, as the site's policy
 * allows no addresses of the browser's own.
 */
;(() => {
  const SIDE = 320

  async function draw(canvas, file) {
    const image = file && (await createImageBitmap(file).catch(() => null))
    canvas.hidden = !image
    if (!image) return
    const scale = Math.min(1, SIDE / Math.max(image.width, image.height))
    canvas.width = Math.max(1, Math.round(image.width * scale))
    canvas.height = Math.max(1, Math.round(image.height * scale))
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height)
    image.close()
  }

  document.addEventListener('change', ({ target }) => {
    const canvas =
      target.type === 'file' && document.querySelector(`[data-image-of="${CSS.escape(target.id)}"]`)
    if (canvas) void draw(canvas, target.files[0])
  })
})()
