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
import { attributeToWire } from '../values/to_wire.js'
import { dialectOf } from './dialects.js'
import type { Fault } from './facts.js'

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
  /* A hook may have written elsewhere: what fails there is no fault of this item's. */
  if (fault?.table !== undefined && fault.table !== resource.table) return undefined

  switch (fault?.kind) {
    case undefined:
      return undefined
    case 'unique':
      return duplicate(fault, resource, record)
    case 'foreign_key':
      return await brokenReference(resource, record, client)
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
 * SQLite does not say which reference was broken, so each one of the record is looked up. When all
 * are there, others refer to what an update was going to change.
 */
async function brokenReference(
  resource: Resource,
  record: LucidRow | undefined,
  client: QueryClientContract
): Promise<Problem> {
  if (!record) return stillReferredTo()
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
  const isNew = !record.$isPersisted
  return isNew || missing.length > 0 ? missingReference(missing) : stillReferredTo()
}
