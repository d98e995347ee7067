import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { MultipartFile } from '@adonisjs/core/bodyparser'
import logger from '@adonisjs/core/services/logger'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { RuntimeError } from '#crud'
import type { ModelView } from '../../views/model_view.js'
import { fileColumnsOf, extensionIn } from './file_fields.js'
import { filesIn, forgetOwner, heldAmong, isFileKey, isOwned } from './file_owners.js'
import { filesDisk } from './files_disk.js'
import pLimit from 'p-limit'

/** An open stored file. */
export interface StoredFile {
  /** Size in bytes */
  size: number
  stream: Readable
}

/**
 * Stores an uploaded file under a random name with the extension of the original name. The write is atomic.
 *
 * @param file  validated file that is not stored yet
 * @returns key for the file's column
 * @throws RuntimeError  if the body parser did not write the file to the disk
 */
export async function storeFile(view: ModelView, file: MultipartFile): Promise<string> {
  if (!file.tmpPath) {
    throw new RuntimeError(`${view.name}: the file of ${file.fieldName} is not on the disk`)
  }
  const key = randomBytes(16).toString('hex') + extensionOf(file)
  const disk = await filesDisk()
  const content = createReadStream(file.tmpPath)
  try {
    await disk.putStream(pathOf(view, key), content, { contentType: 'application/octet-stream' })
  } finally {
    content.destroy()
  }
  await rm(file.tmpPath, { force: true })
  return key
}

/**
 * Removes stored files, except those that a record still refers to. Errors are only logged, as a file without a record
 * can't be accessed.
 *
 * @param keys  keys of files; other values are ignored
 */
export async function dropFiles(view: ModelView, keys: readonly unknown[]): Promise<void> {
  const files = keys.filter(isFileKey)
  if (files.length === 0) return
  try {
    const held = await heldAmong(view.base, files)
    const disk = await filesDisk()
    for (const file of files) {
      if (held.has(file)) continue
      await disk.delete(pathOf(view, file))
      await forgetOwner(view, file)
      await dropThumbnail(view, file)
    }
  } catch (error) {
    logger.error({ err: error }, `A file of ${view.name} could not be removed`)
  }
}

/**
 * Removes a stored file of a model that is no longer in the site, unless it has an owner: the records of the model
 * cannot be searched.
 */
export async function dropFileOfRemoved(model: string, key: string): Promise<void> {
  if (!isFileKey(key) || (await isOwned(model, key))) return
  const disk = await filesDisk()
  await disk.delete(pathOf({ name: model }, key))
}

/** Removes the files of permanently deleted records. */
export async function dropFilesOf(view: ModelView, records: readonly LucidRow[]): Promise<void> {
  await dropFiles(
    view,
    records.flatMap((record) => filesOf(view.base, record))
  )
}

/** Returns the keys of all files of a record. */
function filesOf(view: ModelView, record: LucidRow): string[] {
  const attributes = record as unknown as Record<string, unknown>
  return fileColumnsOf(view).flatMap((column) => filesIn(column, attributes[column.attribute]))
}

/**
 * Opens a stored file. The caller must read the stream to its end or destroy it.
 *
 * @returns undefined if the file does not exist
 */
export async function openFile(view: ModelView, key: string): Promise<StoredFile | undefined> {
  if (!isFileKey(key)) return undefined
  const disk = await filesDisk()
  const path = pathOf(view, key)
  try {
    const { contentLength } = await disk.getMetaData(path)
    return { size: contentLength, stream: await disk.getStream(path) }
  } catch (error) {
    /* Drivers throw different errors for missing files, so the disk is checked. */
    if (await disk.exists(path)) throw error
    return undefined
  }
}

/** Returns true if the key refers to an existing file. */
export async function hasFile(view: ModelView, key: unknown): Promise<boolean> {
  if (!isFileKey(key)) return false
  const disk = await filesDisk()
  return await disk.exists(pathOf(view, key))
}

/** Returns the path of a file. Each model has a folder, so that keys of other models' files are not found. */
function pathOf(view: Pick<ModelView, 'name'>, key: string): string {
  return `${view.name}/${key}`
}

/**
 * Returns the extension of the original file name with its dot, as the detected content type can differ from it; empty
 * without an extension.
 */
function extensionOf({ clientName }: MultipartFile): string {
  const extension = extensionIn(clientName)
  return extension === '' ? '' : `.${extension}`
}

/* Folder of thumbnails, next to the folders with the files of models; no model can have this name */
const FOLDER = '.thumbnails'

/* Maximum width and height in pixels: twice the largest size at which pages show a thumbnail, for dense screens */
const SIDE = 320

/* Maximum number of pixels to decode; a small file can describe a huge image. */
const MOST_PIXELS = 100_000_000

/** Content type of thumbnails */
export const THUMBNAIL_TYPE = 'image/webp'

/** A function that returns a small WebP of an image, and throws for a damaged image. */
type ScaleImage = (image: Uint8Array) => Promise<Uint8Array>

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
  const path = thumbnailPath(view, key)
  const known = inWork.get(path)
  if (known) return await known
  const made = storedOrMade(view, key, scale).finally(() => inWork.delete(path))
  inWork.set(path, made)
  return await made
}

/** Removes the thumbnail of a deleted file. */
async function dropThumbnail(view: ModelView, key: string): Promise<void> {
  const disk = await filesDisk()
  const path = thumbnailPath(view, key)
  if (await disk.exists(path)) await disk.delete(path)
}

async function storedOrMade(view: ModelView, key: string, scale: ScaleImage) {
  const disk = await filesDisk()
  const path = thumbnailPath(view, key)
  const stored = (await disk.exists(path)) ? await disk.getBytes(path) : undefined
  const image = stored ?? (await oneAtATime(() => make(view, key, scale)))
  if (!stored) await disk.put(path, image, { contentType: THUMBNAIL_TYPE })
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

function thumbnailPath(view: ModelView, key: string): string {
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
