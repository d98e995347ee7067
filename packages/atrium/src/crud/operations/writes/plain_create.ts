import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { dialectOf } from '#base/database/dialects'
import { watchedClassOf, watchedResourceOf } from '../../events/watched.js'
import { Write } from '../../events/write.js'
import { actorWithin, addToScope, scopeOf } from '../../events/write_scope.js'
import { nothingStored } from '#base/http/problems'
import { hasTriggers } from '../../lucid/direct_writes.js'
import { PlainRows, storesPlainly } from '../../lucid/plain_rows.js'
import type { Resource } from '../../resource/resource.js'
import { insertRowsSql, type Sql } from '#base/sql/sql'
import type { CallOptions } from '../call_options.js'
import { checksReferences } from './check_references.js'
import type { CrudContext } from '../crud_context.js'
import { omit } from './omit.js'
import { bareWriteFor } from './bare_write.js'
import type { Attempt } from './write_transaction.js'
import { writeProblem } from './write_problem.js'

type Row = Record<string, unknown>

/** True if application code and rules about single records cannot tell a written row from a saved record. */
export async function areStoredPlainly(
  { overrides, resource }: CrudContext,
  client: QueryClientContract,
  options: CallOptions,
  action: 'create' | 'update' = 'create'
): Promise<boolean> {
  const { model, policy, projection, scope } = resource
  if (policy || projection || scope) return false
  if (OWN_CODE[action].some((name) => overrides(name))) return false
  if (client.debug || !dialectOf(client).returnsWrittenRows) return false
  const watched = watchedClassOf(model)
  if ((watched && watched !== model) || !storesPlainly(resource, action)) return false
  return (
    !(await hasTriggers(resource, client)) && !(await checksReferences(resource, client, options))
  )
}

const OWN_CODE = {
  create: ['prepareCreate', 'afterCreate'],
  update: ['prepareUpdate', 'afterUpdate'],
} as const

/**
 * Inserts rows with the same columns by one statement, and reports them as writes.
 *
 * @returns the stored rows, as `Dialect.select` returns them
 */
export async function insertPlainRows(
  resource: Resource,
  rows: readonly Row[],
  client: TransactionClientContract
): Promise<Row[]> {
  const { sql, bindings } = insertionOf(resource, rows, client)
  const stored = await dialectOf(client).selectRows(client, sql, bindings)
  if (stored.length < rows.length) throw nothingStored()
  const watched = watchedResourceOf(resource.model)
  if (!watched) return stored
  /* The resource of an operation outside a request is another one than that of the endpoints. */
  await watched.load(client)
  const scope = scopeOf(client)!
  const origin = { actor: actorWithin(scope), origin: scope.origin }
  addToScope(
    scope,
    client,
    stored.map((row) => Write.ofRow(watched, null, row, client, origin))
  )
  return stored
}

function insertionOf(
  { columns, reader, table }: Resource,
  rows: readonly Row[],
  client: QueryClientContract
): Sql {
  const dialect = dialectOf(client)
  const { sql, bindings } = insertRowsSql(dialect.quote(table), rows)
  return { sql: `${sql} returning ${reader.listOf(columns.all, dialect)}`, bindings }
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
  Object.defineProperty(attempt, 'record', { get: () => recordOf(resource, stored) })
  const [inserted] = await insertPlainRows(resource, [row], client)
  return inserted
}

/**
 * The same without a transaction of Lucid's: by one statement, or with the statements that record it.
 *
 * @returns undefined also if the write needs a transaction of Lucid's
 * @throws Problem 409 or 422
 */
export async function createBarely(
  context: CrudContext,
  values: Row,
  client: QueryClientContract,
  options: CallOptions
): Promise<Row | undefined> {
  const { resource } = context
  const write = bareWriteFor(context, client, options)
  if (!write || !(await areStoredPlainly(context, client, options))) return undefined
  const stored = omit(values, resource.virtualFields)
  const row = new PlainRows(resource, client).rowOf(stored)
  if (!row) return undefined
  try {
    return await write.create(insertionOf(resource, [row], client))
  } catch (error) {
    const record = recordOf(resource, stored)
    throw (await writeProblem(error, context, record, client, options)) ?? error
  }
}

function recordOf({ model }: Resource, values: Row): LucidRow {
  return (new model() as LucidRow).merge(values as any)
}
