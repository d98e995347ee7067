/** Types that show nothing but pixels, by extension; a drawing could run scripts. [R13] */
const IMAGE_TYPES = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['avif', 'image/avif'],
])

/** Value of `accept` of the input */
export const IMAGES = [...new Set(IMAGE_TYPES.values())].join()

/** Query of the address that shows a file in its page */
export const INLINE = 'inline'

/**
 * The type of a stored image that a page may show; undefined for any other file.
 *
 * @param key  of the file, with its extension
 */
export function imageType(key: string): string | undefined {
  return IMAGE_TYPES.get(key.slice(key.lastIndexOf('.') + 1))
}

export const NO_IMAGE = 'must be an image: png, jpeg, gif, webp or avif'

/**
 * Returns true if an uploaded file is an image by its name, and by its content where that says what it is.
 */
export function isImageFile({
  clientName,
  extname,
}: {
  clientName: string
  extname?: string
}): boolean {
  return [clientName.toLowerCase(), `.${extname ?? 'png'}`].every(
    (name) => name.includes('.') && imageType(name) !== undefined
  )
}
