import logger from '@adonisjs/core/services/logger'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { afterOutermostCommit } from '#base/database/outermost_commit'
import { unavailability } from '#base/database/unavailable'
import { joiningInserts, type RunSql } from '#base/database/shared_transaction'
import type { Actor, Origin } from '../types.js'
import { emitWrite, isHeard } from './model_events.js'
import type { Write } from './write.js'
import { WriteNotRecorded } from '#base/errors'
import { dialectOf } from '#base/database/dialects'
import { noteStoredRow, storedRowOf } from '../lucid/stored_rows.js'
import { identityOf } from '#base/columns/key'
import { KEYS_PER_CONDITION, chunks } from '#base/chunks'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import type { Resource } from '../resource/resource.js'

/** Records the writes of one action with statements in the transaction of the writes. */
export interface RecordByStatements {
  (writes: readonly Write[], run: RunSql): Promise<void>
  /**
   * Records several actions that share a transaction, in their order, with fewer statements than one by one. A recorder
   * with the method must be the same function for all of them.
   */
  ofAll?(actions: ReadonlyArray<readonly Write[]>, run: RunSql): Promise<void>
}

/** The writes of one action, with the functions that record them */
export interface Recorded {
  writes: readonly Write[]
  recorders: readonly RecordByStatements[]
  /** True if the database can run an insert as a part of another statement */
  joins: boolean
}

/** Records every write of decorated models. */
export interface WriteObserver {
  /** True while there is nothing to record, so that writes cost as little as without the observer */
  readonly isIdle?: boolean

  /**
   * Called before each write, with the write's client, so that the observer can find out whether it is idle. Returns
   * undefined if the observer already knows that, which is the usual case.
   */
  prepare?(client: QueryClientContract): Promise<void> | undefined

  /**
   * Called with the writes of one action, those of the action's model first, inside their transaction if there is one:
   * an error that it throws then rolls them back.
   */
  record(writes: readonly Write[], client: QueryClientContract): Promise<void>

  /**
   * Returns the function that records writes in place of `record` if their transaction is not a Lucid transaction,
   * which is faster. Null if there is nothing to record. If the method is omitted or returns undefined, a Lucid
   * transaction is used.
   *
   * @param client  client of the database that is written to
   * @param by      actor and origin of the writes
   */
  recordsByStatements?(
    client: QueryClientContract,
    by: { actor: Actor; origin: Origin | undefined }
  ): RecordByStatements | null | undefined
}

const OBSERVERS = new Set<WriteObserver>()

/**
 * Registers an observer of all writes of decorated models. It is called in the transaction of the writes, so that an
 * error that it throws rolls them back.
 *
 * @returns a function that removes the observer
 */
export function observeWrites(observer: WriteObserver): () => void {
  OBSERVERS.add(observer)
  return () => void OBSERVERS.delete(observer)
}

/** True if an observer records writes. */
export function isObserved(): boolean {
  for (const observer of OBSERVERS) if (!observer.isIdle) return true
  return false
}

/**
 * Lets observers find out whether there is anything to record.
 *
 * @returns undefined if they know it already
 */
export function prepareObservers(client: QueryClientContract): Promise<unknown> | undefined {
  let waiting: Array<Promise<void>> | undefined
  for (const observer of OBSERVERS) {
    const prepared = observer.prepare?.(client)
    if (prepared) (waiting ??= []).push(prepared)
  }
  return waiting && recorded(async () => void (await Promise.all(waiting)))
}

/**
 * Passes an action's writes to the observers, and emits their events after the commit.
 *
 * @param forgets  true to retain only writes with a listener until the commit
 * @throws WriteNotRecorded  or the reason why the database is unavailable
 */
export async function deliver(
  writes: readonly Write[],
  client: QueryClientContract,
  forgets = false
) {
  if (writes.length === 0) return
  const waiting = prepareObservers(client)
  if (waiting) await waiting
  if (isObserved()) {
    await recorded(async () => {
      await completeRows(writes, client)
      for (const write of writes) await write.complete(client)
      for (const observer of OBSERVERS) {
        if (!observer.isIdle) await observer.record(writes, client)
      }
    })
  }
  const heard = forgets ? writes.filter((write) => isHeard(write)) : writes
  if (heard.length === 0) return
  afterOutermostCommit(client, () => emitEvents(heard))
}

/**
 * Returns the functions that record writes with statements.
 *
 * @returns undefined if any observer requires a Lucid transaction
 */
export function recordersByStatements(
  ...args: Parameters<NonNullable<WriteObserver['recordsByStatements']>>
): RecordByStatements[] | undefined {
  const recorders: RecordByStatements[] = []
  for (const observer of OBSERVERS) {
    const recorder = observer.isIdle ? null : observer.recordsByStatements?.(...args)
    if (recorder === undefined) return undefined
    if (recorder) recorders.push(recorder)
  }
  return recorders
}

/**
 * Passes the writes of actions that share a transaction to their recorders.
 *
 * @throws WriteNotRecorded  or the reason why the database is unavailable
 */
export async function recordActions(actions: readonly Recorded[], run: RunSql): Promise<void> {
  const shared = new Map<RecordByStatements, Array<readonly Write[]>>()
  await recorded(async () => {
    for (const { writes, recorders, joins } of actions) {
      if (writes.length === 0) continue
      const joining = joins ? joiningInserts(run) : undefined
      for (const record of recorders) {
        const isShared = record.ofAll !== undefined && actions.length > 1
        if (!isShared) await record(writes, joining?.run ?? run)
        else if (shared.has(record)) shared.get(record)!.push(writes)
        else shared.set(record, [writes])
      }
      await joining?.rest()
    }
    for (const [record, all] of shared) await record.ofAll!(all, run)
  })
}

/** Emits the events of committed writes. Reports listeners that fail. */
export function emitEvents(writes: readonly Write[]): void {
  for (const write of writes) {
    emitWrite(write).catch((error) =>
      logger.error({ err: error }, `A listener of a write of ${write.resource.name} failed`)
    )
  }
}

async function recorded(record: () => Promise<void>): Promise<void> {
  try {
    await record()
  } catch (error) {
    throw unavailability(error) ? error : new WriteNotRecorded(undefined, { cause: error })
  }
}

/**
 * Adds the resulting rows to an action's writes: rows that the database returned for the write are reused, the others
 * are read with one statement per 200 records of a model.
 */
async function completeRows(writes: readonly Write[], client: QueryClientContract): Promise<void> {
  const unread: Write[] = []
  for (const write of writes) {
    if (write.rows.after !== undefined) continue
    write.rows.after = storedRowOf(write.record)
    if (write.rows.after === undefined) unread.push(write)
  }
  for (const [resource, some] of Map.groupBy(unread, (write) => write.resource)) {
    const { key, reader } = resource
    for (const part of chunks(some, KEYS_PER_CONDITION)) {
      const where = [
        key.isAny(
          part.map((write) => write.key),
          dialectOf(client)
        ),
      ]
      const rows = await reader.rows(client, { where })
      const found = new Map(rows.map((row) => [identityOf(key.ofRow(row)), row]))
      for (const write of part) {
        const row = found.get(identityOf(write.key))
        write.rows.after = row
        if (row) noteStoredRow(write.record, row)
      }
    }
  }
  for (const write of writes) if (write.leavesRow) write.rows.before = write.rows.after
}

const WATCHED = new WeakMap<LucidModel, Resource>()

/**
 * Marks a model whose writes are reported.
 *
 * @returns false if it is marked already
 */
export function markWatched(resource: Resource): boolean {
  const { model } = resource
  if (WATCHED.has(model)) return false
  WATCHED.set(model, resource)
  return true
}

/** Returns the resource of a model, if the model itself is watched. */
export function watchedResourceOf(model: LucidModel): Resource | undefined {
  return WATCHED.get(model)
}

/** True if writes of a model's instances are reported. */
export function isWatched(model: LucidModel): boolean {
  return watchedClassOf(model) !== undefined
}

/** Returns the model itself or its nearest superclass whose writes are reported. */
export function watchedClassOf(model: unknown): LucidModel | undefined {
  let Class: any = model
  while (Class && !WATCHED.has(Class)) Class = Object.getPrototypeOf(Class)
  return Class ?? undefined
}
