import { test } from '@japa/runner'
import { imageType, isImageFile } from '#admin/forms/files/file_fields'

test.group('Admin | types of images', () => {
  test('[R13] only raster formats have an image type', ({ assert }) => {
    const shown = ['a.png', 'a.jpg', 'a.jpeg', 'a.gif', 'a.webp', 'a.avif']
    for (const key of shown) assert.match(imageType(key)!, /^image\/(png|jpeg|gif|webp|avif)$/)
    for (const key of ['a.svg', 'a.html', 'a.png.svg', 'a', 'a.'])
      assert.isUndefined(imageType(key))
  })

  test('[R13] an upload is an image if its name and its detected format are those of one')
    .with([
      [{ clientName: 'A.PNG', extname: 'png' }, true],
      [{ clientName: 'a.jpg', extname: undefined }, true],
      [{ clientName: 'a.png', extname: 'pdf' }, false],
      [{ clientName: 'a.svg', extname: 'png' }, false],
      [{ clientName: 'png', extname: 'png' }, false],
    ] as const)
    .run(({ assert }, [file, isImage]) => {
      assert.equal(isImageFile(file), isImage)
    })
})
