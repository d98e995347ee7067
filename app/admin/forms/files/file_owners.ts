import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import app from '@adonisjs/core/services/app'
import type { KeyValue } from '#crud/resource/key'
import { readKey } from '../../events/pages/record_places.js'
import type { ModelView } from '../../model_view.js'
import { fileColumnsOf } from './file_columns.js'

/**
 * The record that a file was stored for, and the wire name of the column that holds it: null where code
 * of one's own chooses the column, as for a virtual field.
 */
export interface FileOwner {
  key: KeyValue
  field: string | null
}

/* Apart from the files, so that a folder of files has nothing else in it. */
const FOLDER = '.owners'

/* Of one file, more records than that can only be a mistake. */
const MOST_HOLDERS = 100

/**
 * Notes which record a file was stored for. It is given out for no other, whatever that one holds. [B17]
 */
export async function noteOwner(view: ModelView, file: string, owner: FileOwner): Promise<void> {
  const path = pathOf(view, file)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const record = view.resource.key.toPath(owner.key).slice(1)
  await writeFile(path, JSON.stringify({ record, field: owner.field }), { mode: 0o600 })
}

/**
 * The record that a file belongs to. Of files that were stored before owners were noted, that is the
 * first of the records that hold it, by their keys.
 *
 * @returns undefined if it is nobody's
 */
export async function ownerOf(view: ModelView, file: string): Promise<FileOwner | undefined> {
  let noted: string
  try {
    noted = await readFile(pathOf(view, file), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return await firstHolder(view, file)
  }
  const { record, field } = JSON.parse(noted) as { record: string; field: string | null }
  const [key] = readKey(view, record) ?? []
  return key && { key, field }
}

/**
 * Forgets whose a file was, as it is gone.
 */
export async function forgetOwner(view: ModelView, file: string): Promise<void> {
  await rm(pathOf(view, file), { force: true })
}

/** Whoever may see it, so that nobody's own record comes first for them alone. */
async function firstHolder(view: ModelView, file: string): Promise<FileOwner | undefined> {
  const { key, table } = view.resource
  const columns = fileColumnsOf(view)
  const query = view.client().from(table).limit(MOST_HOLDERS)
  for (const { name } of columns) query.orWhere(name, file)
  for (const { name } of key.columns) query.orderBy(name)
  const rows: Array<Record<string, unknown>> = await query
  for (const row of rows) {
    /* A database may find what is not the same. */
    const column = columns.find(({ name }) => row[name] === file)
    if (column) return { key: key.ofRow(row), field: column.wire }
  }
  return undefined
}

function pathOf(view: ModelView, file: string): string {
  return join(app.config.get<string>('admin.storageDirectory'), FOLDER, view.name, file)
}
