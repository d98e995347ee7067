import { LucidCrud } from '#crud'
import { dialectOf } from '#base/database/dialects'
import type { Fields } from '#base/columns/fields'
import type { ExtraColumn } from '#base/sql/sql'
import type { Column } from '#base/columns/column'
import { serializerOf } from '#base/values/to_api'
import type { ModelView } from '../model_view.js'
import type { Reference } from '../relations/references.js'
import type { ShownCell } from './cell.js'

type Row = Record<string, unknown>

/**
 * Titles of referenced records, read together with the list's own records: a separate query could
 * only start after them. In one run of 2,000 requests each in alternation, a list page took 3.77 ms
 * of processor time instead of 4.24 ms, which is 11 % less.
 */
export interface JoinedTitles {
  /** Columns to read with each record */
  extras: readonly ExtraColumn[]
  /** Title in a row; undefined if there is no such record */
  titleIn(row: Row): string | undefined
}

/**
 * @param fields  fields that are read of the list's own records
 * @param name    unique among the joins of the list
 * @returns null if the title or its visibility depends on more than the row of the referenced
 *   record
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
  const isPlain =
    readsPlainly(view, fields) && readsPlainly(other, read) && isWhole(other) && isOpen(other)
  if (!isKey || !areIntegers || !isTogether || !isPlain) return null

  const dialect = dialectOf(view.client())
  const extras = (one: Column, as: string): ExtraColumn => {
    const tied = `${dialect.nameOf(name, target)} = ${dialect.nameOf(view.resource.table, column)}`
    const from = `${dialect.quote(other.resource.table)} as ${dialect.quote(name)}`
    const sql = `(select ${dialect.select(name, one)} from ${from} where ${tied})`
    return { as, sql: `${sql} as ${dialect.quote(as)}` }
  }
  const key = `${name}_key`
  return {
    extras: [extras(target, key), ...(title ? [extras(title, name)] : [])],
    titleIn(row) {
      if (row[key] === null) return undefined
      const value = row[name] ?? null
      const item = title
        ? { [title.apiName]: value === null ? null : serializerOf(title)(value) }
        : {}
      return other.titleOf(item, [serializerOf(target)(row[key])])
    },
  }
}

function readsPlainly({ crud, resource }: ModelView, fields: Fields): boolean {
  const isOwn = crud.getMulti !== LucidCrud.prototype.getMulti
  return !isOwn && resource.reader.readsPlainly(fields)
}

/** Returns true if the viewer may see all rows of the table. */
function isWhole({ resource }: ModelView): boolean {
  return !resource.scope && resource.mixedColumns.size === 0
}

/**
 * Returns true if every viewer of the model may see all its records, and their title is a column.
 */
function isOpen({ options, resource }: ModelView): boolean {
  return !resource.policy && typeof options.title !== 'function'
}

/* Signs that are at a number without a space: `$5`, `80%` */
const CLOSE = /^[^\p{L}\p{N}]*$/u

const UNBREAKING = '\u00a0'

/**
 * The cell of a column with the column's `prefix` and `suffix` around its value, as in the box of its input; one
 * that a widget shows has units of its own.
 *
 * @param name  API name
 */
export function withUnits(view: ModelView, name: string, cell: ShownCell): ShownCell {
  const { prefix, suffix } = view.fieldOptions(name)
  const isPlain = cell.kind === 'number' || cell.kind === 'text'
  const { markup, href, whole } = cell
  if (!isPlain || (markup ?? href ?? whole) !== undefined || !(prefix || suffix)) return cell
  const before = prefix ? prefix + spaceAt(prefix) : ''
  const after = suffix ? spaceAt(suffix) + suffix : ''
  return { ...cell, text: before + cell.text + after }
}

function spaceAt(unit: string): string {
  return CLOSE.test(unit) ? '' : UNBREAKING
}
