import logger from '@adonisjs/core/services/logger'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import type { Resource } from '../resource/resource.js'
import { deliver, isObserved } from './observers.js'
import { markOwnHook } from '../lucid/own_hooks.js'
import { isSameValue, Write } from './write.js'
import { actorWithin, addToScope, scopeOf, takeLocated } from './write_scope.js'

type Attributes = Record<string, unknown>

interface Before {
  /** The row as the instance knew it */
  known: Attributes
  /**
   * The stored row; null if there was none, in which case a write through the instance does not create
   * one
   */
  stored: Attributes | null
}

const WATCHED = new WeakSet<LucidModel>()
const BEFORE = new WeakMap<LucidRow, Before>()

/**
 * Adds hooks to a model that report every write of its instances, by any code. They run after the
 * model's own hooks, so that they see the results of those. [E1]
 *
 * @param ownCode  true to report writes that are not an action of `LucidCrud` on this very model as well
 */
export function watch(resource: Resource, { ownCode = true } = {}): void {
  const { model } = resource
  if (WATCHED.has(model)) return
  WATCHED.add(model)

  const onCreated = markOwnHook(async (record: LucidRow) => {
    if (counts(record)) await note(record, null, { ...record.$attributes })
  })
  model.after('create', onCreated)
  /* Not before 'save', as a model with such a hook may assign its own key. */
  const onUpdate = markOwnHook(async (record: LucidRow) => {
    if (counts(record)) await remember(record)
  })
  model.before('update', onUpdate)
  const onUpdated = markOwnHook(async (record: LucidRow) => {
    const before = counts(record) && takeBefore(record)
    if (before && before.stored) await note(record, before.stored, afterUpdate(record, before))
  })
  model.after('update', onUpdated)
  model.before('delete', async (record) => {
    if (counts(record)) await remember(record)
  })
  model.after('delete', async (record) => {
    const before = counts(record) && takeBefore(record)
    if (before && before.stored) await note(record, before.stored, null)
  })

  /** A subclass inherits the hooks; if it is watched itself, only its own count. */
  function counts(record: LucidRow): boolean {
    if (watchedClassOf(record) !== model) return false
    return ownCode || scopeOf(record.$trx)?.model === model
  }

  /**
   * An instance of own code may be stale, or have only some of the columns. If an observer needs the
   * previous state, the row is read, and locked in a transaction. [E3]
   */
  async function remember(record: LucidRow) {
    const known = { ...record.$original }
    if (!isObserved() || takeLocated(record)) {
      BEFORE.set(record, { known, stored: known })
      return
    }
    if (!resource.isLoaded) await resource.load(record.$trx)
    const client = model.$adapter.modelClient(record)
    const stored = await resource.reader.attributes(client, resource.key.of(known))
    BEFORE.set(record, { known, stored })
  }

  /** For an instance that may be stale, only its own changes are in the row now. */
  function afterUpdate({ $attributes }: LucidRow, { known, stored }: Before): Attributes {
    if (stored === known) return { ...$attributes }
    const after = { ...stored }
    for (const column of resource.columns.all) {
      const { attribute } = column
      if (!(attribute in $attributes)) continue
      if (!isSameValue(column, known, $attributes)) after[attribute] = $attributes[attribute]
    }
    return after
  }

  async function note(record: LucidRow, before: Attributes | null, after: Attributes | null) {
    if (!resource.isLoaded) await resource.load(record.$trx)
    const scope = scopeOf(record.$trx)
    const write = new Write(resource, record, before, after, {
      actor: actorWithin(scope),
      origin: scope?.origin,
    })
    if (before !== null && after !== null) {
      if (scope ? write.isRepetition : !write.isChange) return
    }
    if (scope) addToScope(scope, record.$trx!, [write])
    else if (record.$trx) await deliver([write], record.$trx)
    else {
      /* The write is done: a later error must not look as if it were not. */
      await deliver([write], model.$adapter.modelClient(record)).catch((error) =>
        logger.error({ err: error }, `A write of ${resource.name} could not be recorded`)
      )
    }
  }
}

/** True if writes of a model's instances are reported. */
export function isWatched(model: LucidModel): boolean {
  return classOf(model) !== undefined
}

function takeBefore(record: LucidRow): Before | undefined {
  const before = BEFORE.get(record)
  BEFORE.delete(record)
  return before
}

function watchedClassOf(record: LucidRow): LucidModel | undefined {
  return classOf(record.constructor)
}

function classOf(model: unknown): LucidModel | undefined {
  let Class: any = model
  while (Class && !WATCHED.has(Class)) Class = Object.getPrototypeOf(Class)
  return Class ?? undefined
}
