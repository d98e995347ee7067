import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { dialectOf } from '../database/dialects.js'
import { watchedClassOf, watchedResourceOf } from '../events/watched.js'
import { Write } from '../events/write.js'
import { actorWithin, addToScope, scopeOf } from '../events/write_scope.js'
import { hasTriggers } from '../lucid/direct_writes.js'
import { PlainRows, storesPlainly } from '../lucid/plain_rows.js'
import type { Resource } from '../resource/resource.js'
import { insertRowsSql } from '../sql/sql.js'
import type { CallOptions } from './call_options.js'
import { checksReferences } from './check_references.js'
import type { CrudContext } from './crud_context.js'
import { omit } from './omit.js'
import type { Attempt } from './write_transaction.js'

type Row = Record<string, unknown>

/** True if neither own code nor a rule about the single record could tell a new row from a saved record. */
export async function areStoredPlainly(
  { overrides, resource }: CrudContext,
  client: TransactionClientContract,
  options: CallOptions
): Promise<boolean> {
  const { model, policy, projection, scope } = resource
  if (policy || projection || scope) return false
  if (overrides('prepareCreate') || overrides('afterCreate')) return false
  if (client.debug || !dialectOf(client).returnsWrittenRows) return false
  const watched = watchedClassOf(model)
  if ((watched && watched !== model) || !storesPlainly(resource)) return false
  return (
    !(await hasTriggers(resource, client)) && !(await checksReferences(resource, client, options))
  )
}

/**
 * Inserts rows with the same columns by one statement, and reports them as writes.
 *
 * @returns the stored rows, as `Dialect.select` returns them
 */
export async function insertPlainRows(
  { columns, model, reader, table }: Resource,
  rows: readonly Row[],
  client: TransactionClientContract
): Promise<Row[]> {
  const dialect = dialectOf(client)
  const { sql, bindings } = insertRowsSql(dialect.quote(table), rows)
  const told = reader.listOf(columns.all, dialect)
  const stored = await dialect.selectRows(client, `${sql} returning ${told}`, bindings)
  const watched = watchedResourceOf(model)
  if (!watched) return stored
  const scope = scopeOf(client)!
  const origin = { actor: actorWithin(scope), origin: scope.origin }
  addToScope(
    scope,
    client,
    stored.map((row) => Write.ofNewRow(watched, row, client, origin))
  )
  return stored
}

/**
 * Stores a new item that is stored plainly, without an instance of its model.
 *
 * @param values  that the actor may write
 * @returns its row, as `Dialect.select` returns it; undefined for values that only Lucid or knex can write
 */
export async function createPlainly(
  resource: Resource,
  values: Row,
  client: TransactionClientContract,
  attempt: Attempt
): Promise<Row | undefined> {
  const stored = omit(values, resource.virtualFields)
  const row = new PlainRows(resource, client).rowOf(stored)
  if (!row) return undefined
  /* Only the explanation of a driver's error needs it. */
  Object.defineProperty(attempt, 'record', {
    get: () => (new resource.model() as LucidRow).merge(stored as any),
  })
  const [inserted] = await insertPlainRows(resource, [row], client)
  return inserted
}
