import logger from '@adonisjs/core/services/logger'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { afterOutermostCommit } from '../database/outermost_commit.js'
import { unavailability } from '../database/unavailable.js'
import { completeRows } from './complete_rows.js'
import { emitWrite, hasListeners, isHeard } from './model_events.js'
import type { Write } from './write.js'
import { WriteNotRecorded } from '../errors.js'

/** Records every write of decorated models. */
export interface WriteObserver {
  /**
   * Called with the writes of one action, those of its own model first, inside their transaction if
   * there is one: an error that it throws then undoes them. [E4]
   */
  record(writes: readonly Write[], client: QueryClientContract): Promise<void>
}

const OBSERVERS = new Set<WriteObserver>()

/** @returns a function that stops the observing */
export function observeWrites(observer: WriteObserver): () => void {
  OBSERVERS.add(observer)
  return () => void OBSERVERS.delete(observer)
}

export function isObserved(): boolean {
  return OBSERVERS.size > 0
}

/** True if anybody learns of writes of a watched model: an observer, or a listener of its events. */
export function areWritesReported(): boolean {
  return isObserved() || hasListeners()
}

/**
 * Passes an action's writes to the observers, and emits their events after the commit. [E1]
 *
 * @param forgets  true to keep no write for the commit that nobody listens to
 * @throws WriteNotRecorded  or the reason why the database is unavailable
 */
export async function deliver(
  writes: readonly Write[],
  client: QueryClientContract,
  forgets = false
) {
  if (writes.length === 0) return
  if (isObserved()) {
    try {
      await completeRows(writes, client)
      for (const write of writes) await write.complete(client)
      for (const observer of OBSERVERS) await observer.record(writes, client)
    } catch (error) {
      throw unavailability(error) ? error : new WriteNotRecorded(undefined, { cause: error })
    }
  }
  const told = forgets ? writes.filter((write) => isHeard(write)) : writes
  if (told.length === 0) return
  afterOutermostCommit(client, () => {
    for (const write of told) {
      emitWrite(write).catch((error) =>
        logger.error({ err: error }, `A listener of a write of ${write.resource.name} failed`)
      )
    }
  })
}
