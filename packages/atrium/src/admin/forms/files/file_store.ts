import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { extname } from 'node:path'
import type { MultipartFile } from '@adonisjs/core/bodyparser'
import logger from '@adonisjs/core/services/logger'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { HttpContext } from '@adonisjs/core/http'
import type { KeyValue } from '#base/columns/key'
import { RuntimeError } from '#crud'
import { readKey } from '../../views/record_items.js'
import type { ModelView } from '../../views/model_view.js'
import { plainText } from '../../text/plain_text.js'
import type { FormField } from '../fields/form_field.js'
import { fileColumnsOf, extensionIn, imageType, INLINE } from './file_fields.js'
import { filesDisk } from './files_disk.js'

/**
 * Record for which a file was stored, and API name of its column. The name is null if custom code chooses the column,
 * such as for a virtual field.
 */
export interface FileOwner {
  key: KeyValue
  field: string | null
}

/** Stored metadata of a file */
interface Note {
  /** Path of the record's key */
  record: string
  field: string | null
  /** Original file name; missing for files that were stored before names were recorded */
  name?: string
}

/* Separate folder, so that the folders of files contain nothing else */
const FOLDER = '.owners'

/** Maximum length of a stored file name */
const LONGEST_NAME = 255

/* Maximum number of records to read that refer to a file */
const MOST_HOLDERS = 100

/**
 * Stores the owner of a file. The file is served only for this record, even if other records contain its key. [B17]
 *
 * @param name  original file name
 */
export async function noteOwner(
  view: ModelView,
  file: string,
  { key, field }: FileOwner,
  name?: string
): Promise<void> {
  const disk = await filesDisk()
  const record = view.resource.key.toPath(key).slice(1)
  const note: Note = { record, field, name: name?.slice(0, LONGEST_NAME) }
  await disk.put(ownerPath(view, file), JSON.stringify(note))
}

/** Returns the original name of a file that was uploaded for a record; undefined if it is not known. */
async function senderNameOf(
  view: ModelView,
  file: string,
  key: KeyValue
): Promise<string | undefined> {
  try {
    const disk = await filesDisk()
    const { name, record }: Note = JSON.parse(await disk.get(ownerPath(view, file)))
    return record === view.resource.key.toPath(key).slice(1) ? name : undefined
  } catch {
    /* Without metadata, or if the disk cannot be read, the page shows a generic name. */
    return undefined
  }
}

/**
 * Returns the owner of a file. For a file that was stored before owners were recorded, it is the first record, by
 * key, that refers to the file.
 *
 * @returns undefined if no record refers to the file
 */
export async function ownerOf(view: ModelView, file: string): Promise<FileOwner | undefined> {
  const disk = await filesDisk()
  const place = ownerPath(view, file)
  let noted: string
  try {
    noted = await disk.get(place)
  } catch (error) {
    if (await disk.exists(place)) throw error
    return await firstHolder(view, file)
  }
  const { record, field }: Note = JSON.parse(noted)
  const [key] = readKey(view, record) ?? []
  return key && { key, field }
}

/** Removes the metadata of a deleted file. */
export async function forgetOwner(view: ModelView, file: string): Promise<void> {
  const disk = await filesDisk()
  await disk.delete(ownerPath(view, file))
}

/** Ignores the viewer's scope, so that the result is the same for every viewer. */
async function firstHolder(view: ModelView, file: string): Promise<FileOwner | undefined> {
  const { key, table } = view.resource
  const columns = fileColumnsOf(view.base)
  const query = view.client().from(table).limit(MOST_HOLDERS)
  for (const { name } of columns) query.orWhere(name, file)
  for (const { name } of key.columns) query.orderBy(name)
  const rows: Array<Record<string, unknown>> = await query
  for (const row of rows) {
    /* A database may compare case-insensitively. */
    const column = columns.find(({ name }) => row[name] === file)
    if (column) return { key: key.ofRow(row), field: column.apiName }
  }
  return undefined
}

function ownerPath(view: ModelView, file: string): string {
  return `${FOLDER}/${view.name}/${file}`
}

/* Format of file keys. Any other text is not a file. */
const NAME = /^[0-9a-f]{32}(\.[a-z0-9]{1,8})?$/

/**
 * An open stored file.
 */
export interface StoredFile {
  /** Size in bytes */
  size: number
  stream: Readable
}

/** Returns true if the key has the format of `storeFile`. */
export function isFileKey(key: unknown): key is string {
  return typeof key === 'string' && NAME.test(key)
}

/**
 * Stores an uploaded file under a random name with the extension of the original name. The write is atomic. [B17]
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
 * Removes a stored file unless a record still refers to it. Errors are only logged, as a file without a record can't
 * be accessed.
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

/** Removes the files of permanently deleted records. */
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
    /* Drivers throw different errors for missing files. */
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

/** Ignores the viewer's scope, as any record may refer to the file. */
async function isHeld(view: ModelView, key: string): Promise<boolean> {
  if (!view.resource.isLoaded) await view.resource.load()
  const columns = fileColumnsOf(view)
  if (columns.length === 0) return false
  const query = view.client().from(view.resource.table).limit(1)
  for (const { name } of columns) query.orWhere(name, key)
  const rows = await query
  return rows.length > 0
}

/** Returns the path of a file. Each model has a folder, so that keys of other models' files are not found. */
function placeOf(view: ModelView, key: string): string {
  return `${view.name}/${key}`
}

/** Uses the original file name, as the detected content type can differ from the extension. */
function extensionOf({ clientName }: MultipartFile): string {
  const extension = extensionIn(clientName)
  return extension === '' ? '' : `.${extension}`
}

/** Maximum length of a file name in pages */
const LONGEST_SHOWN_NAME = 80

/**
 * Returns the label of a file whose original name is unknown or would need a read per file: the label of the field
 * with the file's extension.
 *
 * @param file  key of the file
 */
export function labelOfFile(view: ModelView, apiName: string, file: string): string {
  return view.labelOf(apiName) + extname(file)
}

/**
 * Returns the original name of a file, otherwise the label of the field with the extension.
 *
 * @param file    key of the file
 * @param record  key of the shown record; the name of another record's file is not revealed
 */
export async function nameOfFile(
  view: ModelView,
  apiName: string,
  file: string,
  record: KeyValue
): Promise<string> {
  const name = await senderNameOf(view, file, record)
  return name === undefined
    ? labelOfFile(view, apiName, file)
    : plainText(name, LONGEST_SHOWN_NAME).text
}

/**
 * Returns name and URLs of the stored file of a form field; undefined if there is none to show.
 *
 * @param texts   texts of the field in the stored record
 * @param record  key of the record
 */
export async function shownFile(
  ctx: HttpContext,
  view: ModelView,
  { name, valueType, widget }: FormField,
  [key]: readonly string[] = [],
  record?: KeyValue
): Promise<{ name: string; url: string; image?: string } | undefined> {
  if (valueType !== 'file' || !isFileKey(key) || !(await view.isVisibleTo(ctx))) return undefined
  const url = view.url(`/files/${key}`)
  const isShown = widget === 'image' && imageType(key) !== undefined
  return {
    name: record ? await nameOfFile(view, name, key, record) : labelOfFile(view, name, key),
    url,
    ...(isShown && { image: `${url}?${INLINE}` }),
  }
}
