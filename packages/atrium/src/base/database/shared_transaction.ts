import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import { discardConnection } from '#upstream/knex_transaction'
import type { Sql } from '../sql/sql.js'
import type { Statement } from './dialect.js'
import { dialectOf } from './dialects.js'
import type { WriteLog } from './sqlite/commit_group.js'
import { commitGroupsOf } from './sqlite/sqlite_connection.js'
import { inTransaction } from './transaction.js'
import { withWriter } from './with_connection.js'

type Row = Record<string, unknown>

/** Runs a statement in a transaction and returns the rows; for a write, those of the `returning` clause. */
export interface RunSql {
  (statement: Sql): Promise<Row[]>
  /**
   * Runs an insert whose result is not needed as a part of the next statement, which saves a round trip to the server.
   * Undefined if the database cannot do that
   */
  withNext?(insert: Sql): void
}

/**
 * Returns a function that runs statements with the inserts that were passed to `withNext` before, and one that runs the
 * inserts that no statement has followed. Only for databases in which an insert can be part of another statement.
 */
export function joiningInserts(run: RunSql): { run: RunSql; rest(): Promise<void> } {
  const waiting: Sql[] = []
  const joining: RunSql = Object.assign(
    async (statement: Sql) => await run(withInserts(waiting.splice(0), statement)),
    { withNext: (insert: Sql) => void waiting.push(insert) }
  )
  const rest = async () => {
    for (const insert of waiting.splice(0)) await run(insert)
  }
  return { run: joining, rest }
}

/** Returns one statement that runs inserts and another statement, which can begin with `with`. */
function withInserts(inserts: readonly Sql[], { sql, bindings }: Sql): Sql {
  if (inserts.length === 0) return { sql, bindings }
  const parts = inserts.map((insert, index) => `"insert ${index}" as (${insert.sql})`)
  const own = sql.startsWith('with ') ? `, ${sql.slice('with '.length)}` : ` ${sql}`
  return {
    sql: `with ${parts.join(', ')}${own}`,
    bindings: [...inserts.flatMap((insert) => insert.bindings), ...bindings],
  }
}

/**
 * Runs a write like `inTransaction`. On SQLite, writes that wait for the only writing connection share the transaction
 * of the write that they wait for: one that fails is rolled back alone, but all are committed together.
 *
 * @throws the error of the work, after a rollback, or the database's error of BEGIN or COMMIT
 */
export async function inSharedTransaction<Result>(
  client: QueryClientContract,
  work: (transaction: TransactionClientContract) => Promise<Result>
): Promise<Result> {
  const groups = commitGroupsOf(client)
  return groups ? await groups.run(client, { work }) : await inTransaction(client, work)
}

/** A write of the engine by statements */
interface StatementWrite<Result> {
  /** Runs the statements of the write; at most one of them changes something */
  work(run: RunSql): Promise<Result>
  /** What is stored after `work`, in the same transaction; for waiting writes on SQLite, together with theirs */
  log?: WriteLog
  /** Called after the commit, in the order of the writes; must not throw */
  committed(result: Result): void
  /**
   * True if the work is one statement without a log, which either succeeds or fails as a whole: it runs without BEGIN
   * and COMMIT unless it shares those of other writes
   */
  isOneStatement?: boolean
}

/**
 * Runs a write in a transaction of the driver that Knex and Lucid do not track, which takes a fraction of their time.
 * Only for statements of the engine: application code must get a Lucid transaction. On SQLite, waiting writes share
 * their commit, as with `inSharedTransaction`, and the statements of their logs.
 *
 * @param client  client that is not a transaction
 * @param write   its `work` can run twice: if the logs of several writes cannot be stored together, each runs alone
 * @throws the error of the work or of the log, after a rollback, or the database's error of BEGIN or COMMIT
 */
export async function inDriverTransaction<Result>(
  client: QueryClientContract,
  { work, log, committed, isOneStatement = false }: StatementWrite<Result>
): Promise<Result> {
  const dialect = dialectOf(client)
  const command = (sql: string) => dialect.statement(client, sql, [])
  const runOn =
    (connection: unknown): RunSql =>
    ({ sql, bindings }) =>
      dialect.statement(client, sql, bindings)(connection)
  const run = (connection: unknown) => work(runOn(connection))
  const groups = commitGroupsOf(client)
  if (groups) {
    return await groups.run(client, { command, run, runOn, log, committed, isOneStatement })
  }
  return await withWriter(client, async (connection) => {
    const runAll = async () => {
      const result = await run(connection)
      await log?.store([log.entry], runOn(connection))
      return result
    }
    const result = isOneStatement
      ? await run(connection)
      : await bracketed(connection, command, dialect.begin, runAll)
    committed(result)
    return result
  })
}

async function bracketed<Result>(
  connection: object,
  command: (sql: string) => Statement,
  begin: string,
  run: (connection: object) => Promise<Result>
): Promise<Result> {
  await command(begin)(connection)
  try {
    const result = await run(connection)
    await command('COMMIT')(connection)
    return result
  } catch (error) {
    await command('ROLLBACK')(connection).catch(() => discardConnection(connection))
    throw error
  }
}
