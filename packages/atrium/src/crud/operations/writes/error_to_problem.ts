import string from '@adonisjs/core/helpers/string'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { neededFieldsWithheld } from '#base/http/access_problems'
import {
  alreadyRegistered,
  isReadOnly,
  missingReference,
  nothingStored,
  refusedByDatabase,
  stillReferredTo,
  storageRefused,
} from '#base/http/problems'
import type { Column } from '#base/columns/column'
import type { Resource } from '../../resource/resource.js'
import { attributeToApi } from '#base/values/to_api'
import { dialectOf } from '#base/database/dialects'
import type { DatabaseError } from '#base/database/introspection'
import type { Problem } from '#base/errors'

/**
 * Converts a driver's error to the problem for the caller. Only this function makes that decision.
 *
 * @param record  the record that was being written; undefined for a deletion
 * @param client  a client that still accepts queries, outside the failed transaction
 * @returns undefined for an error that is not caused by the data
 */
export async function errorToProblem(
  error: unknown,
  resource: Resource,
  record: LucidRow | undefined,
  client: QueryClientContract
): Promise<Problem | undefined> {
  const invalid = dialectOf(client).explain(error)
  if (invalid?.kind === 'raised') return refusedByDatabase(invalid.message ?? '')
  if (invalid?.kind === 'foreign_key')
    return await brokenReference(invalid, resource, record, client)
  /* A hook may have written to another table; an error there does not concern this item. */
  if (invalid?.table !== undefined && invalid.table !== resource.table) return undefined

  switch (invalid?.kind) {
    case undefined:
      return undefined
    case 'unique':
      return duplicate(invalid, resource, record)
    case 'view':
      return isReadOnly('view')
    case 'nothing_stored':
      return nothingStored()
    default: {
      const withheld = withheldOf(invalid!, resource, record)
      if (withheld.length > 0) return neededFieldsWithheld(withheld)
      return storageRefused(
        columnsOf(invalid!, resource).map((column) => ({
          field: column.apiName,
          rule: invalid!.kind,
          message: RULES[invalid!.kind as keyof typeof RULES](column.apiName),
        }))
      )
    }
  }
}

/**
 * Returns the names of required columns that are missing in a new record because the caller is not allowed to set them.
 */
function withheldOf(
  error: DatabaseError,
  resource: Resource,
  record: LucidRow | undefined
): string[] {
  const { projection } = resource
  if (!projection || !record || record.$isPersisted || error.kind !== 'not_null') return []
  return columnsNamed(error, resource)
    .map(({ apiName }) => apiName)
    .filter((name) => projection.writing('create', name) === 'none')
}

const RULES = {
  not_null: (field: string) => `The ${field} field must not be null`,
  check: (field: string) => `The ${field} field has a value that is not allowed`,
  range: (field: string) => `The ${field} field has a value out of range`,
}

function columnsOf(error: DatabaseError, resource: Resource): Column[] {
  return columnsNamed(error, resource).filter((column) => !resource.conceals(column))
}

function columnsNamed({ columns, constraint }: DatabaseError, resource: Resource): Column[] {
  const names = [...columns, ...(resource.constraints.get(constraint ?? '') ?? [])]
  return resource.columns.all.filter(({ name }) => names.includes(name))
}

/**
 * Returns the problem for a duplicate value. For a constraint on several columns, the response names only visible
 * fields.
 */
function duplicate(
  error: DatabaseError,
  resource: Resource,
  record: LucidRow | undefined
): Problem {
  const columns = columnsOf(error, resource)
  const shown = columns.filter(
    (column) =>
      resource.fields.includes(column) && record?.$attributes[column.attribute] !== undefined
  )
  const value = shown.map((column) => attributeToApi(column, record!)).join(', ')
  return alreadyRegistered(
    shown.length > 0 ? value : undefined,
    columns.map((column) => column.apiName)
  )
}

/**
 * Returns the problem for a reference to a missing record, or for a record that others refer to. Application code can
 * have broken the reference in another table, usually a pivot table. All references of the item are looked up, because
 * SQLite does not name the broken one. If all referenced records exist, other records refer to the value that an update
 * would change.
 */
async function brokenReference(
  error: DatabaseError,
  resource: Resource,
  record: LucidRow | undefined,
  client: QueryClientContract
): Promise<Problem> {
  const isElsewhere = error.table !== undefined && error.table !== resource.table
  const direction = error.reference ?? (isElsewhere ? await directionOf(error, client) : undefined)
  if (direction === 'used') return stillReferredTo()
  if (isElsewhere) return missingReference(fieldsOfPivot(resource, error.table!))
  if (!record) return direction ? missingReference([]) : stillReferredTo()

  const missing = await missingOf(record, resource, client)
  if (missing.length > 0) {
    const shown = missing.filter((column) => !resource.conceals(column))
    return missingReference(shown.map(({ apiName }) => apiName))
  }
  if (!direction && record.$isPersisted) return stillReferredTo()
  return missingReference(columnsOf(error, resource).map(({ apiName }) => apiName))
}

/**
 * Returns the cause of a broken reference after an update of another table: an update that sets no reference has
 * changed a referenced value.
 */
async function directionOf({ table, columns }: DatabaseError, client: QueryClientContract) {
  const introspection = await dialectOf(client).readTable(client, table!)
  const referring = introspection?.foreignKeys.flatMap((key) => key.columns) ?? []
  return columns.length > 0 && !columns.some((name) => referring.includes(name))
    ? 'used'
    : 'missing'
}

/**
 * Returns the virtual fields that usually write a relation through the table: `tags`, `tag_ids` or `tagIds`; without
 * such a field, the name of the relation.
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

/** Returns the columns of the item that refer to missing records. */
async function missingOf(
  record: LucidRow,
  resource: Resource,
  client: QueryClientContract
): Promise<Column[]> {
  const missing: Column[] = []
  for (const { columns: names, table, references } of resource.foreignKeys) {
    const columns = names.map((name) => resource.columns.all.find((one) => one.name === name))
    const parts = columns.map((column) => column && record.$attributes[column.attribute])
    if (parts.some((part) => part === null || part === undefined)) continue

    const query = client.query().from(table).select(references[0]).limit(1)
    references.forEach((name, index) => query.where(name, parts[index] as string))
    const found = await query
    if (found.length === 0) missing.push(...columns.map((column) => column!))
  }
  return missing
}
