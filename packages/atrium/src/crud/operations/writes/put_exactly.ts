import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { dialectOf } from '#base/database/dialects'
import { fromStored, isSameStored } from '#base/values/stored_json'
import type { KeyValue } from '#base/columns/key'
import type { Resource } from '../../resource/resource.js'

type Row = Record<string, unknown>

/**
 * Restores exact stored values of an earlier state, to the last digit, where a write through the model did not: Lucid
 * writes times as whole seconds, and hooks can compute columns.
 *
 * @param wanted  values to store, by column name, as `toStored` returns them
 * @param known   current row, if it was already read
 * @returns the row, as `Dialect.select` returns it
 */
export async function putExactly(
  { base }: Resource,
  key: KeyValue,
  wanted: Row,
  client: QueryClientContract,
  known?: Row
): Promise<Row | undefined> {
  const { key: keys, reader, table } = base
  const dialect = dialectOf(client)
  const where = keys.is(key, dialect)
  const [row] = known ? [known] : await reader.rows(client, { where: [where], limit: 1 })
  if (!row) return undefined
  const names = Object.keys(wanted).filter(
    (name) => !isSameStored(row[name], fromStored(wanted[name]))
  )
  if (names.length === 0) return row
  const parts = names.map((name) => `${dialect.quote(name)} = ?`)
  const values = names.map((name) => fromStored(wanted[name]))
  await client.rawQuery(
    `update ${dialect.quote(table)} set ${parts.join(', ')} where ${where.sql}`,
    [...values, ...where.bindings] as any[]
  )
  const [exact] = await reader.rows(client, { where: [where], limit: 1 })
  return exact
}
