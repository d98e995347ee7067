import { performance } from 'node:perf_hooks'
import { setImmediate as nextEvents } from 'node:timers/promises'
import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import { beginTransaction } from '../transaction.js'
import { unavailability, WaitedTooLong } from '../unavailable.js'
import { withConnection, withWriter } from '../with_connection.js'
import { countNested, seal } from '#upstream/knex_transaction'
import { endInDatabase, runEndHooks } from '#upstream/lucid_transaction_end'
import {
  CommitGroup,
  type DriverWrite,
  type GroupedWrite,
  LogsUndone,
  type LucidWrite,
  defersConstraints,
  mayShareCommit,
  type RawConnection,
  storeLogs,
} from './commit_group.js'

/** Limits of a group of writes with one commit. */
export interface GroupBounds {
  /** Maximum number of writes; 1 to commit each write separately */
  writes: number
  /** Milliseconds after which no further write joins; 0 to commit each write separately */
  milliseconds: number
}

/**
 * Begins a transaction with the file lock, because other processes could write between its first read and its first
 * write.
 */
export const BEGIN = 'BEGIN IMMEDIATE'

/** A write that waits for earlier writes. */
interface Turn {
  since: number
  /** True for a write that can join a transaction of the driver */
  mayJoinDriver: boolean
  /** Starts the write: in the given group, or without one as the first write of the next group */
  begin(place?: { group: CommitGroup; leave: () => void }): void
  refuse(error: unknown): void
}

/**
 * Runs the writes of one SQLite connection one at a time, in the order of their arrival. Writes that wait while another
 * one runs join its transaction, so that BEGIN, COMMIT and disk access are needed only once for all of them.
 */
export class CommitGroups {
  readonly #waiting: Turn[] = []
  #isBusy = false

  /**
   * @param waitTimeout  maximum number of milliseconds that a write waits for earlier writes
   * @param blocks       true for a driver that blocks other requests while it works: they can run before each commit
   */
  constructor(
    readonly bounds: GroupBounds,
    readonly waitTimeout: number,
    readonly blocks = false
  ) {}

  /**
   * Runs a write, and returns after the commit. A single statement runs without a transaction unless other writes wait
   * to share one.
   *
   * @throws the error of the write, which alone is rolled back then, or the database's error of BEGIN or COMMIT
   * @throws WaitedTooLong
   */
  async run<Result>(client: QueryClientContract, write: GroupedWrite<Result>): Promise<Result> {
    const isOfDriver = 'run' in write
    if (this.#isBusy) {
      const place = await this.#turn(isOfDriver && !write.isAlone)
      if (place) {
        const again = (alone: DriverWrite<Result>) => this.run(client, alone)
        return await place.group.join(write, place.leave).catch(runAgain(write, again))
      }
    }
    this.#isBusy = true
    if (!isOfDriver) return await this.#lead(client, write.work)
    const isAlone = write.isOneStatement && !(await this.#hasNext())
    return isAlone ? await this.#runAlone(client, write) : await this.#leadOfDriver(client, write)
  }

  #turn(mayJoinDriver: boolean): Promise<Parameters<Turn['begin']>[0]> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        this.#waiting.splice(this.#waiting.indexOf(turn), 1)
      }
      const turn: Turn = {
        since: performance.now(),
        mayJoinDriver,
        begin: (place) => {
          leave()
          resolve(place)
        },
        refuse: (error) => {
          leave()
          reject(error)
        },
      }
      const message = `This write waited longer than ${this.waitTimeout} ms for the writes before it`
      const timer = setTimeout(() => turn.refuse(new WaitedTooLong(message)), this.waitTimeout)
      this.#waiting.push(turn)
    })
  }

  async #hasNext(): Promise<boolean> {
    if (this.#waiting.length === 0 && this.blocks) await nextEvents()
    return this.#waiting.length > 0
  }

  /** Starts the next waiting write, which begins a new group. */
  #pass(): void {
    const [next] = this.#waiting
    if (next) next.begin()
    else this.#isBusy = false
  }

  /**
   * If the database is unavailable, also refuses the writes that have waited at least as long as the write whose BEGIN
   * failed, because each of them would wait as long again.
   */
  #refuseOthers(error: unknown, since: number): void {
    const others = unavailability(error) ? this.#waiting.filter((one) => one.since <= since) : []
    for (const other of others) other.refuse(error)
  }

  async #runAlone<Result>(
    client: QueryClientContract,
    write: DriverWrite<Result>
  ): Promise<Result> {
    try {
      const result = await withWriter(client, write.run)
      write.committed(result)
      return result
    } finally {
      this.#pass()
    }
  }

  async #lead<Result>(
    client: QueryClientContract,
    work: LucidWrite<Result>['work']
  ): Promise<Result> {
    const since = performance.now()
    let transaction: TransactionClientContract
    try {
      transaction = await beginTransaction(client)
    } catch (error) {
      this.#refuseOthers(error, since)
      this.#pass()
      throw error
    }
    const begun = performance.now()
    const { transaction: nest } = transaction
    const openNested = countNested(transaction)
    let result: Result
    try {
      result = await work(transaction)
    } catch (error) {
      await endInDatabase(transaction, 'rollback').catch(() => {})
      this.#pass()
      await runEndHooks(transaction, 'rollback')
      throw error
    }
    /* No write joins while a nested transaction of application code is open: its savepoint would wait for that one. */
    const mayJoin = openNested() === 0 && (await this.#hasNext()) && openNested() === 0
    const outer = { isTransaction: true, transaction: nest.bind(transaction) }
    const open = () => beginTransaction(outer as never)
    const group = mayJoin ? await this.#gather(transaction, open, begun) : undefined
    return await this.#end(transaction, result, group)
  }

  async #leadOfDriver<Result>(
    client: QueryClientContract,
    write: DriverWrite<Result>
  ): Promise<Result> {
    let since = performance.now()
    let isBegun = false
    const lead = (one: DriverWrite<Result>) =>
      withWriter(client, async (connection) => {
        since = performance.now()
        await one.command(BEGIN)(connection)
        isBegun = true
        return await this.#runFirst(connection, one)
      })
    try {
      return await lead(write).catch(runAgain(write, lead))
    } catch (error) {
      if (!isBegun) this.#refuseOthers(error, since)
      throw error
    } finally {
      this.#pass()
    }
  }

  /** Runs the write of a transaction that has begun, then the writes that join it, and commits all of them. */
  async #runFirst<Result>(connection: RawConnection, write: DriverWrite<Result>): Promise<Result> {
    const { command, log, runOn } = write
    const begun = performance.now()
    /* SQLite can have rolled back already. */
    const undo = () => command('ROLLBACK')(connection).catch(() => {})
    let result: Result
    try {
      result = await write.run(connection)
    } catch (error) {
      await undo()
      throw error
    }
    const group =
      !write.isAlone && (await this.#hasNext())
        ? await this.#gatherOfDriver(connection, command, begun)
        : undefined
    const logs = [log, ...(group?.logs ?? [])].filter((one) => one !== undefined)
    try {
      if (group?.error) throw group.error.error
      await storeLogs(logs, runOn(connection)).catch((error) => {
        const isOfOne = !group || group.size === 1 || unavailability(error)
        throw isOfOne ? error : new LogsUndone('The writes run again', { cause: error })
      })
      await command('COMMIT')(connection)
    } catch (error) {
      await undo()
      throw group ? group.fail(error) : error
    }
    write.committed(result)
    group?.succeed()
    return result
  }

  /** Runs the waiting driver writes in the current transaction of the driver; returns undefined if none can join it. */
  async #gatherOfDriver(
    connection: RawConnection,
    command: DriverWrite<unknown>['command'],
    begun: number
  ): Promise<CommitGroup | undefined> {
    const mayJoin = () => this.#mayJoin(begun) && this.#waiting[0].mayJoinDriver
    if (!mayJoin() || (await defersConstraints(command, connection))) return undefined
    const group = new CommitGroup(undefined, connection, this.waitTimeout)
    await this.#fill(group, mayJoin)
    return group
  }

  #mayJoin(begun: number): boolean {
    return this.#waiting.length > 0 && performance.now() - begun < this.bounds.milliseconds
  }

  async #fill(group: CommitGroup, mayJoin: () => boolean): Promise<void> {
    const { writes } = this.bounds
    while (group.size < writes && !group.error && (await this.#hasNext()) && mayJoin()) {
      const [next] = this.#waiting
      await new Promise<void>((leave) => next.begin({ group, leave }))
    }
  }

  /** Lets waiting writes join the transaction, until none is waiting or a limit is reached. */
  async #gather(
    transaction: TransactionClientContract,
    open: () => Promise<TransactionClientContract>,
    begun: number
  ): Promise<CommitGroup | undefined> {
    const mayJoin = () => this.#mayJoin(begun)
    if (!mayJoin() || transaction.isCompleted) return undefined
    if (!(await mayShareCommit(transaction).catch(() => false))) return undefined

    /* The timeout is twice that of a write that waits within application code, so that the inner wait fails first. */
    const connection = await withConnection(transaction, (one) => one)
    const group = new CommitGroup(open, connection, 2 * this.waitTimeout)
    const unseal = seal(transaction)
    await this.#fill(group, mayJoin)
    unseal()
    return group
  }

  async #end<Result>(
    transaction: TransactionClientContract,
    result: Result,
    group: CommitGroup | undefined
  ): Promise<Result> {
    try {
      if (group?.error) throw group.error.error
      await endInDatabase(transaction, 'commit')
    } catch (error) {
      await endInDatabase(transaction, 'rollback').catch(() => {})
      const reported = group ? group.fail(error) : error
      this.#pass()
      await runEndHooks(transaction, 'rollback')
      throw reported
    }
    const hooks = runEndHooks(transaction, 'commit')
    group?.succeed()
    this.#pass()
    await hooks
    return result
  }
}

/** Returns a function that handles `LogsUndone` by running the write again, alone, and throws other errors. */
function runAgain<Result>(
  write: GroupedWrite<Result>,
  run: (alone: DriverWrite<Result>) => Promise<Result>
): (error: unknown) => Promise<Result> {
  return async (error) => {
    if (!(error instanceof LogsUndone)) throw error
    return await run({ ...(write as DriverWrite<Result>), isAlone: true })
  }
}
