import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, copyFile, mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { MultipartFile } from '@adonisjs/core/bodyparser'
import app from '@adonisjs/core/services/app'
import logger from '@adonisjs/core/services/logger'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { RuntimeError } from '#crud'
import type { ModelView } from '../../model_view.js'
import { fileColumnsOf } from './file_columns.js'
import { forgetOwner } from './file_owners.js'

/* The one form that a name of ours has. Whatever else comes out of a path or a column is no file. */
const NAME = /^[0-9a-f]{32}(\.[a-z0-9]{1,8})?$/

/**
 * A stored file, opened.
 */
export interface StoredFile {
  /** Bytes */
  size: number
  stream: Readable
}

/**
 * Whether it is a name that `storeFile` gives, so that there may be a file.
 */
export function isFileKey(key: unknown): key is string {
  return typeof key === 'string' && NAME.test(key)
}

/**
 * Keeps an uploaded file, under a name that nobody can guess and nothing of which is the sender's but
 * a harmless extension. It appears whole or not at all. [B17]
 *
 * @param file  validated, and not stored before
 * @returns the key, for the file's column
 * @throws RuntimeError  when the file was not read to the disk
 */
export async function storeFile(view: ModelView, file: MultipartFile): Promise<string> {
  if (!file.tmpPath) {
    throw new RuntimeError(`${view.name}: the file of ${file.fieldName} is not on the disk`)
  }
  const key = randomBytes(16).toString('hex') + extensionOf(file)
  const path = pathOf(view, key)
  await mkdir(folderOf(view), { recursive: true, mode: 0o700 })
  await chmod(file.tmpPath, 0o600)
  try {
    await rename(file.tmpPath, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    await copyWhole(file.tmpPath, path)
  }
  return key
}

/**
 * Removes a stored file, if there is one and no record holds it any more. What can't be removed is no
 * reason to fail for whoever asked: it is logged, and nobody can reach it without a record.
 */
export async function dropFile(view: ModelView, key: unknown): Promise<void> {
  if (!isFileKey(key)) return
  try {
    if (await isHeld(view, key)) return
    await rm(pathOf(view, key), { force: true })
    await forgetOwner(view, key)
  } catch (error) {
    logger.error({ err: error }, `A file of ${view.name} could not be removed`)
  }
}

/**
 * Removes the files of records that were deleted for good.
 */
export async function dropFilesOf(view: ModelView, records: readonly LucidRow[]): Promise<void> {
  const columns = fileColumnsOf(view)
  for (const record of records) {
    const attributes = record as unknown as Record<string, unknown>
    for (const { attribute } of columns) await dropFile(view, attributes[attribute])
  }
}

/**
 * Opens a stored file. The caller reads the stream to its end, or destroys it.
 *
 * @returns undefined if there is none
 */
export async function openFile(view: ModelView, key: string): Promise<StoredFile | undefined> {
  if (!isFileKey(key)) return undefined
  let handle
  try {
    /* A link in the folder was not made by us, and could lead anywhere. */
    handle = await open(pathOf(view, key), constants.O_RDONLY | constants.O_NOFOLLOW)
  } catch (error) {
    if (['ENOENT', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
  const stats = await handle.stat()
  if (stats.isFile()) return { size: stats.size, stream: handle.createReadStream() }
  await handle.close()
  return undefined
}

/** By anybody's record, whoever asks: another may have been given the key. */
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
 * Each model has a folder of its own: a key of another's file names nothing here.
 */
function folderOf(view: ModelView): string {
  return join(app.config.get<string>('admin.storageDirectory'), view.name)
}

function pathOf(view: ModelView, key: string): string {
  return join(folderOf(view), key)
}

/** From what the sender called it, as the type that its bytes may show says nothing of the name. */
function extensionOf({ clientName }: MultipartFile): string {
  const [, extension = ''] = /[^.]\.([a-z0-9]{1,8})$/.exec(clientName.toLowerCase()) ?? []
  return extension === '' ? '' : `.${extension}`
}

/** From another disk a file comes piece by piece; under its own name it must be there at once. */
async function copyWhole(from: string, to: string): Promise<void> {
  const part = `${to}.part`
  try {
    await copyFile(from, part)
    await rename(part, to)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}
