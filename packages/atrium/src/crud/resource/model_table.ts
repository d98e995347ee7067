import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { ColumnSet } from '#base/columns/column_set'
import type { Key } from '#base/columns/key'
import { dialectOf } from '#base/database/dialects'
import type { ForeignKey, TableIntrospection } from '#base/database/introspection'
import { listed, RuntimeError } from '#base/errors'

/**
 * Reason why the records of a model are read-only: the table is a view, or no unique index guarantees that the model's
 * key identifies one row.
 */
export type ReadOnly = 'view' | 'keyless'

function readOnlyOf(
  { key }: { key: Key },
  { isView, wholeKeys }: TableIntrospection
): ReadOnly | null {
  if (isView) return 'view'
  const names = key.columns.map(({ name }) => name)
  const isUnique = wholeKeys.some(
    (unique) => unique.length > 0 && unique.every((name) => names.includes(name))
  )
  return isUnique ? null : 'keyless'
}

/**
 * Returns a text for the log: that the records of a model can only be read, and why.
 *
 * @param ignored  options for writes, which have no effect
 */
export function readOnlyNote(
  {
    name,
    table,
    key,
    readOnly,
  }: { name: string; table: string; key: Key; readOnly: ReadOnly | null },
  ignored: readonly string[]
): string {
  const columns = listed(key.columns.map((column) => column.name))
  const reason =
    readOnly === 'view'
      ? `${table} is a view`
      : `the table ${table} has no unique index over ${columns}, the key of the model`
  const rest = ignored.length > 0 ? `; without effect in its @Crud: ${listed(ignored)}` : ''
  return `${name}: ${reason}, so its records can only be read${rest}`
}

/** Properties of a model's table in the database, except its columns. */
export interface ModelTable {
  readonly foreignKeys: readonly ForeignKey[]
  /** Column names of each unique index, including partial indexes */
  readonly uniqueKeys: readonly string[][]
  /** Column names of those unique indexes and primary keys that apply to all rows */
  readonly wholeKeys: readonly string[][]
  /** Columns by constraint name, for databases whose errors name only the constraint */
  readonly constraints: ReadonlyMap<string, readonly string[]>
  /** Reason why records cannot be written; null if they can be written */
  readonly readOnly: ReadOnly | null
}

/** Value until the table is read */
export const UNKNOWN_TABLE: ModelTable = {
  foreignKeys: [],
  uniqueKeys: [],
  wholeKeys: [],
  constraints: new Map(),
  readOnly: null,
}

/**
 * Reads a model's table, and sets the types of its columns.
 *
 * @param introspection  result if it was already read; null for a missing table
 * @throws RuntimeError  when the table or a column is missing
 */
export async function readModelTable(
  { name, table, columns, key }: { name: string; table: string; columns: ColumnSet; key: Key },
  client: QueryClientContract,
  introspection: TableIntrospection | null | undefined
): Promise<ModelTable> {
  const dialect = dialectOf(client)
  const known = introspection === undefined ? await dialect.readTable(client, table) : introspection
  if (!known) {
    throw new RuntimeError(
      `${name}: the table ${table} does not exist on the connection "${client.connectionName}". Create it with: node ace migrate`
    )
  }
  const missing = columns.all.filter((column) => !known.columns.has(column.name))
  if (missing.length > 0) {
    throw new RuntimeError(
      `${name}: the table ${table} has no column ${listed(missing.map((column) => column.name))}; it has ${listed(known.columns.keys())}. Pending migrations run with: node ace migrate`
    )
  }
  columns.all.forEach((column) => column.introspected(known.columns.get(column.name)!))
  if (introspection === undefined) {
    await dialect.sampleForms?.(client, [{ table, columns: columns.all }])
  }
  const { foreignKeys, uniqueKeys, wholeKeys, constraints = new Map() } = known
  const readOnly = readOnlyOf({ key }, known)
  return { foreignKeys, uniqueKeys, wholeKeys, constraints, readOnly }
}
