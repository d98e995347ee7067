import logger from '@adonisjs/core/services/logger'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import type { Resource } from '../resource/resource.js'
import { deliver, isObserved } from './observers.js'
import { Write } from './write.js'
import { addToScope, NOBODY, scopeOf, takeLocated } from './write_scope.js'

type Attributes = Record<string, unknown>

interface Before {
  /** Null if there is no such row, which a write through the instance does not make one */
  attributes: Attributes | null
  /** What of the instance goes into the row; everything else stays as it is there */
  written: string[]
}

const WATCHED = new WeakSet<LucidModel>()
const BEFORE = new WeakMap<LucidRow, Before>()

/**
 * Hangs hooks on a model that notice every write of an instance of it, wherever it comes from. They
 * come after the model's own, so that they see what those leave. [E1]
 *
 * @param ownCode  whether writes count that are not an action of `LucidCrud` on this very model
 */
export function watch(resource: Resource, { ownCode = true } = {}): void {
  const { model } = resource
  if (WATCHED.has(model)) return
  WATCHED.add(model)

  model.after('create', async (record) => {
    if (counts(record)) await note(record, null, { ...record.$attributes })
  })
  model.before('save', async (record) => {
    if (record.$isPersisted && counts(record)) await remember(record, Object.keys(record.$dirty))
  })
  model.after('update', async (record) => {
    const before = takeBefore(record)
    if (before?.attributes) await note(record, before.attributes, afterUpdate(record, before))
  })
  model.before('delete', async (record) => {
    if (counts(record)) await remember(record, [])
  })
  model.after('delete', async (record) => {
    const before = takeBefore(record)
    if (before?.attributes) await note(record, before.attributes, null)
  })

  /** A subclass inherits the hooks; where it is watched itself, its own ones do. */
  function counts(record: LucidRow): boolean {
    if (watchedClassOf(record) !== model) return false
    return ownCode || scopeOf(record.$trx)?.model === model
  }

  /**
   * An instance of own code may be old, or hold only some of the columns. Where a record is kept of
   * what was there before, it is read, and locked in a transaction. [E3]
   */
  async function remember(record: LucidRow, dirty: string[]) {
    if (!isObserved() || takeLocated(record)) {
      const written = Object.keys(record.$attributes)
      BEFORE.set(record, { attributes: { ...record.$original }, written })
      return
    }
    if (!resource.isLoaded) await resource.load(record.$trx)
    const client = model.$adapter.modelClient(record)
    const key = resource.key.of(record.$original)
    const attributes = await resource.reader.attributes(client, key)
    const automatic = resource.columns.all.filter((column) => column.automatic)
    const written = [...dirty, ...automatic.map((column) => column.attribute)]
    BEFORE.set(record, { attributes, written })
  }

  async function note(record: LucidRow, before: Attributes | null, after: Attributes | null) {
    if (!resource.isLoaded) await resource.load(record.$trx)
    const scope = scopeOf(record.$trx)
    const write = new Write(resource, record, before, after, {
      actor: scope?.actor ?? NOBODY,
      origin: scope?.origin,
    })
    if (before !== null && after !== null && !write.isChange) return
    if (scope) addToScope(scope, record.$trx!, [write])
    else if (record.$trx) await deliver([write], record.$trx)
    else {
      /* It is written: what fails now must not look as if it were not. */
      await deliver([write], model.$adapter.modelClient(record)).catch((error) =>
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

function afterUpdate(record: LucidRow, { attributes, written }: Before): Attributes {
  const after = { ...attributes }
  for (const name of written) {
    if (name in record.$attributes) after[name] = record.$attributes[name]
  }
  return after
}

function watchedClassOf(record: LucidRow): LucidModel | undefined {
  let Class: any = record.constructor
  while (Class && !WATCHED.has(Class)) Class = Object.getPrototypeOf(Class)
  return Class ?? undefined
}
