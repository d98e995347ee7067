import logger from '@adonisjs/core/services/logger'
import pLimit from 'p-limit'
import type { ModelView } from '../../views/model_view.js'
import { filesDisk } from './files_disk.js'

/* Folder of thumbnails, next to the folders with the files of models; no model can have this name */
const FOLDER = '.thumbnails'

/* Maximum width and height in pixels: twice the largest size at which pages show a thumbnail, for dense screens */
const SIDE = 320

/* Maximum number of pixels to decode; a small file can describe a huge image. */
const MOST_PIXELS = 100_000_000

/** Content type of thumbnails */
export const THUMBNAIL_TYPE = 'image/webp'

/** A function that returns a small WebP of an image, and throws for a damaged image. */
export type ScaleImage = (image: Uint8Array) => Promise<Uint8Array>

/* One image at a time, as decoding takes memory and all processors */
const oneAtATime = pLimit(1)

const inWork = new Map<string, Promise<Uint8Array | null>>()

let scaler: Promise<ScaleImage | null> | undefined

/**
 * Sets another function that makes thumbnails.
 *
 * @param scale  null for none; undefined for `sharp`, if it is installed
 */
export function useImageScaler(scale?: ScaleImage | null): void {
  scaler = scale === undefined ? undefined : Promise.resolve(scale)
}

/**
 * Returns the thumbnail of an image. The thumbnail is made once and stored.
 *
 * @param key  key of a stored image
 * @returns null if `sharp` is not installed or cannot read the image
 */
export async function thumbnailOf(view: ModelView, key: string): Promise<Uint8Array | null> {
  const scale = await (scaler ??= sharpScaler())
  if (!scale) return null
  const place = placeOf(view, key)
  const known = inWork.get(place)
  if (known) return await known
  const made = storedOrMade(view, key, scale).finally(() => inWork.delete(place))
  inWork.set(place, made)
  return await made
}

/** Removes the thumbnail of a deleted file. */
export async function dropThumbnail(view: ModelView, key: string): Promise<void> {
  const disk = await filesDisk()
  const place = placeOf(view, key)
  if (await disk.exists(place)) await disk.delete(place)
}

async function storedOrMade(view: ModelView, key: string, scale: ScaleImage) {
  const disk = await filesDisk()
  const place = placeOf(view, key)
  const stored = (await disk.exists(place)) ? await disk.getBytes(place) : undefined
  const image = stored ?? (await oneAtATime(() => make(view, key, scale)))
  if (!stored) await disk.put(place, image, { contentType: THUMBNAIL_TYPE })
  return image.length > 0 ? image : null
}

/** Makes a thumbnail. It is empty for an image that can't be read, so that the image is not tried again. */
async function make(view: ModelView, key: string, scale: ScaleImage): Promise<Uint8Array> {
  const disk = await filesDisk()
  const image = await disk.getBytes(`${view.name}/${key}`)
  try {
    return await scale(image)
  } catch (error) {
    logger.info({ err: error }, `An image of ${view.name} has no thumbnail, as it can't be read`)
    return new Uint8Array()
  }
}

function placeOf(view: ModelView, key: string): string {
  return `${FOLDER}/${view.name}/${key}.webp`
}

/** The part of `sharp` that is used; the package is optional. */
interface Sharp {
  rotate(): Sharp
  resize(options: object): Sharp
  webp(options: object): Sharp
  toBuffer(): Promise<Buffer>
}

async function sharpScaler(): Promise<ScaleImage | null> {
  const name = 'sharp'
  let sharp: (image: Uint8Array, options: object) => Sharp
  try {
    const module = await import(name)
    sharp = module.default
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') {
      logger.error({ err: error }, 'Thumbnails are not made, as sharp could not be loaded')
    }
    return null
  }
  const size = { width: SIDE, height: SIDE, fit: 'inside', withoutEnlargement: true }
  return async (image) =>
    await sharp(image, { limitInputPixels: MOST_PIXELS, failOn: 'error' })
      .rotate()
      .resize(size)
      .webp({ quality: 75 })
      .toBuffer()
}
