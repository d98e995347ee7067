import type { Problem, BatchError, FieldError } from '#base/errors'
import {
  batchRefused,
  invalidBatch,
  invalidBody,
  tooManyOperations,
  batchResponseTooLarge,
} from '#base/http/problems'
import { toProblem } from '#base/http/send_problem'
import { type BatchOperation, type BatchPart, BATCH_PARTS } from '../../operations/operation.js'
import { identityOf, type KeyValue } from '#base/columns/key'
import type { Resource } from '../../resource/resource.js'
import { UpsertReader, type Upsert, failuresIn, type BatchValidation } from './upserts.js'
import { parseUpdate } from '#base/schema/body_schema'
import type { Item } from '../../types.js'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { gatherWrites } from '../../events/write_scope.js'
import { responseLimits, type ResponseBudget } from '../../http/response_budget.js'
import type { BatchResponse, WrittenItem } from '../../http/idempotency.js'
import type { CallOptions } from '../../operations/call_options.js'
import { nextEventLoopTurn } from '#base/event_loop'
import { isUnreadable, keyOf } from '#base/items'
import { writeJson } from '#base/values/json'

/* Maximum number of errors in a response */
const MOST = 1000

/** Statuses after which the remaining operations are still run, so that their errors are reported as well */
const COLLECTED = [404, 409, 422]

const RULES: Record<number, string> = { 403: 'forbidden', 404: 'exists', 409: 'conflict' }

/** Errors of a batch's operations, each with the position of its operation. */
class BatchErrors {
  readonly #errors: BatchError[] = []
  #first: Problem | undefined

  get areAny(): boolean {
    return this.#errors.length > 0
  }

  get areTooMany(): boolean {
    return this.#errors.length >= MOST
  }

  add(operation: BatchPart, index: number, ...errors: FieldError[]): void {
    for (const error of errors.slice(0, MOST - this.#errors.length)) {
      this.#errors.push({ operation, index, ...error })
    }
  }

  /**
   * Adds the error of an operation.
   *
   * @param error  the error that a single request for the operation would return
   * @throws the error itself if it is not caused by the data; a Problem with the operation's position if its status
   *   ends the batch
   */
  addRefusal(operation: BatchPart, index: number, error: unknown): void {
    const problem = toProblem(error)
    if (problem.status >= 500) throw error
    const found = errorsOf(problem)
    if (!COLLECTED.includes(problem.status)) {
      throw batchRefused(
        problem,
        found.map((one) => ({ operation, index, ...one }))
      )
    }
    this.add(operation, index, ...found)
    this.#first ??= problem
  }

  /**
   * @throws Problem 409  when the first operation that failed was in conflict with the database
   * @throws Problem 422  for any other error
   */
  throwIfAny(): void {
    if (!this.areAny) return
    if (this.#first?.status === 409) throw batchRefused(this.#first, this.#errors)
    throw invalidBatch(this.#errors)
  }
}

/** Returns the errors of a problem. A problem with the whole operation has no field errors, so one is created. */
function errorsOf({ errors = [], message, status }: Problem): FieldError[] {
  if (errors.length > 0) return errors
  const field = status === 404 ? 'id' : ''
  return [{ field, rule: RULES[status] ?? 'invalid', message }]
}

/** Maximum number of operations in one batch. */
export const MOST_OPERATIONS = 1000

/** Lists of a batch body, as they were sent. */
type SentBatch = Record<BatchPart, readonly unknown[]> & {
  /** API names of the columns that find the items of `upsert` */
  on: unknown
}

/** Returns true if the model offers the operations that a list of the batch needs. */
function isOffered(part: BatchPart, offered: readonly string[]): boolean {
  return partsOf(part).every((one) => offered.includes(one))
}

/** Returns the operations that a list of a batch needs. */
export function partsOf(part: BatchPart): BatchOperation[] {
  return part === 'upsert' ? ['create', 'update'] : [part]
}

/**
 * Reads the lists of a batch's body; a missing list is empty.
 *
 * @param offered   operations that the model offers
 * @param isStrict  true to refuse other fields
 * @throws Problem 422  for a value that is not a list, a list of an operation that the model does not offer, and for
 *   too many operations
 */
export function batchIn(
  body: Record<string, unknown>,
  offered: readonly string[],
  isStrict: boolean
): SentBatch {
  const sent: SentBatch = { create: [], update: [], upsert: [], delete: [], on: body.on }
  const errors: FieldError[] = []
  for (const name of BATCH_PARTS) {
    if (!Object.hasOwn(body, name)) continue
    const list = body[name]
    if (!Array.isArray(list)) {
      errors.push({ field: name, rule: 'array', message: `The ${name} field must be an array` })
    } else if (list.length > 0 && !isOffered(name, offered)) {
      const message = `The ${name} field is not for items that have no ${name}`
      errors.push({ field: name, rule: 'offered', message })
    } else sent[name] = list
  }
  if (isStrict && Object.keys(body).some((name) => !isMember(name))) errors.push(unknownField())
  if (errors.length > 0) throw invalidBody(errors)
  const count = BATCH_PARTS.reduce((sum, name) => sum + sent[name].length, 0)
  if (count > MOST_OPERATIONS) throw tooManyOperations(MOST_OPERATIONS, count)
  return sent
}

function isMember(name: string): boolean {
  return name === 'on' || (BATCH_PARTS as readonly string[]).includes(name)
}

function unknownField(): FieldError {
  return {
    field: '',
    rule: 'unknown',
    message: 'A batch has the fields create, update, upsert, on and delete',
  }
}

type Values = Record<string, unknown>

/** Validated operations of a batch, in the order of the request. */
export interface Batch {
  create: Values[]
  update: Array<{ key: KeyValue; values: Values }>
  upsert: Upsert[]
  delete: KeyValue[]
}

/** Name of the key in an update */
const ID = 'id'

/**
 * Validates all operations of a batch like single requests.
 *
 * @throws Problem 422  with the errors of all operations
 */
export async function validateBatch(
  resource: Resource,
  sent: SentBatch,
  validation: BatchValidation
): Promise<Batch> {
  const errors = new BatchErrors()
  const batch: Batch = { create: [], update: [], upsert: [], delete: [] }
  for (const [index, item] of sent.create.entries()) {
    const values = isObject(item)
      ? await failuresIn(
          resource.createBody.parse(item, { operation: 'create' }, validation.isStrict)
        )
      : [noObject()]
    if (Array.isArray(values)) errors.add('create', index, ...values)
    else batch.create.push(values)
  }
  for (const [index, item] of sent.update.entries()) {
    const update = isObject(item) ? await readUpdate(resource, item, validation) : [noObject()]
    if (Array.isArray(update)) errors.add('update', index, ...update)
    else batch.update.push(update)
  }
  if (sent.upsert.length > 0) {
    const reader = new UpsertReader(resource, sent.on, validation)
    for (const [index, item] of sent.upsert.entries()) {
      const upsert = isObject(item) ? await reader.read(item) : [noObject()]
      if (Array.isArray(upsert)) errors.add('upsert', index, ...upsert)
      else batch.upsert.push(upsert)
    }
  }
  const positions = new Map<string, number>()
  for (const [index, id] of sent.delete.entries()) {
    const key = resource.key.fromJson(id)
    const first = key && positions.get(identityOf(key))
    if (!key) errors.add('delete', index, invalidKey())
    else if (first !== undefined) errors.add('delete', index, repeated(first!))
    else {
      positions.set(identityOf(key), index)
      batch.delete.push(key)
    }
  }
  errors.throwIfAny()
  return batch
}

async function readUpdate(resource: Resource, item: Values, { isStrict, stored }: BatchValidation) {
  if (!Object.hasOwn(item, ID)) {
    return [{ field: ID, rule: 'required', message: 'The id field must be defined' }]
  }
  const key = resource.key.fromJson(item[ID])
  const { updateBody } = resource
  /* An id that is a field of the model's custom schema stays in the body. */
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

/** Returns an item without its id. Works for any field names, including `__proto__`. */
function withoutId(item: Values): Values {
  return Object.fromEntries(Object.entries(item).filter(([name]) => name !== ID))
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

/* Number of operations after which other requests can run. */
const OPERATIONS_A_TURN = 10

/** The database calls of single requests, in the transaction of the batch. */
export interface BatchCalls {
  insert: (values: Record<string, unknown>) => Promise<Item>
  change: (
    key: KeyValue,
    values: Record<string, unknown>,
    returning: boolean
  ) => Promise<Item | null>
  remove: (key: KeyValue) => Promise<void>
}

interface RunOptions extends BatchCalls {
  resource: Resource
  callOptions: CallOptions
  budget: ResponseBudget
  /** True if the response contains the written items */
  returning: boolean
  /** True if the caller is allowed to read items */
  mayRead: boolean
}

/**
 * Runs a validated batch: creates, then updates, upserts and deletions. Each operation runs in a separate savepoint;
 * the operations of each kind are one action for events and the log. After an error the remaining operations are still
 * run, so that their errors are reported too; the caller then rolls back its transaction.
 *
 * @throws Problem 403, 409, 413 or 422
 */
export async function runBatch(
  batch: Batch,
  transaction: TransactionClientContract,
  options: RunOptions
): Promise<BatchResponse> {
  const { change, insert, mayRead, remove, resource, returning } = options
  const errors = new BatchErrors()
  const response = new ResponseItems(options.budget, returning)
  const run = (operation: BatchPart, count: number, write: (index: number) => Promise<void>) =>
    runAll(operation, count, write, { errors, resource, transaction, ...options.callOptions })

  await run('create', batch.create.length, async (index) => {
    const item = await insert(batch.create[index])
    response.add(response.created, isUnreadable(item) ? null : item, keyOf(item))
  })
  await run('update', batch.update.length, async (index) => {
    const { key, values } = batch.update[index]
    response.add(response.updated, await change(key, values, returning && mayRead), key)
  })
  await run('upsert', batch.upsert.length, async (index) => {
    const { key, values } = batch.upsert[index]
    if (key) {
      const item = await change(key, values, returning && mayRead)
      return response.add(response.upserted, item, key)
    }
    const item = await insert(values)
    response.add(response.upserted, isUnreadable(item) ? null : item, keyOf(item))
  })
  await run('delete', batch.delete.length, (index) => remove(batch.delete[index]))
  errors.throwIfAny()
  const { created, updated, upserted } = response
  return {
    created,
    updated,
    ...(batch.upsert.length > 0 && { upserted }),
    deleted: batch.delete,
    isMinimal: !returning,
  }
}

interface ActionOptions extends Pick<CallOptions, 'actor' | 'origin'> {
  errors: BatchErrors
  resource: Resource
  transaction: TransactionClientContract
}

/** Runs the operations of one kind. Once one has failed, nothing is logged, because the batch will be rolled back. */
async function runAll(
  operation: BatchPart,
  count: number,
  write: (index: number) => Promise<void>,
  { actor, errors, origin, resource: { model }, transaction }: ActionOptions
): Promise<void> {
  if (count === 0 || errors.areTooMany) return
  try {
    await gatherWrites(transaction, { model, actor, origin }, async () => {
      for (let index = 0; index < count && !errors.areTooMany; index++) {
        if (index % OPERATIONS_A_TURN === 0) await nextEventLoopTurn()
        try {
          await write(index)
        } catch (error) {
          errors.addRefusal(operation, index, error)
        }
      }
      if (errors.areAny) throw FAILED
    })
  } catch (error) {
    if (error !== FAILED) throw error
  }
}

const FAILED = new Error('An operation of the batch has failed')

/** The items of the response, converted to JSON immediately: the values of 1,000 items could fill the memory. */
class ResponseItems {
  readonly created: WrittenItem[] = []
  readonly updated: WrittenItem[] = []
  readonly upserted: WrittenItem[] = []
  #length = 0

  constructor(
    private readonly budget: ResponseBudget,
    private readonly returning: boolean
  ) {}

  add(list: WrittenItem[], item: Item | null | undefined, key: KeyValue | undefined): void {
    const body = this.returning ? writeJson(item ?? null) : 'null'
    const { response } = responseLimits()
    this.#length += body.length
    if (this.#length > response) throw batchResponseTooLarge(response)
    this.budget.reserveAtLeast(this.#length)
    list.push({ body, key })
  }
}
