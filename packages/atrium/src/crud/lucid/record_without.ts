import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import { shareExactRow } from '#base/lucid/exact_attributes'

/** Returns a copy of a record without some attributes, for application code that creates responses. */
export function recordWithout(record: LucidRow, attributes: ReadonlySet<string>): LucidRow {
  const model = record.constructor as LucidModel
  const copy = new model() as LucidRow
  copy.$attributes = Object.fromEntries(
    Object.entries(record.$attributes).filter(([name]) => !attributes.has(name))
  )
  copy.$hydrateOriginals()
  shareExactRow(copy, record)
  Object.assign(copy.$preloaded, record.$preloaded)
  Object.assign(copy.$extras, record.$extras)
  copy.$isPersisted = record.$isPersisted
  copy.$isLocal = record.$isLocal
  return copy
}
