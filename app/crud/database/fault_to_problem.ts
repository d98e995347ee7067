import string from '@adonisjs/core/helpers/string'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Problem } from '../http/problem.js'
import {
  alreadyRegistered,
  missingReference,
  stillReferredTo,
  storageRefused,
} from '../http/problems.js'
import type { Column } from '../resource/column.js'
import type { Resource } from '../resource/resource.js'
import { attributeToWire } from '../values/to_api.js'
import { dialectOf } from './dialects.js'
import type { Fault } from './introspection.js'

/**
 * What a driver's error means to the caller: the one place where that is decided. [A8]
 *
 * @param record  what was being written; undefined when deleting
 * @param client  a client that can still be asked, outside the failed transaction
 * @returns undefined for an error that is not about the data
 */
export async function faultToProblem(
  error: unknown,
  resource: Resource,
  record: LucidRow | undefined,
  client: QueryClientContract
): Promise<Problem | undefined> {
  const fault = dialectOf(client).explain(error)
  if (fault?.kind === 'foreign_key') return await brokenReference(fault, resource, record, client)
  /* A hook may have written elsewhere: what fails there is no fault of this item's. */
  if (fault?.table !== undefined && fault.table !== resource.table) return undefined

  switch (fault?.kind) {
    case undefined:
      return undefined
    case 'unique':
      return duplicate(fault, resource, record)
    default:
      return storageRefused(
        columnsOf(fault!, resource).map((column) => ({
          field: column.wire,
          rule: fault!.kind,
          message: RULES[fault!.kind as keyof typeof RULES](column.wire),
        }))
      )
  }
}

const RULES = {
  not_null: (field: string) => `The ${field} field must not be null`,
  check: (field: string) => `The ${field} field has a value that is not allowed`,
  range: (field: string) => `The ${field} field has a value out of range`,
}

function columnsOf({ columns, constraint }: Fault, resource: Resource): Column[] {
  const names = [...columns, ...(resource.constraints.get(constraint ?? '') ?? [])]
  return resource.columns.all.filter((column) => names.includes(column.name))
}

/**
 * Of a constraint over several columns, the answer repeats only those that answers show.
 */
function duplicate(fault: Fault, resource: Resource, record: LucidRow | undefined): Problem {
  const columns = columnsOf(fault, resource)
  const shown = columns.filter(
    (column) =>
      resource.fields.includes(column) && record?.$attributes[column.attribute] !== undefined
  )
  const value = shown.map((column) => attributeToWire(column, record!)).join(', ')
  return alreadyRegistered(
    shown.length > 0 ? value : undefined,
    columns.map((column) => column.wire)
  )
}

/**
 * A reference that points nowhere, or one that still points here. Own code may have broken it in another
 * table, a pivot above all; of the item's own, each one is looked up, as SQLite does not say which it
 * was. When all are there, others refer to what an update was going to change.
 */
async function brokenReference(
  fault: Fault,
  resource: Resource,
  record: LucidRow | undefined,
  client: QueryClientContract
): Promise<Problem> {
  const isElsewhere = fault.table !== undefined && fault.table !== resource.table
  const direction = fault.reference ?? (isElsewhere ? await directionOf(fault, client) : undefined)
  if (direction === 'used') return stillReferredTo()
  if (isElsewhere) return missingReference(fieldsOfPivot(resource, fault.table!))
  if (!record) return direction ? missingReference([]) : stillReferredTo()

  const missing = await missingOf(record, resource, client)
  if (missing.length > 0) return missingReference(missing)
  if (!direction && record.$isPersisted) return stillReferredTo()
  return missingReference(columnsOf(fault, resource).map(({ wire }) => wire))
}

/** Of an update elsewhere: what sets no reference has changed what is referred to. */
async function directionOf({ table, columns }: Fault, client: QueryClientContract) {
  const facts = await dialectOf(client).readTable(client, table!)
  const referring = facts?.foreignKeys.flatMap((key) => key.columns) ?? []
  return columns.length > 0 && !columns.some((name) => referring.includes(name))
    ? 'used'
    : 'missing'
}

/**
 * The virtual field that a relation over the table is written by, as it is usually called: `tags`,
 * `tag_ids` or `tagIds`; otherwise the relation.
 */
function fieldsOfPivot({ model, virtualFields }: Resource, table: string): string[] {
  for (const [name, relation] of model.$relationsDefinitions) {
    if (relation.type !== 'manyToMany') continue
    relation.boot()
    if (relation.pivotTable !== table) continue
    const one = string.singular(name)
    const usual = [
      name,
      relation.serializeAs,
      `${one}_ids`,
      `${one}Ids`,
      `${string.snakeCase(one)}_ids`,
    ]
    return [virtualFields.find((field) => usual.includes(field)) ?? name]
  }
  return []
}

/** The item's references that point nowhere, by the fields' names on the wire. */
async function missingOf(
  record: LucidRow,
  resource: Resource,
  client: QueryClientContract
): Promise<string[]> {
  const missing: string[] = []
  for (const { columns: names, table, references } of resource.foreignKeys) {
    const columns = names.map((name) => resource.columns.all.find((one) => one.name === name))
    const parts = columns.map((column) => column && record.$attributes[column.attribute])
    if (parts.some((part) => part === null || part === undefined)) continue

    const query = client.query().from(table).select(references[0]).limit(1)
    references.forEach((name, index) => query.where(name, parts[index] as string))
    const found = await query
    if (found.length === 0) missing.push(...columns.map((column) => column!.wire))
  }
  return missing
}
