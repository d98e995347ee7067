import logger from '@adonisjs/core/services/logger'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import type { Resource } from '../resource/resource.js'
import { deliver } from './observers.js'
import { Write } from './write.js'
import { NOBODY, scopeOf } from './write_scope.js'

const WATCHED = new WeakSet<LucidModel>()
const BEFORE = new WeakMap<LucidRow, Record<string, unknown>>()

/**
 * Hangs hooks on a model that notice every write of an instance of it, wherever it comes from. They
 * come after the model's own, so that they see what those leave. [E1]
 *
 * @param ownCode  whether writes count that do not go through `LucidCrud`
 */
export function watch(resource: Resource, { ownCode = true } = {}): void {
  const { model } = resource
  if (WATCHED.has(model)) return
  WATCHED.add(model)

  model.after('create', async (record) => {
    await note(record, null, { ...record.$attributes })
  })
  model.before('update', (record) => {
    BEFORE.set(record, { ...record.$original })
  })
  model.after('update', async (record) => {
    const before = BEFORE.get(record) ?? null
    BEFORE.delete(record)
    await note(record, before, { ...record.$attributes })
  })
  model.after('delete', async (record) => {
    await note(record, { ...record.$original }, null)
  })

  async function note(
    record: LucidRow,
    before: Record<string, unknown> | null,
    after: Record<string, unknown> | null
  ) {
    const scope = scopeOf(record.$trx)
    if (!scope && !ownCode) return
    if (!resource.isLoaded) await resource.load(record.$trx)
    const write = new Write(resource, record, before, after, {
      actor: scope?.actor ?? NOBODY,
      origin: scope?.origin,
    })
    if (scope) scope.writes.push(write)
    else if (record.$trx) await deliver([write], record.$trx)
    else {
      /* It is written: what fails now must not look as if it were not. */
      await deliver([write], resource.client()).catch((error) =>
        logger.error({ err: error }, `A write of ${resource.name} could not be recorded`)
      )
    }
  }
}
