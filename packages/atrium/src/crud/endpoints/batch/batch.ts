import { Problem, type FieldError } from '#base/errors'
import { identityOf } from '#base/columns/key'
import type { KeyValue } from '#base/columns/key'
import type { Resource } from '../../resource/resource.js'
import { parseUpdate } from '#base/schema/parse_update'
import type { Item } from '../../types.js'
import type { SentBatch } from './batch_body.js'
import { BatchFaults } from './batch_faults.js'

type Values = Record<string, unknown>

/** The operations of a batch, validated, in their order. */
export interface Batch {
  create: Values[]
  update: Array<{ key: KeyValue; values: Values }>
  delete: KeyValue[]
}

/** Name of the key in an update */
const ID = 'id'

interface BatchValidation {
  /** True to refuse fields that the schema does not have */
  isStrict: boolean
  /** Reads the item as it is; null if the caller can't see it */
  stored: (key: KeyValue) => Promise<Item | null>
}

/**
 * Validates all operations of a batch as single requests are. [D4]
 *
 * @throws Problem 422  with the errors of all of them
 */
export async function validateBatch(
  resource: Resource,
  sent: SentBatch,
  validation: BatchValidation
): Promise<Batch> {
  const faults = new BatchFaults()
  const batch: Batch = { create: [], update: [], delete: [] }
  for (const [index, item] of sent.create.entries()) {
    const values = isObject(item)
      ? await failuresIn(
          resource.createBody.parse(item, { operation: 'create' }, validation.isStrict)
        )
      : [noObject()]
    if (Array.isArray(values)) faults.add('create', index, ...values)
    else batch.create.push(values)
  }
  for (const [index, item] of sent.update.entries()) {
    const update = isObject(item) ? await readUpdate(resource, item, validation) : [noObject()]
    if (Array.isArray(update)) faults.add('update', index, ...update)
    else batch.update.push(update)
  }
  const positions = new Map<string, number>()
  for (const [index, id] of sent.delete.entries()) {
    const key = resource.key.fromJson(id)
    const first = key && positions.get(identityOf(key))
    if (!key) faults.add('delete', index, invalidKey())
    else if (first !== undefined) faults.add('delete', index, repeated(first!))
    else {
      positions.set(identityOf(key), index)
      batch.delete.push(key)
    }
  }
  faults.throwIfAny()
  return batch
}

async function readUpdate(resource: Resource, item: Values, { isStrict, stored }: BatchValidation) {
  if (!Object.hasOwn(item, ID)) {
    return [{ field: ID, rule: 'required', message: 'The id field must be defined' }]
  }
  const key = resource.key.fromJson(item[ID])
  const { updateBody } = resource
  /* A schema of the model's own may want to see the key. */
  const isField = updateBody.fields.some(({ apiName }) => apiName === ID)
  const body = isField ? item : withoutId(item)
  const meta = { operation: 'update', ...(key && { key }) }
  const values = await failuresIn(
    parseUpdate(updateBody, { body, meta, isStrict, stored: () => key && stored(key) })
  )
  if (key && !Array.isArray(values)) return { key, values }
  const failures = Array.isArray(values) ? values : []
  return key ? failures : [invalidKey(), ...failures.filter(({ field }) => field !== ID)]
}

/** Of an item of any names, `__proto__` among them. */
function withoutId(item: Values): Values {
  return Object.fromEntries(Object.entries(item).filter(([name]) => name !== ID))
}

/** The values, or the failing fields. */
async function failuresIn(parsing: Promise<Values>): Promise<Values | FieldError[]> {
  try {
    return await parsing
  } catch (error) {
    if (error instanceof Problem && error.errors) return error.errors
    throw error
  }
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const noObject = (): FieldError => ({
  field: '',
  rule: 'object',
  message: 'It must be an object',
})

const invalidKey = (): FieldError => ({
  field: ID,
  rule: 'key',
  message: "The id field can't be an id of this resource",
})

const repeated = (first: number): FieldError => ({
  field: ID,
  rule: 'distinct',
  message: `The id field names the item of delete ${first} once more`,
})
