import { Exception } from '@adonisjs/core/exceptions'
import logger from '@adonisjs/core/services/logger'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { afterOutermostCommit } from '../database/outermost_commit.js'
import { unavailability } from '../database/unavailable.js'
import { emitWrite } from './model_events.js'
import type { Write } from './write.js'

/**
 * Somebody who keeps a record of every write of decorated models.
 */
export interface WriteObserver {
  /**
   * Called with the writes of one action, those of its own model first, inside their transaction if
   * they have one: what it throws then undoes them. [E4]
   */
  record(writes: readonly Write[], client: QueryClientContract): Promise<void>
}

/**
 * A write was undone, as no record of it could be kept. [E4]
 */
export class WriteNotRecorded extends Exception {
  static status = 500
  static code = 'E_WRITE_NOT_RECORDED'
  static message = 'The write was undone, as no record of it could be kept'
}

const OBSERVERS = new Set<WriteObserver>()

/**
 * @returns what stops the observing
 */
export function observeWrites(observer: WriteObserver): () => void {
  OBSERVERS.add(observer)
  return () => void OBSERVERS.delete(observer)
}

export function isObserved(): boolean {
  return OBSERVERS.size > 0
}

/**
 * Tells the observers of an action's writes, and everybody else once they are there for good. [E1]
 *
 * @throws WriteNotRecorded  or why the database can't do it now
 */
export async function deliver(writes: readonly Write[], client: QueryClientContract) {
  if (writes.length === 0) return
  if (isObserved()) {
    try {
      for (const write of writes) await write.complete(client)
      for (const observer of OBSERVERS) await observer.record(writes, client)
    } catch (error) {
      throw unavailability(error) ? error : new WriteNotRecorded(undefined, { cause: error })
    }
  }
  afterOutermostCommit(client, () => {
    for (const write of writes) {
      emitWrite(write).catch((error) =>
        logger.error({ err: error }, `A listener of a write of ${write.resource.name} failed`)
      )
    }
  })
}
