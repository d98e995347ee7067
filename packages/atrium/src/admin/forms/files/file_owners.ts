import type { Column } from '#base/columns/column'
import type { KeyValue } from '#base/columns/key'
import { chunks } from '#base/chunks'
import { fileKeysIn } from '#base/values/file_keys'
import { readKey } from '../../views/record_items.js'
import type { ModelView } from '../../views/model_view.js'
import { fileColumnsOf } from './file_fields.js'
import { filesDisk } from './files_disk.js'

/**
 * Record for which a file was stored, and API name of its column. The name is null if custom code chooses the column,
 * such as for a virtual field.
 */
interface FileOwner {
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

/* Folder of the metadata; separate, so that the models' folders contain only files */
const FOLDER = '.owners'

/** Maximum length of a stored file name */
export const LONGEST_NAME = 255

/* Maximum number of records to read in a search for files */
const MOST_HOLDERS = 100

/* Maximum number of files to search for in one query */
const MOST_KEYS = 50

type Row = Record<string, unknown>

/**
 * Stores the record that a file belongs to. The file is served only to users who can see this record, even if other
 * records contain its key.
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

/**
 * Returns the original name of a file that was uploaded for a record; undefined if it is not known or the file belongs
 * to another record.
 */
export async function senderNameOf(
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

/** Returns true if the owner of a file of a model was stored. */
export async function isOwned(model: string, file: string): Promise<boolean> {
  const disk = await filesDisk()
  return await disk.exists(ownerPath({ name: model }, file))
}

/** Removes the metadata of a deleted file. */
export async function forgetOwner(view: ModelView, file: string): Promise<void> {
  const disk = await filesDisk()
  await disk.delete(ownerPath(view, file))
}

/**
 * Returns the first record, by key, that refers to a file; undefined if there is none. Ignores the viewer's scope, so
 * that the result is the same for every viewer.
 */
async function firstHolder(view: ModelView, file: string): Promise<FileOwner | undefined> {
  const { key } = view.resource
  const columns = fileColumnsOf(view.base)
  const query = holders(view, columns, [file]).limit(MOST_HOLDERS)
  for (const { name } of key.columns) query.orderBy(name)
  const rows: Row[] = await query
  for (const row of rows) {
    /* Checked again, because the database may compare case-insensitively. */
    const column = columns.find((one) => filesIn(one, row[one.name]).includes(file))
    if (column) return { key: key.ofRow(row), field: column.apiName }
  }
  return undefined
}

/**
 * Returns those files that any record refers to. Ignores the viewer's scope.
 *
 * @param files  keys of files
 */
export async function heldAmong(view: ModelView, files: readonly string[]): Promise<Set<string>> {
  if (!view.resource.isLoaded) await view.resource.load()
  const columns = fileColumnsOf(view)
  const held = new Set<string>()
  if (columns.length === 0) return held
  for (const some of chunks(files, MOST_KEYS)) {
    const names = columns.map(({ name }) => name)
    const rows: Row[] = await holders(view, columns, some)
      .select(names)
      .limit(MOST_HOLDERS + 1)
    /*
     * If more records match than are read, all of these files count as referred to, as an unread record may refer to
     * any of them.
     */
    const found =
      rows.length > MOST_HOLDERS
        ? some
        : rows.flatMap((row) => columns.flatMap((one) => filesIn(one, row[one.name])))
    for (const file of found) held.add(file)
  }
  return held
}

/** Returns a query for the records that refer to one of the files. */
function holders(view: ModelView, columns: readonly Column[], files: readonly string[]) {
  const client = view.client()
  const query = client.from(view.resource.table)
  const asText = `cast(?? as ${client.dialect.name === 'mysql' ? 'char' : 'text'}) like ?`
  for (const { kind, name } of columns) {
    if (kind !== 'json') query.orWhereIn(name, [...files])
    /* A key has no character with a special meaning in JSON or in the pattern. */
    else for (const file of files) query.orWhereRaw(asText, [name, `%"${file}"%`])
  }
  return query
}

/** Returns the keys of files in a value of a column. */
export function filesIn(column: Column, value: unknown): string[] {
  return (fileKeysIn(column, value) ?? []).filter(isFileKey)
}

/* Format of file keys. Any other text is not a file. */
const NAME = /^[0-9a-f]{32}(\.[a-z0-9]{1,8})?$/

/** Returns true if the key has the format of `storeFile`. */
export function isFileKey(key: unknown): key is string {
  return typeof key === 'string' && NAME.test(key)
}

function ownerPath(view: Pick<ModelView, 'name'>, file: string): string {
  return `${FOLDER}/${view.name}/${file}`
}
