/*
 * Records of tests: the body that creates one, and their removal. Exported by adonis-atrium/testing.
 */
import { setImmediate } from 'node:timers/promises'
import app from '@adonisjs/core/services/app'
import emitter from '@adonisjs/core/services/emitter'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import { ModelCreated, Problem, RuntimeError } from '#crud'
import { holdsFiles, isWatched, knownResources, modelFiles } from '#crud/internals'
import { toApi } from '#base/values/to_api'

/** Records that the current test has created, in their order */
let created: LucidRow[] | undefined
const HOOKED = new WeakSet<LucidModel>()

/**
 * The body of a request that creates such a record: the values that its create schema names, as the API writes them, without
 * files, which the API does not accept.
 *
 * @param record  not stored, as `make()` of a factory returns it
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
 * The messages of a write that is refused for its fields, by their API names.
 *
 * @param write  of `LucidCrud`, or `save()` of a record
 * @throws RuntimeError if the write succeeds, and the write's error if it has no fields
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
 * Removes the records that a test creates, whoever creates them: the API, the admin site, a factory or `create()`. The
 * newest ones go first, so that foreign keys allow it. A set-up hook: `group.each.setup(removeCreated)`.
 *
 * @returns the function that removes them
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

/** Models without a decorator emit no events. */
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

/** A record may refer to a younger one, so that it takes several rounds. */
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

/** Without hooks, and also a record that is marked deleted. */
async function remove(record: LucidRow): Promise<void> {
  const model = record.constructor as LucidModel
  const query = model.query().client.from(model.table)
  for (const [attribute, { columnName, isPrimary }] of model.$columnsDefinitions) {
    if (isPrimary) query.where(columnName, record.$attributes[attribute])
  }
  await query.delete()
}
