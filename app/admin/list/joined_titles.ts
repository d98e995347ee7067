import { LucidCrud } from '#crud'
import { dialectOf } from '#crud/database/dialects'
import type { Fields } from '#crud/request/fields'
import type { Beside } from '#crud/sql/reader'
import type { Column } from '#crud/resource/column'
import { wireForm } from '#crud/values/to_api'
import type { ModelView } from '../model_view.js'
import type { Reference } from '../relations/references.js'

type Row = Record<string, unknown>

/**
 * What the records that a column refers to are called, read with the list's own records: another query
 * could only begin when they are there.
 */
export interface JoinedTitles {
  /** What is read beside each record */
  beside: readonly Beside[]
  /** What is found in it; undefined where there is no such record */
  titleIn(row: Row): string | undefined
}

/**
 * @param fields  what is read of the list's own records
 * @param name    unlike that of any other one of the list
 * @returns null where it takes more than the row of the other record to know what it is called, or
 *   whether one may see it
 */
export function joinedTitles(
  view: ModelView,
  { column, target, view: other }: Reference,
  fields: Fields,
  name: string
): JoinedTitles | null {
  if (!view.resource.isLoaded || !other.resource.isLoaded) return null
  const title = other.resource.fields.find((one) => one === other.titleColumn)
  const read = { columns: title ? [title] : [], computed: new Map() }
  const isKey = target.isPrimary && !other.resource.key.isComposite
  const areIntegers = column.kind === 'integer' && target.kind === 'integer'
  const isTogether = view.client().connectionName === other.client().connectionName
  const isPlain = readsPlainly(view, fields) && readsPlainly(other, read) && isOpen(other)
  if (!isKey || !areIntegers || !isTogether || !isPlain) return null

  const dialect = dialectOf(view.client())
  const beside = (one: Column, as: string): Beside => {
    const tied = `${dialect.nameOf(name, target)} = ${dialect.nameOf(view.resource.table, column)}`
    const from = `${dialect.quote(other.resource.table)} as ${dialect.quote(name)}`
    const sql = `(select ${dialect.select(name, one)} from ${from} where ${tied})`
    return { as, sql: `${sql} as ${dialect.quote(as)}` }
  }
  const key = `${name}_key`
  return {
    beside: [beside(target, key), ...(title ? [beside(title, name)] : [])],
    titleIn(row) {
      if (row[key] === null) return undefined
      const value = row[name] ?? null
      const item = title ? { [title.wire]: value === null ? null : wireForm(title)(value) } : {}
      return other.titleOf(item, [wireForm(target)(row[key])])
    },
  }
}

function readsPlainly({ crud, resource }: ModelView, fields: Fields): boolean {
  const isOwn = crud.getMulti !== LucidCrud.prototype.getMulti
  return !isOwn && !resource.scope && resource.reader.readsPlainly(fields)
}

/** Whether all records may be seen by whoever sees any, and are called what a column says. */
function isOpen({ options, resource }: ModelView): boolean {
  return !resource.policy && typeof options.title !== 'function'
}
