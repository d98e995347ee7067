import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import { currentActor } from '#base/actor'
import { connectionNameOf } from '#base/database/with_connection'
import { invalidBody } from '#base/http/problems'
import { fileKeysIn } from '#base/values/file_keys'
import { ERRORS } from '#base/values/to_attribute'
import type { CallOptions } from '../call_options.js'
import type { Column } from '#base/columns/column'
import type { Resource } from '../../resource/resource.js'

/*
 * Columns with names of files, by table: another model of the same table could write the file names that this model
 * serves.
 */
const KNOWN = new Map<string, Set<string>>()

/** Marks columns of a model's table as columns that contain names of stored files. */
export function noteFileColumns(model: LucidModel, columns: readonly Column[]): void {
  if (columns.length === 0) return
  const names = KNOWN.get(tableOf(model)) ?? new Set<string>()
  KNOWN.set(tableOf(model), names)
  for (const { name } of columns) names.add(name)
}

/** True for a column with names of stored files, which a request without an upload can't set. */
export function holdsFiles(model: LucidModel, { name }: Column): boolean {
  return KNOWN.get(tableOf(model))?.has(name) === true
}

/**
 * Refuses names of files for a file column: a caller who could write a file name would get access to the file of
 * another record. A file column accepts files that were uploaded for this write (`options.files`), null, and the files
 * that it holds, each once. Values set by `prepareCreate`, `prepareUpdate` and hooks are not checked.
 *
 * @param values  by attribute name, as the caller sent them
 * @param record  the stored record; undefined on create
 * @throws Problem 422
 */
export function checkFiles(
  { columns, model }: Resource,
  values: Record<string, unknown>,
  record: LucidRow | undefined,
  { actor = currentActor(), files }: CallOptions
): void {
  const names = KNOWN.get(tableOf(model))
  if (!names || actor.kind === 'system') return
  const refused = columns.all.filter((column) => {
    const { attribute, name } = column
    /* Lucid also accepts the column name in place of the attribute name. */
    const value = values[attribute] ?? values[name]
    return names.has(name) && !isAllowed(column, value, record?.$original[attribute], files)
  })
  if (refused.length === 0) return
  throw invalidBody(
    refused.map(({ apiName, kind }) => {
      const { rule, message } = kind === 'json' ? ERRORS.files : ERRORS.file
      return { field: apiName, rule, message: `The ${apiName} field ${message}` }
    })
  )
}

/** True if a value holds only files that the column has or that were uploaded for this write. */
function isAllowed(
  column: Column,
  value: unknown,
  stored: unknown,
  files: ReadonlySet<string> | undefined
): boolean {
  /* Any other value of a text column names no file. */
  if (column.kind !== 'json' && typeof value !== 'string') return true
  const keys = fileKeysIn(column, value)
  if (keys === null) return false
  const known = new Set(fileKeysIn(column, stored))
  const isKnown = keys.every((key) => known.has(key) || files?.has(key))
  return isKnown && new Set(keys).size === keys.length
}

/** True if the values include a file column, whose current file then has to be checked. */
export function writesFiles(
  { columns, model }: Resource,
  values: Record<string, unknown>
): boolean {
  const names = KNOWN.get(tableOf(model))
  if (!names) return false
  return columns.all.some(
    ({ attribute, name }) => names.has(name) && (attribute in values || name in values)
  )
}

function tableOf(model: LucidModel): string {
  return JSON.stringify([connectionNameOf(model), model.table])
}
