import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { ambientActor, ANONYMOUS, refuseReadOnlyToken } from '#base/actor'
import { identityOf, type KeyValue } from '#base/columns/key'
import type { DeletedMode } from '#base/columns/soft_delete'
import { dialectOf } from '#base/database/dialects'
import { inDriverTransaction, type RunSql } from '#base/database/shared_transaction'
import { UnknownKey } from '#base/errors'
import { itemNotFound, nothingStored } from '#base/http/problems'
import { insertRowsSql, joined, updateSql, type Sql } from '#base/sql/sql'
import { hasListeners } from '../../events/model_events.js'
import {
  prepareObservers,
  recordActions,
  emitEvents,
  type Recorded,
  watchedResourceOf,
} from '../../events/observers.js'
import { Write, type WriteOrigin } from '../../events/write.js'
import { actorWithin, addToScope, scopeOf } from '../../events/write_scope.js'
import type { Resource } from '../../resource/resource.js'
import type { CallOptions } from '../call_options.js'
import type { CrudContext } from '../crud_context.js'
import { omit, withoutKeys } from './written_fields.js'
import { recordersOf } from './write_path.js'
import { explained, runWrite, type Attempt } from './record_path.js'

type Row = Record<string, unknown>

/** Receives the row before the write (null for a new row) and the row after it. */
type Report = (before: Row | null, after: Row) => void

/** @param report  undefined if nothing observes the writes */
type Work<Result> = (run: RunSql, report: Report | undefined) => Promise<Result>

/** Values that several rows are set to */
export interface RowChange {
  /** New values by column name */
  row: Row
  keys: KeyValue[]
}

/**
 * Inserts a row, in the caller's transaction or in a separate one.
 *
 * @param row     row of `rowByStatement`
 * @param values  values from which the row was made
 * @returns the stored row, as `Dialect.select` returns it
 * @throws Problem 409 or 422, WriteNotRecorded
 */
export async function insertRow(
  context: CrudContext,
  row: Row,
  values: Row,
  client: QueryClientContract,
  options: CallOptions
): Promise<Row> {
  const { resource } = context
  const record = async () =>
    (new resource.model() as LucidRow).merge(omit(values, resource.virtualFields) as any)
  return await runSingle(context, client, options, { record }, async (run, report) => {
    const [stored] = await insertInto(resource, [row], client, run, report)
    return stored
  })
}

/**
 * Inserts rows in the caller's transaction, with one statement per group.
 *
 * @param parts  groups of rows with the same columns
 * @returns the stored rows
 */
export async function insertRows(
  { resource }: CrudContext,
  parts: Iterable<readonly Row[]>,
  client: TransactionClientContract
): Promise<Row[]> {
  return await runInScope(resource, client, async (run, report) => {
    const stored: Row[] = []
    for (const rows of parts) {
      stored.push(...(await insertInto(resource, rows, client, run, report)))
    }
    return stored
  })
}

/**
 * Updates a row, in the caller's transaction or in a separate one.
 *
 * @param changes  changes of `changesByStatement`
 * @param values   values from which the changes were made
 * @returns the stored row, as `Dialect.select` returns it
 * @throws Problem 404, 409 or 422, WriteNotRecorded
 */
export async function updateRow(
  context: CrudContext,
  key: unknown,
  changes: Row,
  values: Row,
  client: QueryClientContract,
  options: CallOptions
): Promise<Row> {
  const { records, resource } = context
  const { key: keys, reader } = resource
  const one = records.byKey(keys.fromCode(key), client, options)
  const select = () => reader.statements.lockedRow(one, client)
  const update = (condition?: Sql) => {
    const where = condition ? [...one.where, condition] : one.where
    return updateOf(resource, changes, joined(where, 'and'), client)
  }
  const record = async () => {
    const written = withoutKeys(resource, omit(values, resource.virtualFields))
    const stored = await reader.record(client, one)
    return stored?.merge(written as any)
  }
  const attempt = { record, readsFirst: true }
  return await runSingle(context, client, options, attempt, async (run, report) => {
    const rows = report ? await updateLocked(resource, client, { select, update }, run) : undefined
    const [before, after] = rows ?? [null, ...(await run(update()))]
    if (!after) throw itemNotFound()
    report?.(before, after)
    return after
  })
}

/** Updates a row, and returns it before and after the update; empty if the row does not exist */
async function updateLocked(
  { columns }: Resource,
  client: QueryClientContract,
  { select, update }: { select(): Sql; update(condition?: Sql): Sql },
  run: RunSql
): Promise<Row[]> {
  const dialect = dialectOf(client)
  if (dialect.updateLockedSql) {
    const names = columns.all.map(({ name }) => name)
    return await run(dialect.updateLockedSql(select(), update, names))
  }
  const [before] = await run(select())
  return before ? [before, ...(await run(update()))] : []
}

/**
 * Updates rows in the caller's transaction, with one statement per change.
 *
 * @param changes  changes with at most 200 keys each
 * @throws UnknownKey  for the first key without a row
 */
export async function updateRows(
  { records, resource }: CrudContext,
  changes: readonly RowChange[],
  client: TransactionClientContract,
  options: CallOptions,
  deleted: DeletedMode = 'exclude'
): Promise<void> {
  const { key, reader } = resource
  const dialect = dialectOf(client)
  const conditions = [records.among(changes.flatMap(({ keys }) => keys))]
  const selection = {
    ...records.byConditions({ conditions, deleted }, client, options),
    lock: true,
  }
  const before = byKey(resource, await reader.rows(client, selection))
  await runInScope(resource, client, async (run, report) => {
    for (const { keys, row } of changes) {
      const missing = keys.find((one) => !before.has(identityOf(one)))
      if (missing) throw new UnknownKey(missing)
      const after = byKey(
        resource,
        await run(updateOf(resource, row, key.isAny(keys, dialect), client))
      )
      /* In the order of the caller's keys, without duplicates */
      const ids = new Set(keys.map((one) => identityOf(one)))
      if (after.size < ids.size) throw nothingStored()
      for (const id of ids) report?.(before.get(id)!, after.get(id)!)
    }
  })
}

/**
 * Runs the statements of one write: in a Lucid transaction if the caller has one or an observer requires it, otherwise
 * in a transaction of the driver. Without observers, the write is a single statement.
 *
 * @param attempt.readsFirst  true if a row that is reported has to be read before it is written
 */
async function runSingle<Result>(
  context: CrudContext,
  client: QueryClientContract,
  options: CallOptions,
  { record, readsFirst = false }: Attempt & { readsFirst?: boolean },
  work: Work<Result>
): Promise<Result> {
  const { resource } = context
  refuseReadOnlyToken(options.actor ?? ambientActor())
  const waiting = client.isTransaction ? undefined : prepareObservers(client)
  if (waiting) await waiting
  const recorders = recordersOf(resource, client, options)
  if (!recorders) {
    return await runWrite(context, options, async (transaction, attempt) => {
      attempt.record = record
      return await runInScope(resource, transaction, work)
    })
  }
  const { actor = ambientActor() ?? ANONYMOUS, origin } = options
  const { report, writes } = await reportOf(resource, client, { actor, origin })
  const isRecorded = recorders.length > 0
  const isReported = isRecorded || !readsFirst || hasListeners()
  const isOneStatement = !isRecorded && !(readsFirst && report && isReported)
  const joins = dialectOf(client).insertPairSql !== undefined && recorders.length > 1
  const entry: Recorded = { writes, recorders, joins }
  try {
    return await inDriverTransaction(client, {
      work: async (run) => {
        writes.length = 0
        return await work(run, isReported ? report : undefined)
      },
      log: isRecorded ? { entry, store: recordActions } : undefined,
      committed: () => emitEvents(writes),
      isOneStatement,
    })
  } catch (error) {
    throw await explained(error, context, { record }, client, options)
  }
}

/** Runs statements in a Lucid transaction; their writes belong to the action of that transaction. */
async function runInScope<Result>(
  resource: Resource,
  client: TransactionClientContract,
  work: Work<Result>
): Promise<Result> {
  const scope = scopeOf(client)!
  const by = { actor: actorWithin(scope), origin: scope.origin }
  const { report, writes } = await reportOf(resource, client, by)
  const dialect = dialectOf(client)
  const run: RunSql = ({ sql, bindings }) => dialect.selectRows(client, sql, bindings)
  const result = await work(run, report)
  addToScope(scope, client, writes)
  return result
}

/**
 * Returns a function that records row changes, except those that repeat the stored values; none if the model has no
 * events.
 */
async function reportOf(
  { model }: Resource,
  client: QueryClientContract,
  by: Pick<WriteOrigin, 'actor' | 'origin'>
): Promise<{ report?: Report; writes: Write[] }> {
  const writes: Write[] = []
  const watched = watchedResourceOf(model)
  if (!watched) return { writes }
  /* An operation outside a request uses another resource object than the endpoints. */
  if (!watched.isLoaded) await watched.load(client)
  const report: Report = (before, after) => {
    const write = Write.ofRow(watched, before, after, client, by)
    if (!before || !write.isRepetition) writes.push(write)
  }
  return { report, writes }
}

async function insertInto(
  resource: Resource,
  rows: readonly Row[],
  client: QueryClientContract,
  run: RunSql,
  report: Report | undefined
): Promise<Row[]> {
  const { sql, bindings } = insertRowsSql(dialectOf(client).quote(resource.table), rows)
  const stored = await run({ sql: returning(sql, resource, client), bindings })
  if (stored.length < rows.length) throw nothingStored()
  for (const row of stored) report?.(null, row)
  return stored
}

function updateOf(resource: Resource, changes: Row, where: Sql, client: QueryClientContract): Sql {
  const { sql, bindings } = updateSql(dialectOf(client).quote(resource.table), changes, where)
  return { sql: returning(sql, resource, client), bindings }
}

/** Adds a `returning` clause with all columns, in the form that `Dialect.select` returns. */
function returning(sql: string, { columns, reader }: Resource, client: QueryClientContract) {
  return `${sql} returning ${reader.statements.listOf(columns.all, dialectOf(client))}`
}

function byKey({ key }: Resource, rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [identityOf(key.ofRow(row)), row]))
}
