import type { TableIntrospection } from '#base/database/introspection'
import { listed } from '#base/errors'
import type { Key } from '#base/columns/key'

/**
 * Reason why the records of a model are read-only: the table is a view, or no unique index guarantees that the model's
 * key identifies one row.
 */
export type ReadOnly = 'view' | 'keyless'

export function readOnlyOf(
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

/** @param ignored  options for writes, which have no effect */
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
