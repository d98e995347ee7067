import { isDeepStrictEqual } from 'node:util'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { dialectOf } from '#base/database/dialects'
import { UnknownKey } from '#base/errors'
import { watchedResourceOf } from '../../events/watched.js'
import { Write } from '../../events/write.js'
import { actorWithin, addToScope, scopeOf } from '../../events/write_scope.js'
import { nothingStored } from '#base/http/problems'
import type { KeyValue } from '#base/columns/key'
import type { Resource } from '../../resource/resource.js'
import type { DeletedMode } from '#base/columns/soft_delete'
import { updateSql } from '#base/sql/sql'
import type { CallOptions } from '../call_options.js'
import type { CrudContext } from '../crud_context.js'
import { identityOf } from '#base/columns/key'

type Row = Record<string, unknown>

/** Values that several items get, as rows of a model that stores them plainly. */
export interface RowChange {
  /** What the change is told from others by */
  values: Row
  /** What is written, by column name */
  row: Row
  keys: KeyValue[]
}

/**
 * Adds a change; of one with the same values as the last, only the key.
 *
 * @param rowOf  returns null if no row can be made of the values
 * @returns false if there is no row
 */
export function addChange(
  changes: RowChange[],
  key: KeyValue,
  values: Row,
  rowOf: (values: Row) => Row | null
): boolean {
  const last = changes.at(-1)
  if (last && isDeepStrictEqual(last.values, values)) {
    last.keys.push(key)
    return true
  }
  const row = rowOf(values)
  if (row) changes.push({ values, row, keys: [key] })
  return row !== null
}

/**
 * Updates the rows of items, those of a change by one statement, and reports them as writes.
 *
 * @param changes  with at most 200 keys each
 * @throws UnknownKey  for the first key without a row
 */
export async function updateRows(
  { records, resource }: CrudContext,
  changes: readonly RowChange[],
  client: TransactionClientContract,
  options: CallOptions,
  deleted: DeletedMode = 'exclude'
): Promise<void> {
  const { columns, key, reader, table } = resource
  const watched = watchedResourceOf(resource.model)
  /* The resource of an operation outside a request is another one than that of the endpoints. */
  await watched?.load(client)
  const dialect = dialectOf(client)
  const scope = scopeOf(client)!
  const by = { actor: actorWithin(scope), origin: scope.origin }
  const returning = reader.listOf(columns.all, dialect)
  const read = async (keys: readonly KeyValue[]) => {
    const wanted = { conditions: [records.among(keys)], deleted }
    const selection = { ...records.byConditions(wanted, client, options), lock: true }
    return byKey(resource, await reader.rows(client, selection))
  }
  const before = await read(changes.flatMap(({ keys }) => keys))
  for (const { keys, row } of changes) {
    const missing = keys.find((one) => !before.has(identityOf(one)))
    if (missing) throw new UnknownKey(missing)
    /* In the order of the caller, each once */
    const ids = new Set(keys.map((one) => identityOf(one)))
    const { sql, bindings } = updateSql(dialect.quote(table), row, key.isAny(keys, dialect))
    const stored = await dialect.selectRows(client, `${sql} returning ${returning}`, bindings)
    if (stored.length < ids.size) throw nothingStored()
    if (!watched) continue
    const after = byKey(resource, stored)
    const writes = Array.from(ids, (id) =>
      Write.ofRow(watched, before.get(id)!, after.get(id)!, client, by)
    )
    addToScope(
      scope,
      client,
      writes.filter((write) => !write.isRepetition)
    )
  }
}

function byKey({ key }: Resource, rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [identityOf(key.ofRow(row)), row]))
}
