import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { Sql } from '../../sql/sql.js'
import type { Statement } from '../dialect.js'
import { SharedTransactionUndone, unavailability, WaitedTooLong } from '../unavailable.js'
import { endInDatabase, runEndHooks } from '#upstream/lucid_transaction_end'
import { withConnection } from '../with_connection.js'

/** Connection of either driver */
export interface RawConnection {
  /** Only in `better-sqlite3` */
  readonly inTransaction?: boolean
  exec(sql: string, callback?: (error: Error | null) => void): void
}

/**
 * True if further writes can join a transaction after its first write has ended:
 * - SQLite has not rolled it back, as it does after some errors that application code can have caught. Each savepoint
 *   would then be a separate transaction.
 * - The database has no deferred constraints: a violation of one would make the COMMIT fail for all writes.
 */
export async function mayShareCommit(transaction: TransactionClientContract): Promise<boolean> {
  if (!(await withConnection(transaction, isInTransaction))) return false
  const [deferred] = await transaction.rawQuery(DEFERRED)
  return deferred === undefined
}

const DEFERRED =
  "select 1 from sqlite_master where type = 'table' and sql like '%initially%deferred%' limit 1"

/** True if any constraint of the database is deferred to the commit. */
export async function defersConstraints(
  command: (sql: string) => Statement,
  connection: RawConnection
): Promise<boolean> {
  const rows = await command(DEFERRED)(connection)
  return rows.length > 0
}

/** True if the connection is in a transaction. SQLite can have rolled it back. */
async function isInTransaction(connection: RawConnection): Promise<boolean> {
  if (connection.inTransaction !== undefined) return connection.inTransaction
  /* The driver `sqlite3` does not provide this state, but within a transaction, a BEGIN fails. */
  const run = (sql: string) =>
    new Promise<boolean>((resolve) => connection.exec(sql, (error) => resolve(!error)))
  if (!(await run('BEGIN'))) return true
  await run('ROLLBACK')
  return false
}

/** A write that can share its commit */
export type GroupedWrite<Result> = LucidWrite<Result> | DriverWrite<Result>

/** A write in a Lucid transaction */
export interface LucidWrite<Result> {
  work(transaction: TransactionClientContract): Promise<Result>
}

/**
 * A write with statements of the engine, in a transaction of the driver. At most one of its statements changes
 * something, so that a statement that fails leaves nothing to undo.
 */
export interface DriverWrite<Result> {
  /** Returns a statement without values */
  command(sql: string): Statement
  run(connection: RawConnection): Promise<Result>
  /** What is stored with the write */
  log?: WriteLog
  /** Returns the function that runs the statements of logs on a connection */
  runOn(connection: RawConnection): RunStatement
  /** Called after the commit, in the order of the writes; must not throw */
  committed(result: Result): void
  /** True if the write is one statement, which needs no BEGIN and COMMIT */
  isOneStatement: boolean
  /** True if no other write can share its transaction: the log of a write that shared it before could not be stored */
  isAlone?: boolean
}

type RunStatement = (statement: Sql) => Promise<Array<Record<string, unknown>>>

/** Rows about a write that are stored in its transaction; for the writes of a group, together. */
export interface WriteLog<Entry = any> {
  readonly entry: Entry
  /** Stores the entries of several writes, in their order */
  store(entries: readonly Entry[], run: RunStatement): Promise<void>
}

/** Means that the logs of a group could not be stored: each of its writes runs again, alone. */
export class LogsUndone extends Error {}

/** Stores the logs of writes in their transaction. */
export async function storeLogs(logs: readonly WriteLog[], run: RunStatement): Promise<void> {
  for (const [store, some] of Map.groupBy(logs, (log) => log.store)) {
    await store(
      some.map(({ entry }) => entry),
      run
    )
  }
}

/* A constant name, as its prepared statements are cached. */
const SAVEPOINT = 'driver_write'

/**
 * Writes that share the transaction of the first of them. They run one at a time, and all end with the transaction. In
 * a Lucid transaction each runs in a separate savepoint.
 */
export class CommitGroup {
  /** Number of writes */
  size = 1
  /** Logs of the writes in a transaction of the driver, which are stored before its commit */
  readonly logs: WriteLog[] = []
  /** Error of the write at which SQLite rolled back the whole transaction */
  error: { error: unknown } | undefined
  readonly #ended = Promise.withResolvers<void>()

  /**
   * @param begin       opens a savepoint in the transaction; undefined in a transaction of the driver, which only
   *   driver writes can join
   * @param connection  connection of the transaction, in the driver
   * @param workTimeout  maximum number of milliseconds for the work of each write, because earlier writes wait for its
   *   end
   */
  constructor(
    readonly begin: (() => Promise<TransactionClientContract>) | undefined,
    readonly connection: RawConnection,
    readonly workTimeout: number
  ) {
    /* Prevents an unhandled rejection: in a group of one, no other write waits for this promise. */
    this.#ended.promise.catch(() => {})
  }

  /** Resolves all writes after the commit of the transaction. */
  succeed(): void {
    this.#ended.resolve()
  }

  /**
   * Rejects all writes, because none of them is stored.
   *
   * @param error  error of the database
   * @returns the error for writes that did not cause it
   */
  fail(error: unknown): unknown {
    const isForAll =
      this.size === 1 || error instanceof LogsUndone || unavailability(error) !== undefined
    const reported = isForAll ? error : new SharedTransactionUndone(error)
    this.#ended.reject(reported)
    return reported
  }

  /**
   * Runs a write and waits for the commit.
   *
   * @param leave  called when the next write can run
   * @throws the error of the write, or the reason why no write of the group is stored
   */
  async join<Result>(write: GroupedWrite<Result>, leave: () => void): Promise<Result> {
    this.size++
    const isOfDriver = 'run' in write
    let transaction: TransactionClientContract | undefined
    let invalid: CommitGroup['error']
    let result: Result
    try {
      if (isOfDriver) result = await this.#runOfDriver(write)
      else {
        transaction = await this.begin!()
        result = await withinTimeout(write.work(transaction), this.workTimeout)
        await endInDatabase(transaction, 'commit')
      }
    } catch (error) {
      invalid = { error }
      if (transaction) await this.#undo(transaction, invalid)
      else if (isOfDriver && !(await isInTransaction(this.connection))) this.error = invalid
    }
    leave()
    try {
      await this.#ended.promise
    } catch (error) {
      if (transaction) await runEndHooks(transaction, 'rollback')
      throw invalid && invalid === this.error ? invalid.error : error
    }
    if (transaction) await runEndHooks(transaction, invalid ? 'rollback' : 'commit')
    if (invalid) throw invalid.error
    if (isOfDriver) write.committed(result!)
    return result!
  }

  /** Runs a driver write: in a Lucid transaction in a savepoint, as its log is stored immediately. */
  async #runOfDriver<Result>({ command, log, run, runOn }: DriverWrite<Result>): Promise<Result> {
    if (!log || !this.begin) {
      const result = await run(this.connection)
      if (log) this.logs.push(log)
      return result
    }
    await command(`SAVEPOINT ${SAVEPOINT}`)(this.connection)
    try {
      const result = await run(this.connection)
      await storeLogs([log], runOn(this.connection))
      await command(`RELEASE ${SAVEPOINT}`)(this.connection)
      return result
    } catch (error) {
      /* This fails if SQLite has rolled back the whole transaction, which `join` detects. */
      const undo = async () => {
        await command(`ROLLBACK TO ${SAVEPOINT}`)(this.connection)
        await command(`RELEASE ${SAVEPOINT}`)(this.connection)
      }
      await undo().catch(() => {})
      throw error
    }
  }

  /** Rolls back a savepoint. If the savepoint no longer exists, SQLite has rolled back the whole transaction. */
  async #undo(
    transaction: TransactionClientContract,
    error: NonNullable<CommitGroup['error']>
  ): Promise<void> {
    try {
      await endInDatabase(transaction, 'rollback')
    } catch {
      this.error = error
    }
  }
}

/**
 * Returns the result of the work.
 *
 * @throws WaitedTooLong  when the time is over; later results of the work are ignored
 */
async function withinTimeout<Result>(work: Promise<Result>, milliseconds: number): Promise<Result> {
  let timer: NodeJS.Timeout
  const over = new Promise<never>((_resolve, reject) => {
    const message = `This write was undone: its code took longer than ${milliseconds} ms, while writes before it waited for the commit that they share`
    timer = setTimeout(() => reject(new WaitedTooLong(message)), milliseconds)
  })
  try {
    return await Promise.race([work, over])
  } finally {
    clearTimeout(timer!)
  }
}
