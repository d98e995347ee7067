import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { MultipartFile } from '@adonisjs/core/bodyparser'
import logger from '@adonisjs/core/services/logger'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { RuntimeError } from '#crud'
import type { ModelView } from '../../model_view.js'
import { extensionIn } from './file_types.js'
import { fileColumnsOf } from './file_columns.js'
import { filesDisk } from './files_disk.js'
import { forgetOwner } from './file_owners.js'

/* Format of the site's own file keys. Any other text of a path or column is not a file. */
const NAME = /^[0-9a-f]{32}(\.[a-z0-9]{1,8})?$/

/**
 * An open stored file.
 */
export interface StoredFile {
  /** Size in bytes */
  size: number
  stream: Readable
}

/**
 * Returns true if the key has the format of `storeFile`, so that a file may exist.
 */
export function isFileKey(key: unknown): key is string {
  return typeof key === 'string' && NAME.test(key)
}

/**
 * Stores an uploaded file under a random name; only a harmless extension of the sender's file name
 * is kept. The write is atomic. [B17]
 *
 * @param file  validated, and not stored before
 * @returns the key for the file's column
 * @throws RuntimeError  when the body parser did not write the file to the disk
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
 * Removes a stored file that no record refers to any more. A failure is only logged: without a
 * record, the file is unreachable anyway.
 */
export async function dropFile(view: ModelView, key: unknown): Promise<void> {
  if (!isFileKey(key)) return
  try {
    if (await isHeld(view, key)) return
    const disk = await filesDisk()
    await disk.delete(placeOf(view, key))
    await forgetOwner(view, key)
  } catch (error) {
    logger.error({ err: error }, `A file of ${view.name} could not be removed`)
  }
}

/**
 * Removes the files of purged records.
 */
export async function dropFilesOf(view: ModelView, records: readonly LucidRow[]): Promise<void> {
  const columns = fileColumnsOf(view.base)
  for (const record of records) {
    const attributes = record as unknown as Record<string, unknown>
    for (const { attribute } of columns) await dropFile(view, attributes[attribute])
  }
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
    /* Each disk has errors of its own for what is not there. */
    if (await disk.exists(place)) throw error
    return undefined
  }
}

/**
 * Returns true if the column's value names a file that is there.
 */
export async function hasFile(view: ModelView, key: unknown): Promise<boolean> {
  if (!isFileKey(key)) return false
  const disk = await filesDisk()
  return await disk.exists(placeOf(view, key))
}

/** Ignores the viewer's scope: any record may refer to the file. */
async function isHeld(view: ModelView, key: string): Promise<boolean> {
  if (!view.resource.isLoaded) await view.resource.load()
  const columns = fileColumnsOf(view)
  if (columns.length === 0) return false
  const query = view.client().from(view.resource.table).limit(1)
  for (const { name } of columns) query.orWhere(name, key)
  const rows = await query
  return rows.length > 0
}

/**
 * Each model has its own directory, so that a key of another model's file names nothing here.
 */
function placeOf(view: ModelView, key: string): string {
  return `${view.name}/${key}`
}

/** Taken from the sender's file name, as the detected type of the content says nothing about it. */
function extensionOf({ clientName }: MultipartFile): string {
  const extension = extensionIn(clientName)
  return extension === '' ? '' : `.${extension}`
}
