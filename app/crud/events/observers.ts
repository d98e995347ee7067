import logger from '@adonisjs/core/services/logger'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { afterOutermostCommit } from '../database/outermost_commit.js'
import { emitWrite } from './model_events.js'
import type { Write } from './write.js'

/**
 * Somebody who keeps a record of every write of decorated models.
 */
export interface WriteObserver {
  /**
   * Called with the writes of one action, inside their transaction if they have one: what it throws
   * then undoes them. [E4]
   */
  record(writes: readonly Write[], client: QueryClientContract): Promise<void>
}

const OBSERVERS = new Set<WriteObserver>()

/**
 * @returns what stops the observing
 */
export function observeWrites(observer: WriteObserver): () => void {
  OBSERVERS.add(observer)
  return () => void OBSERVERS.delete(observer)
}

/**
 * Tells the observers of an action's writes, and everybody else once they are there for good. [E1]
 */
export async function deliver(writes: readonly Write[], client: QueryClientContract) {
  if (writes.length === 0) return
  if (OBSERVERS.size > 0) {
    for (const write of writes) await write.complete(client)
    for (const observer of OBSERVERS) await observer.record(writes, client)
  }
  afterOutermostCommit(client, () => {
    for (const write of writes) {
      emitWrite(write).catch((error) =>
        logger.error({ err: error }, `A listener of a write of ${write.resource.name} failed`)
      )
    }
  })
}
