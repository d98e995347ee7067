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
 * Record for which a file was stored, and API name of its column: null if custom code chooses the
 * column, as for a virtual field.
 */
export interface FileOwner {
  key: KeyValue
  field: string | null
}

/** What is noted of a file */
interface Note {
  /** Path of the record's key */
  record: string
  field: string | null
  /** As the sender named it; missing for files from before names were noted */
  name?: string
}

/* Separate from the files, so that their directory contains nothing else. */
const FOLDER = '.owners'

/** Characters of a sender's file name that are stored */
const LONGEST_NAME = 255

/* No file is legitimately referenced by more records. */
const MOST_HOLDERS = 100

/**
 * Stores the owner of a file. The file is served for this record only, whatever other records
 * contain. [B17]
 *
 * @param name  as the sender named it
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

/**
 * The name that a file had when it was uploaded for a record; undefined if it is not known.
 */
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
    /* Without a note, or while the disk cannot be read, the page shows another name. */
    return undefined
  }
}

/**
 * Owner of a file. For a file that was stored before owners were recorded, it is the first record,
 * by key, that refers to it.
 *
 * @returns undefined if no record does
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

/**
 * Removes the owner of a deleted file.
 */
export async function forgetOwner(view: ModelView, file: string): Promise<void> {
  const disk = await filesDisk()
  await disk.delete(ownerPath(view, file))
}

/** Ignores the viewer's scope, so that the first record is the same for every viewer. */
async function firstHolder(view: ModelView, file: string): Promise<FileOwner | undefined> {
  const { key, table } = view.resource
  const columns = fileColumnsOf(view.base)
  const query = view.client().from(table).limit(MOST_HOLDERS)
  for (const { name } of columns) query.orWhere(name, file)
  for (const { name } of key.columns) query.orderBy(name)
  const rows: Array<Record<string, unknown>> = await query
  for (const row of rows) {
    /* A database may compare names inexactly. */
    const column = columns.find(({ name }) => row[name] === file)
    if (column) return { key: key.ofRow(row), field: column.apiName }
  }
  return undefined
}

function ownerPath(view: ModelView, file: string): string {
  return `${FOLDER}/${view.name}/${file}`
}

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
 * is stored. The write is atomic. [B17]
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

/** Characters of a file's name that are shown */
const LONGEST_SHOWN_NAME = 80

/**
 * What a stored file is called where its original name is not known or would take a read for each file: the label
 * of its field with the file's extension.
 *
 * @param file  its key
 */
export function labelOfFile(view: ModelView, apiName: string, file: string): string {
  return view.labelOf(apiName) + extname(file)
}

/**
 * The name that a file had when it was uploaded, else the label of its field with the extension.
 *
 * @param file    its key
 * @param record  key of the record that is shown: another one's file keeps its name to itself
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
 * The stored file of a form's field: its name and addresses; undefined where there is none to show.
 *
 * @param texts   of the stored record
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
