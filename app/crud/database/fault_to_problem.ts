import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Problem } from '../http/problem.js'
import {
  alreadyRegistered,
  missingReference,
  stillReferredTo,
  storageRefused,
} from '../http/problems.js'
import type { Column } from '../resource/column.js'
import type { Resource } from '../resource/resource.js'
import { toWire } from '../values/to_wire.js'
import { dialectOf } from './dialects.js'
import type { Fault } from './facts.js'

type Values = Record<string, unknown>

/**
 * What a driver's error means to the caller: the one place where that is decided. [A8]
 *
 * @param values  what was being written, by attribute name; empty when deleting
 * @param client  a client that can still be asked, outside the failed transaction
 * @returns undefined for an error that is not about the data
 */
export async function faultToProblem(
  error: unknown,
  resource: Resource,
  values: Values,
  client: QueryClientContract
): Promise<Problem | undefined> {
  const fault = dialectOf(client).explain(error)
  switch (fault?.kind) {
    case undefined:
      return undefined
    case 'unique':
      return duplicate(fault, resource, values)
    case 'foreign_key':
      return await brokenReference(resource, values, client)
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

function columnsOf(fault: Fault, resource: Resource): Column[] {
  return resource.columns.all.filter((column) => fault.columns.includes(column.name))
}

function duplicate(fault: Fault, resource: Resource, values: Values): Problem {
  const columns = columnsOf(fault, resource)
  const written = columns.filter((column) => values[column.attribute] !== undefined)
  const mayShow = written.length > 0 && columns.every((column) => !column.hidden)
  const value = written.map((column) => toWire(column, values[column.attribute])).join(', ')
  return alreadyRegistered(
    mayShow ? value : undefined,
    columns.map((column) => column.wire)
  )
}

/**
 * SQLite does not say which reference was broken, so each one that was written is looked up.
 */
async function brokenReference(
  resource: Resource,
  values: Values,
  client: QueryClientContract
): Promise<Problem> {
  const missing: string[] = []
  let written = false
  for (const { columns: names, table, references } of resource.foreignKeys) {
    const columns = names.map((name) => resource.columns.all.find((one) => one.name === name))
    const parts = columns.map((column) => column && values[column.attribute])
    if (parts.every((part) => part === undefined)) continue
    written = true
    if (parts.some((part) => part === null || part === undefined)) continue

    const query = client.query().from(table).select(references[0]).limit(1)
    references.forEach((name, index) => query.where(name, parts[index] as string))
    const found = await query
    if (found.length === 0) missing.push(...columns.map((column) => column!.wire))
  }
  return written ? missingReference(missing) : stillReferredTo()
}
