import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import { pivotTableOf, type PivotTable } from '#base/database/pivot_table'
import { dialectOf } from '#base/database/dialects'
import { inverseOf, isSameRow, type PivotChange } from '#base/database/pivot_change'
import { loggedValue, noteChangesOf, pivotRowsOf } from '../../events/pivots.js'
import { fromStored, isSameStored } from '#base/values/stored_json'
import { forbidden } from '#base/http/access_problems'
import { type KeyValue, identityOf } from '#base/columns/key'
import { pivotRelationsOf, type PivotRelation } from '#base/lucid/pivot_relation'
import type { Resource } from '../../resource/resource.js'
import type { CallOptions } from '../call_options.js'
import { visibleRelated } from '../related/attach.js'
import { unwritableFields } from './written_fields.js'
import { ROWS_PER_WRITE, chunks, KEYS_PER_CONDITION } from '#base/chunks'
import { digestOfRow, type Reversal } from '../../events/reversal.js'

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

type Row = Record<string, unknown>

/**
 * True if the pivot rows that a write changed are still as the write left them: the rows that it added exist, and no
 * other rows with the same two keys.
 */
async function arePivotsAsLeft(
  changes: readonly PivotChange[] = [],
  client: QueryClientContract
): Promise<boolean> {
  for (const { added, pair, removed, table: name } of changes) {
    const table = await pivotTableOf(client, name)
    const touched = [...added, ...removed]
    const where = Object.fromEntries(pair.map((column) => [column, valuesIn(touched, column)]))
    const names = new Set(touched.map((row) => idOf(row, pair)))
    const rows = await table.rows(client, where, { lock: true })
    const left = rows.filter((row) => names.has(idOf(row, pair)))
    const isLeft = (row: Row) => added.some((one) => isSameRow(one, row))
    if (left.length !== added.length || !left.every(isLeft)) return false
  }
  return true
}

/**
 * Restores the pivot rows that a write removed, and adds the change to the logged write of the record.
 *
 * @param isNew  true if the record itself is restored too, with all rows that were deleted with it
 * @throws Problem 403  when the actor is not allowed to see a record that would be attached again
 */
export async function restorePivotRows(
  resource: Resource,
  key: KeyValue,
  changes: readonly PivotChange[] = [],
  client: TransactionClientContract,
  options: CallOptions,
  { isNew = false } = {}
): Promise<void> {
  if (changes.length === 0) return
  for (const change of changes) {
    const table = await pivotTableOf(client, change.table)
    const relation = pivotRelationsOf(resource.model).find((one) => isOf(one, change))
    if (!isNew && relation) {
      await authorize(resource, key, relation, client, options)
      await authorizeRelated(relation, table, change, client, options)
    }
    await insertRows(table, change, client)
  }
  await note(resource, key, changes, client)
}

/** Checks that the field is still visible and writable for the actor. */
async function authorize(
  resource: Resource,
  key: KeyValue,
  { name: apiName }: PivotRelation,
  client: TransactionClientContract,
  options: CallOptions
): Promise<void> {
  if (!resource.projection) return
  const where = [resource.base.key.is(key, dialectOf(client))]
  const record = await resource.base.reader.record(client, { where })
  const fields = [{ apiName }]
  const refused =
    record && (await unwritableFields(resource, 'update', fields, record, client, options))
  if (refused && refused.length > 0) throw forbidden()
}

async function authorizeRelated(
  relation: PivotRelation,
  table: PivotTable,
  { pair: [, column], removed }: PivotChange,
  client: TransactionClientContract,
  options: CallOptions
): Promise<void> {
  const keys = new Set(removed.map((row) => table.toApi(column, fromStored(row[column]))))
  const seen = await visibleRelated(relation, [...keys], client, options, 'include')
  if (seen.size < keys.size) throw forbidden()
}

/**
 * Inserts the removed pivot rows that do not exist yet. If both records of a row were deleted, the row is logged twice,
 * once with each record.
 */
async function insertRows(
  table: PivotTable,
  { pair, removed }: PivotChange,
  client: TransactionClientContract
): Promise<void> {
  if (removed.length === 0) return
  const where = Object.fromEntries(pair.map((column) => [column, valuesIn(removed, column)]))
  const present = await table.rows(client, where)
  const missing = removed.filter((row) => !present.some((one) => isSameRow(row, one)))
  for (const rows of chunks(missing.map(valuesOf), ROWS_PER_WRITE)) {
    await client.table(table.name).multiInsert(rows as any[])
  }
}

/** Logs the revert as a separate event, which can be reverted too. */
async function note(
  resource: Resource,
  key: KeyValue,
  changes: readonly PivotChange[],
  client: TransactionClientContract
): Promise<void> {
  const where = [resource.base.key.is(key, dialectOf(client))]
  const record = await resource.base.reader.record(client, { where })
  const undone = changes.map(inverseOf)
  const ofRelations = Object.fromEntries(
    await Promise.all(
      pivotRelationsOf(resource.model).flatMap((relation) => {
        const change = undone.find((one) => isOf(relation, one))
        return change ? [changeOf(relation, change, client)] : []
      })
    )
  )
  noteChangesOf(resource.base, key, record, ofRelations, client, undone)
}

async function changeOf(relation: PivotRelation, change: PivotChange, client: QueryClientContract) {
  const [own] = relation.pair
  const [some] = [...change.added, ...change.removed]
  const { rows, table } = await pivotRowsOf(relation, fromStored(some[own]), client)
  const others = rows.filter((row) => !change.added.some((one) => isSameRow(one, row)))
  const old = loggedValue(relation, { table, rows: [...others, ...change.removed] })
  return [relation.name, { old, new: loggedValue(relation, { table, rows }) }] as const
}

function isOf({ pair, table }: PivotRelation, change: PivotChange): boolean {
  return table === change.table && pair[0] === change.pair[0] && pair[1] === change.pair[1]
}

function valuesIn(rows: readonly Row[], column: string): unknown[] {
  return [...new Set(rows.map((row) => fromStored(row[column])))]
}

function idOf(row: Row, pair: readonly string[]): string {
  return JSON.stringify(pair.map((column) => String(row[column])))
}

function valuesOf(row: Row): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, fromStored(value)]))
}

interface Left {
  key: KeyValue
  reversal: Reversal
}

/**
 * Returns the logged writes whose records have changed since the write. Locks the rows if the client is in a
 * transaction. Runs one statement per 200 records.
 */
export async function recordsChangedSince<One extends Left>(
  { base }: Resource,
  writes: readonly One[],
  client: QueryClientContract
): Promise<One[]> {
  const { key: keys, reader } = base
  const changed: One[] = []
  for (const some of chunks(writes, KEYS_PER_CONDITION)) {
    const where = keys.isAny(
      some.map(({ key }) => key),
      dialectOf(client)
    )
    const rows = await reader.rows(client, { where: [where], lock: client.isTransaction })
    const found = new Map(rows.map((row) => [identityOf(keys.ofRow(row)), row]))
    for (const one of some) {
      const row = found.get(identityOf(one.key))
      const isLeft = (row ? digestOfRow(base, row) : null) === one.reversal.left
      if (!isLeft || !(await arePivotsAsLeft(one.reversal.pivots, client))) changed.push(one)
    }
  }
  return changed
}
