import logger from '@adonisjs/core/services/logger'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { copyAttributes } from '#base/lucid/exact_attributes'
import type { Resource } from '../resource/resource.js'
import { deliver, isObserved, prepareObservers, markWatched, watchedClassOf } from './observers.js'
import { markOwnHook } from '#base/lucid/own_hooks'
import { forgetStoredRow, takeLockedRow } from '../lucid/stored_rows.js'
import { addCausedPivots, causedBy, writeOf, type Caused } from './caused_writes.js'
import { isSameValue } from '#base/values/to_api'
import { Write } from './write.js'
import { actorWithin, addToScope, scopeOf, takeLocated } from './write_scope.js'
import { hasTriggers } from '../lucid/direct_writes.js'
import { assertKey, keyMissingIn } from '../lucid/record_writes.js'
import { beforeInsert } from '#upstream/lucid_record_queries'

/**
 * Refuses inserts without a value for the key, by any code that saves a record of the model, because SQLite would store
 * null in any key except an integer that SQLite generates. A table with triggers is left out, because one can set the
 * key.
 */
function refuseNullKeys(resource: Resource): void {
  const { key, model } = resource
  beforeInsert(model, async (record, row) => {
    if (watchedClassOf(record.constructor) !== model) return
    if (key.columns.every(({ name }) => (row[name] ?? null) !== null)) return
    if (!resource.isLoaded) await resource.load(record.$trx)
    const missing = keyMissingIn(row, resource)
    if (missing.length === 0) return
    if (await hasTriggers(resource, model.$adapter.modelClient(record))) return
    assertKey(missing)
  })
}

type Attributes = Record<string, unknown>

interface Before {
  /** The row as the instance had read it */
  known: Attributes
  /** The stored row; null if there is none, so that the write of the instance changes nothing */
  stored: Attributes | null
  /** The stored row in the driver's form, if it was read in this form */
  row?: Attributes
  /** Rows that the database deletes or updates with the record */
  caused?: Caused
}

const BEFORE = new WeakMap<LucidRow, Before>()

/**
 * Adds hooks to a model that report every write of its instances, by any code. They run after other hooks of the model,
 * so that their results are included.
 *
 * @param ownCode  true to also report writes outside actions of `LucidCrud` on this model
 */
export function watch(resource: Resource, { ownCode = true } = {}): void {
  const { model } = resource
  if (!markWatched(resource)) return
  refuseNullKeys(resource)

  const onCreated = markOwnHook(async (record: LucidRow) => {
    if (counts(record)) await note(record, { stored: null }, copyAttributes(record))
  })
  model.after('create', onCreated)
  /* A hook before 'save' would be too early, because a later one can assign the key. */
  const onUpdate = markOwnHook(async (record: LucidRow) => {
    if (counts(record)) await remember(record)
  })
  model.before('update', onUpdate)
  const onUpdated = markOwnHook(async (record: LucidRow) => {
    const before = counts(record) && takeBefore(record)
    if (before && before.stored) await note(record, before, afterUpdate(record, before))
  })
  model.after('update', onUpdated)
  const onDelete = markOwnHook(async (record: LucidRow) => {
    if (counts(record)) await remember(record, true)
  })
  model.before('delete', onDelete)
  const onDeleted = markOwnHook(async (record: LucidRow) => {
    const before = counts(record) && takeBefore(record)
    if (before && before.stored) await note(record, before, null)
  })
  model.after('delete', onDeleted)

  /**
   * True if this model's hooks report the record. A subclass inherits the hooks; if the subclass is watched itself,
   * only its own hooks report the record.
   */
  function counts(record: LucidRow): boolean {
    if (watchedClassOf(record.constructor) !== model) return false
    return ownCode || scopeOf(record.$trx)?.model === model
  }

  /**
   * Stores the state before a write. An instance of application code can be outdated, or contain only some of the
   * columns. If an observer needs the previous state, the row is read, and locked in a transaction.
   */
  async function remember(record: LucidRow, isDeletion = false) {
    /* A row that is stored for the instance is that of its previous write. */
    forgetStoredRow(record)
    const known = copyAttributes(record, record.$original)
    const waiting = prepareObservers(model.$adapter.modelClient(record))
    if (waiting) await waiting
    if (!isObserved()) {
      BEFORE.set(record, { known, stored: known })
      return
    }
    if (!resource.isLoaded) await resource.load(record.$trx)
    const client = model.$adapter.modelClient(record)
    const before = await readBefore(record, known, client)
    if (isDeletion && before.row) before.caused = await causedBy(resource, before.row, client)
    BEFORE.set(record, before)
  }

  async function readBefore(
    record: LucidRow,
    known: Attributes,
    client: QueryClientContract
  ): Promise<Before> {
    const row = takeLockedRow(record)
    if (takeLocated(record) && row) return { known, stored: known, row }
    const found = await resource.reader.stored(client, resource.key.of(known))
    return { known, stored: found && found.attributes, row: found?.row }
  }

  /**
   * Returns the state after an update. If the instance can be outdated, only its changes are applied to the stored row.
   */
  function afterUpdate(record: LucidRow, { known, stored }: Before): Attributes {
    if (stored === known) return copyAttributes(record)
    const { $attributes } = record
    const after = { ...stored }
    for (const column of resource.columns.all) {
      const { attribute } = column
      if (!(attribute in $attributes)) continue
      if (!isSameValue(column, known, $attributes)) after[attribute] = $attributes[attribute]
    }
    return after
  }

  async function note(
    record: LucidRow,
    { stored: before, row, caused }: Omit<Before, 'known'>,
    after: Attributes | null
  ) {
    if (!resource.isLoaded) await resource.load(record.$trx)
    const scope = scopeOf(record.$trx)
    const origin = { actor: actorWithin(scope), origin: scope?.origin }
    const write = new Write(resource, record, before, after, { ...origin, row })
    write.hasUnread = caused?.isCut ?? false
    const writes = [write]
    if (caused) {
      const client = model.$adapter.modelClient(record)
      await addCausedPivots(write, caused.pivots, client)
      for (const change of caused.changes) {
        const one = writeOf(change, origin)
        await addCausedPivots(one, change.pivots ?? [], client)
        writes.push(one)
      }
    }
    if (before !== null && after !== null) {
      if (scope ? write.isRepetition : !write.isChange) return
    }
    if (scope) addToScope(scope, record.$trx!, writes)
    else if (record.$trx) await deliver(writes, record.$trx)
    else {
      /* The write has succeeded: a later error must not make it look like a failure. */
      await deliver(writes, model.$adapter.modelClient(record)).catch((error) =>
        logger.error({ err: error }, `A write of ${resource.name} could not be recorded`)
      )
    }
  }
}

function takeBefore(record: LucidRow): Before | undefined {
  const before = BEFORE.get(record)
  BEFORE.delete(record)
  return before
}
