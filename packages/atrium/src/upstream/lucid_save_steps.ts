/*
 * Lucid 22.4.2: `save()` and `delete()` use only one key column, so records with a composite key are written with
 * statements of the engine. The steps of `save()` before and after its statement are private: setting automatic
 * timestamps, converting the values of a row, and marking the record as stored.
 * https://github.com/adonisjs/lucid/pull/382 (composite keys, closed). The code can be removed when the test "Lucid
 * still writes one key column’s value to all rows" fails.
 */
import { BaseModel } from '@adonisjs/lucid/orm'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { expectLibrary, hasMethods } from './expect_library.js'

interface SaveSteps {
  initiateAutoUpdateColumns(): void
  prepareForAdapter(attributes: Record<string, unknown>): Record<string, unknown>
  forceUpdate: boolean
}

/**
 * Checks the parts of Lucid that this file relies on.
 *
 * @throws Exception  when Lucid saves records in other steps
 */
export function checkLibrary(row: object = BaseModel.prototype): void {
  const steps = ['initiateAutoUpdateColumns', 'prepareForAdapter', '$hydrateOriginals']
  expectLibrary(
    '@adonisjs/lucid',
    'lucid_save_steps',
    Object.fromEntries(steps.map((step) => [`BaseModel#${step}`, hasMethods(row, step)]))
  )
}

/**
 * Returns the changes of a record for an update, by column name, with its automatic timestamps.
 *
 * @returns null if nothing has changed and no update is forced
 */
export function takeChanges(record: LucidRow): Record<string, unknown> | null {
  const steps = record as unknown as SaveSteps
  const isForced = steps.forceUpdate
  steps.forceUpdate = false
  if (!record.$isDirty && !isForced) return null
  steps.initiateAutoUpdateColumns()
  return steps.prepareForAdapter(record.$dirty)
}
