import { ValueError } from '#base/errors'
import {
  BATCH_OPERATIONS,
  type BatchOperation,
  type Operation,
} from '../../operations/operation.js'
import type { Resource } from '../../resource/resource.js'
import type { EndpointMiddleware } from '../../types.js'
import type { EndpointOptions } from '../endpoint_options.js'

const HANDLERS = { create: 'createItem', update: 'updateItem', delete: 'deleteItem' } as const

/** The methods that both the handlers and a batch call */
const CALLS = { create: 'insertItem', update: 'changeItem', delete: 'removeItem' } as const

type Handlers = Record<(typeof HANDLERS)[BatchOperation] | 'batchItems', unknown>

/**
 * Checks that a model can offer a batch.
 *
 * @param operations  operations that the model offers; undefined if its options do not decide this
 * @throws ValueError
 */
export function checkBatch(
  { columns, name, virtualFields }: Resource,
  operations: readonly Operation[] | undefined
): void {
  if (operations && !BATCH_OPERATIONS.some((one) => operations.includes(one))) {
    throw new ValueError(`${name}: batch is set, but the model has no create, update or delete`)
  }
  const hasOtherId = columns.all.some((one) => one.apiName === 'id' && !one.isPrimary)
  if (hasOtherId || virtualFields.includes('id')) {
    throw new ValueError(
      `${name}: batch is set, whose updates name an item by id, and the model has another field of that name`
    )
  }
}

/**
 * Checks that no overridden handler is bypassed by a batch, because a batch would not apply the rules of the handler.
 *
 * @throws ValueError
 */
export function checkHandlers(creator: Handlers, base: Handlers, operations: readonly Operation[]) {
  if (creator.batchItems !== base.batchItems) return
  for (const operation of BATCH_OPERATIONS) {
    const handler = HANDLERS[operation]
    if (!operations.includes(operation) || creator[handler] === base[handler]) continue
    const { name } = creator.constructor
    throw new ValueError(
      `${name} overrides ${handler}, which a batch does not call; override ${CALLS[operation]}, which both call, or batchItems as well`
    )
  }
}

/**
 * Checks that a model can offer writes of all items that match.
 *
 * @throws ValueError
 */
export function checkBulk(name: string, operations: readonly Operation[]): void {
  if (operations.includes('update') || operations.includes('delete')) return
  throw new ValueError(`${name}: bulk is set, but the model has no update or delete`)
}

const BULK = { update_many: 'updateItems', delete_many: 'deleteItems' } as const

/**
 * Checks that no overridden handler is bypassed by a write of all items that match.
 *
 * @throws ValueError
 */
export function checkBulkHandler(
  creator: Record<
    (typeof BULK)[keyof typeof BULK] | (typeof HANDLERS)['update' | 'delete'],
    unknown
  >,
  base: typeof creator,
  route: string,
  operation: Operation
): void {
  if (route !== 'update_many' && route !== 'delete_many') return
  const own = BULK[route]
  const handler = HANDLERS[operation as 'update' | 'delete']
  if (creator[own] !== base[own] || creator[handler] === base[handler]) return
  throw new ValueError(
    `${creator.constructor.name} overrides ${handler}, which writes of all items that match do not call; override ${CALLS[operation as 'update' | 'delete']}, which both call, or ${own} as well`
  )
}

/** Returns the middleware of a route; for a batch, the middleware of all operations that it offers. */
export function middlewareOf(
  { middleware }: EndpointOptions,
  operations: readonly Operation[]
): EndpointMiddleware[] | undefined {
  const named = operations.flatMap((operation) => {
    const some = middleware?.[operation]
    return some ? [[...some]] : []
  })
  return named.length > 0 ? [...new Set(named.flat())] : undefined
}
