import { hasTriggers } from './direct_writes.js'
import { assertKey, keyMissingIn } from './record_writes.js'
import { watchedClassOf } from '../events/watched.js'
import type { Resource } from '../resource/resource.js'
import { beforeInsert } from '#upstream/lucid_record_queries'

/**
 * Refuses inserts without a value for the key, by any code that saves a record of the model: SQLite stores null in the
 * key of a table, unless it is an integer that SQLite generates. A trigger can also set the key.
 */
export function refuseNullKeys(resource: Resource): void {
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
