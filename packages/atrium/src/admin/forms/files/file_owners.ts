import type { KeyValue } from '#base/columns/key'
import { readKey } from '../../events/pages/record_places.js'
import type { ModelView } from '../../model_view.js'
import { fileColumnsOf } from './file_columns.js'
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
  await disk.put(placeOf(view, file), JSON.stringify(note))
}

/**
 * The name that a file had when it was uploaded for a record; undefined if it is not known.
 */
export async function senderNameOf(
  view: ModelView,
  file: string,
  key: KeyValue
): Promise<string | undefined> {
  try {
    const disk = await filesDisk()
    const { name, record }: Note = JSON.parse(await disk.get(placeOf(view, file)))
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
  const place = placeOf(view, file)
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
  await disk.delete(placeOf(view, file))
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

function placeOf(view: ModelView, file: string): string {
  return `${FOLDER}/${view.name}/${file}`
}
