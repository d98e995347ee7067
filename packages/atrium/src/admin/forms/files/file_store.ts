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
import { dropThumbnail } from './thumbnails.js'

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
    await disk.putStream(placeOf(view, key), content, { contentType: 'application/octet-stream' })
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
      await disk.delete(placeOf(view, file))
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
  await disk.delete(placeOf({ name: model }, key))
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
  const place = placeOf(view, key)
  try {
    const { contentLength } = await disk.getMetaData(place)
    return { size: contentLength, stream: await disk.getStream(place) }
  } catch (error) {
    /* Drivers throw different errors for missing files, so the disk is checked. */
    if (await disk.exists(place)) throw error
    return undefined
  }
}

/** Returns true if the key refers to an existing file. */
export async function hasFile(view: ModelView, key: unknown): Promise<boolean> {
  if (!isFileKey(key)) return false
  const disk = await filesDisk()
  return await disk.exists(placeOf(view, key))
}

/** Returns the path of a file. Each model has a folder, so that keys of other models' files are not found. */
function placeOf(view: Pick<ModelView, 'name'>, key: string): string {
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
