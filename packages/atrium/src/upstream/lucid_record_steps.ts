/*
 * Lucid 22.4.2 has no documented methods for the steps between a row and a record:
 * - `save()` and `delete()` use only one key column, so records with a composite key are written with statements of the
 *   engine. The steps of `save()` before and after its statement are private: setting automatic timestamps, converting
 *   the values of a row, and marking the record as stored. https://github.com/adonisjs/lucid/pull/382 (composite keys,
 *   closed).
 * - Rows that the engine reads become records by `$createFromAdapterResult`, and values that the database has generated
 *   become attributes by `$consumeAdapterResult`. Both are typed but undocumented. No issue known.
 *
 * The first part can be removed when the test "Lucid still writes one key column’s value to all rows" fails, the second
 * when Lucid documents a way to create a record from a row.
 */
import { BaseModel } from '@adonisjs/lucid/orm'
import type { LucidModel, LucidRow, ModelAdapterOptions } from '@adonisjs/lucid/types/model'
import { expectLibrary, hasMethods } from './expect_library.js'

interface SaveSteps {
  initiateAutoUpdateColumns(): void
  prepareForAdapter(attributes: Record<string, unknown>): Record<string, unknown>
  forceUpdate: boolean
}

/**
 * Checks the parts of Lucid that this file relies on.
 *
 * @throws Exception  when Lucid saves records, or creates them from rows, in other steps
 */
export function checkLibrary(model: { prototype: object } = BaseModel): void {
  const steps = [
    'initiateAutoUpdateColumns',
    'prepareForAdapter',
    '$hydrateOriginals',
    '$consumeAdapterResult',
  ]
  expectLibrary('@adonisjs/lucid', 'lucid_record_steps', {
    ...Object.fromEntries(
      steps.map((step) => [`BaseModel#${step}`, hasMethods(model.prototype, step)])
    ),
    'BaseModel.$createFromAdapterResult': hasMethods(model, '$createFromAdapterResult'),
  })
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

/** Returns the values of a record by column name, as Lucid passes them to the driver. */
export function rowOf(record: LucidRow): Record<string, unknown> {
  return (record as unknown as SaveSteps).prepareForAdapter(record.$attributes)
}

/** Returns the stored record of a row, by column name. */
export function createFromRow(
  model: LucidModel,
  row: Record<string, unknown>,
  options?: ModelAdapterOptions
): LucidRow {
  return model.$createFromAdapterResult(row, {}, options)!
}

/** Sets attributes of a record from values of the database, by column name. */
export function consumeValues(record: LucidRow, values: Record<string, unknown>): void {
  record.$consumeAdapterResult(values)
}

/** Sets the stored value of an attribute, which counts as unchanged. */
export function setStoredValue(record: LucidRow, attribute: string, value: unknown): void {
  record.$attributes[attribute] = value
  record.$original[attribute] = value
}
