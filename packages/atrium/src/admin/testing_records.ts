/* Request bodies and removal of records in tests. Exported by adonis-atrium/testing. */
import { setImmediate } from 'node:timers/promises'
import app from '@adonisjs/core/services/app'
import emitter from '@adonisjs/core/services/emitter'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import { ModelCreated, Problem, RuntimeError } from '#crud'
import { holdsFiles, isWatched, knownResources, modelFiles } from '#crud/internals'
import { toApi } from '#base/values/to_api'

/** Records that the current test has created, in order of creation */
let created: LucidRow[] | undefined
const HOOKED = new WeakSet<LucidModel>()

/**
 * Returns the body of a request that creates the record: the values of the fields in its create schema, in the format
 * of the API. File columns are left out, as the API does not accept files.
 *
 * @param record  a record that is not stored, such as `make()` of a factory returns
 * @throws RuntimeError  if the model's table is missing
 */
export async function bodyOf(record: LucidRow): Promise<Record<string, unknown>> {
  const model = record.constructor as LucidModel
  const resource = knownResources.of(model)
  await resource.load()
  const body: Record<string, unknown> = {}
  for (const { apiName, column } of resource.createBody.fields) {
    if (!column || holdsFiles(model, column)) continue
    const value = record.$attributes[column.attribute]
    if (value !== undefined) body[apiName] = toApi(column, value)
  }
  return body
}

/**
 * Returns the validation messages of a write that is expected to fail, by API field name.
 *
 * @param write  promise of a write by `LucidCrud` or of `save()` of a record
 * @throws RuntimeError if the write succeeds; the write's error if it contains no field errors
 */
export async function fieldErrorsOf(write: Promise<unknown>): Promise<Record<string, string>> {
  const errors = await write.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof Problem && error.errors) return error.errors
      throw error
    }
  )
  if (!errors) throw new RuntimeError('The write was to be refused, and succeeded')
  return Object.fromEntries(errors.map(({ field, message }) => [field, message]))
}

/**
 * Removes the records that a test creates through the API, the admin site, a factory or `create()`. The newest are
 * removed first, so that foreign keys allow it. Use it as a setup hook: `group.each.setup(removeCreated)`.
 *
 * @returns function that removes the records
 */
export async function removeCreated(): Promise<() => Promise<void>> {
  await noteUnwatched()
  const records: LucidRow[] = (created = [])
  const stop = emitter.on(ModelCreated, ({ record }) => void records.push(record))
  return async () => {
    /* Events are emitted after the response. */
    await setImmediate()
    stop()
    created = undefined
    await removeAll(records.toReversed())
  }
}

/** Adds a hook to models without a decorator, as they emit no events. */
async function noteUnwatched(): Promise<void> {
  for (const file of await modelFiles(app)) {
    if ('error' in file) continue
    for (const model of file.exported) {
      if (!isModel(model) || isWatched(model) || HOOKED.has(model)) continue
      HOOKED.add(model)
      model.boot()
      model.after('create', (record) => void created?.push(record))
    }
  }
}

function isModel(value: unknown): value is LucidModel {
  return typeof value === 'function' && '$addColumn' in value
}

/** Removes records in several rounds if needed, as a record may refer to a newer one. */
async function removeAll(records: readonly LucidRow[]): Promise<void> {
  let left = records
  while (left.length > 0) {
    const failed: LucidRow[] = []
    let reason: unknown
    for (const record of left) {
      await remove(record).catch((error) => {
        reason = error
        failed.push(record)
      })
    }
    if (failed.length === left.length) throw reason
    left = failed
  }
}

/** Removes a record without hooks, even if it is soft-deleted. */
async function remove(record: LucidRow): Promise<void> {
  const model = record.constructor as LucidModel
  const query = model.query().client.from(model.table)
  for (const [attribute, { columnName, isPrimary }] of model.$columnsDefinitions) {
    if (isPrimary) query.where(columnName, record.$attributes[attribute])
  }
  await query.delete()
}
