import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Column } from '#base/columns/column'
import type { KeyValue } from '#base/columns/key'
import { unavailability } from '#base/database/unavailable'
import { listed, Problem, ValueError, type BatchError, type FieldError } from '#base/errors'
import { invalidBody } from '#base/http/problems'
import { parseUpdate } from '#base/schema/body_schema'
import { conditionOfKey, MOST_ATTEMPTS, uniqueColumns } from '../../operations/upsert.js'
import { isHiddenFrom } from '../../request/item_request.js'
import type { Resource } from '../../resource/resource.js'
import type { Condition } from '#base/columns/condition'
import type { Item } from '../../types.js'

/* Milliseconds that a batch waits at most after its first deadlock; after the second twice as long, and so on */
const LONGEST_WAIT = 100

/** What the validation of a batch needs. */
export interface BatchValidation {
  /** True to refuse fields that the schema does not have */
  isStrict: boolean
  /** Reads the stored item; null if the caller can't see it */
  stored: (key: KeyValue) => Promise<Item | null>
  /** Returns the key of the item that meets a condition */
  find: (condition: Condition) => Promise<KeyValue | null>
}

/** Returns the values, or the errors of the invalid fields. */
export async function failuresIn(parsing: Promise<Values>): Promise<Values | FieldError[]> {
  try {
    return await parsing
  } catch (error) {
    if (error instanceof Problem && error.errors) return error.errors
    throw error
  }
}

type Values = Record<string, unknown>

/** A validated upsert: an update of the item with the key, or a create. */
export interface Upsert {
  key: KeyValue | null
  values: Values
}

/** Validates the upserts of a batch: existing items by the schema of updates, others by that of creates. */
export class UpsertReader {
  readonly #columns: readonly Column[]
  readonly #positions = new Map<string, number>()
  #count = 0

  /**
   * @param on  the member `on` of the body
   * @throws Problem 422  unless it names a unique column or the key
   */
  constructor(
    private readonly resource: Resource,
    on: unknown,
    private readonly validation: BatchValidation
  ) {
    this.#columns = columnsOf(resource, on)
  }

  /**
   * Validates one upsert.
   *
   * @returns the errors of an invalid item
   */
  async read(item: Values): Promise<Upsert | FieldError[]> {
    const index = this.#count++
    const id = JSON.stringify(this.#columns.map(({ apiName }) => String(item[apiName])))
    const first = this.#positions.get(id)
    if (first !== undefined) return [repeated(this.#columns, first)]
    this.#positions.set(id, index)
    try {
      return await this.#read(item)
    } catch (error) {
      if (error instanceof Problem && error.status === 422 && error.errors) return error.errors
      throw error
    }
  }

  async #read(item: Values): Promise<Upsert | FieldError[]> {
    const { createBody, updateBody } = this.resource
    const { find, isStrict, stored } = this.validation
    const wanted = this.#columns.map(({ apiName, attribute }) => [attribute, item[apiName]])
    const key = await find(conditionOfKey(this.#columns, Object.fromEntries(wanted)))
    if (!key) {
      const values = await failuresIn(createBody.parse(item, { operation: 'create' }, isStrict))
      return Array.isArray(values) ? values : { key, values }
    }
    const names = this.#columns.map(({ apiName }) => apiName)
    const body = Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)))
    const meta = { operation: 'update', key }
    const values = await failuresIn(
      parseUpdate(updateBody, {
        body,
        meta,
        isStrict,
        optional: new Set(names),
        stored: () => stored(key),
      })
    )
    return Array.isArray(values) ? values : { key, values }
  }
}

/**
 * Validates and writes a batch. If a concurrent write creates or deletes an item of an upsert in between, the batch is
 * validated and written again.
 *
 * @param isWithin  true in a transaction of the caller, which a deadlock ends as a whole
 * @throws the errors of `validate` and `write`
 */
export async function repeatOnRace<Batch extends { upsert: readonly Upsert[] }, Result>(
  validate: () => Promise<Batch>,
  write: (batch: Batch) => Promise<Result>,
  isWithin: boolean
): Promise<Result> {
  let batch = await validate()
  for (let attempt = 1; ; attempt++) {
    try {
      return await write(batch)
    } catch (error) {
      const canRepeat = batch.upsert.length > 0 && attempt < MOST_ATTEMPTS
      const isBusy = !isWithin && unavailability(error) === 'busy'
      if (!canRepeat || !(isBusy || areUpsertsRefused(error))) throw error
      /* Batches that wait different times do not meet in the same deadlock again. */
      if (isBusy) await setTimeout(Math.random() * LONGEST_WAIT * attempt)
      const again = await validate()
      if (!isBusy && isDeepStrictEqual(keysOf(again), keysOf(batch))) throw error
      batch = again
    }
  }
}

/** True if every error is of an upsert whose unique values already exist, or whose item no longer exists. */
function areUpsertsRefused(error: unknown): boolean {
  const errors = error instanceof Problem ? ((error.errors ?? []) as Partial<BatchError>[]) : []
  const isRefused = ({ operation, rule }: Partial<BatchError>) =>
    operation === 'upsert' && (rule === 'unique' || rule === 'exists')
  return errors.length > 0 && errors.every(isRefused)
}

const keysOf = ({ upsert }: { upsert: readonly Upsert[] }) => upsert.map(({ key }) => key)

function columnsOf(resource: Resource, on: unknown): Column[] {
  const { columns } = resource
  const names = Array.isArray(on) ? on.map(String) : []
  const shown = columns.visible.filter((column) => !isHiddenFrom(resource, column))
  const attributes = names.map(
    (name) => shown.find(({ apiName }) => apiName === name)?.attribute ?? ''
  )
  try {
    return uniqueColumns(resource, attributes)
  } catch (error) {
    if (!(error instanceof ValueError)) throw error
    const message = 'The on field must be a list with the names of a unique field, or of the key'
    throw invalidBody([{ field: 'on', rule: 'unique', message }])
  }
}

function repeated(columns: readonly Column[], first: number): FieldError {
  const names = columns.map(({ apiName }) => apiName)
  return {
    field: names[0],
    rule: 'distinct',
    message: `The ${listed(names)} field has the value of upsert ${first} once more`,
  }
}
