import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import { currentActor } from '../actor.js'
import { connectionOf } from '../database/connection_of.js'
import { invalidBody } from '../http/problems.js'
import type { CallOptions } from '../lucid_crud.js'
import type { Column } from '../resource/column.js'
import type { Resource } from '../resource/resource.js'

/* By table: another model of it could write what this one gives out. */
const KNOWN = new Map<string, Set<string>>()

/**
 * Remembers that columns of a model's table hold the names of stored files. [B17]
 */
export function noteFileColumns(model: LucidModel, columns: readonly Column[]): void {
  if (columns.length === 0) return
  const names = KNOWN.get(tableOf(model)) ?? new Set<string>()
  KNOWN.set(tableOf(model), names)
  for (const { name } of columns) names.add(name)
}

/**
 * Refuses a text for a column that holds files: whoever could write a name would be given another
 * record's file. Such a column takes what was uploaded for this very write (`options.files`), null, and
 * what it holds already. What `prepareCreate`, `prepareUpdate` and hooks make of the values is their
 * own. [B17]
 *
 * @param values  by attribute name, as the caller gave them
 * @param record  as it is stored; undefined on create
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
  const refused = columns.all.filter(({ attribute, name }) => {
    /* Lucid takes a column's name for its attribute's, too. */
    const value = values[attribute] ?? values[name]
    if (!names.has(name) || typeof value !== 'string') return false
    return !files?.has(value) && value !== record?.$original[attribute]
  })
  if (refused.length === 0) return
  throw invalidBody(
    refused.map(({ wire }) => ({
      field: wire,
      rule: 'file',
      message: `The ${wire} field must be a file`,
    }))
  )
}

function tableOf(model: LucidModel): string {
  return JSON.stringify([connectionOf(model), model.table])
}
