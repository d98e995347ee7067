import { checkOperations } from '../checks.js'
import { ValueError, listed } from '#base/errors'
import { OPERATIONS, type Operation, BATCH_OPERATIONS } from '../operations/operation.js'
import type { EndpointOptions, Method, PlannedRoute } from './endpoint_options.js'
import type { EndpointName } from '../types.js'

/**
 * Returns the operations that the options of a model offer.
 *
 * @param place  name of the model, for the message
 * @throws ValueError  when the options contradict each other or name an unknown operation
 */
export function offeredOperations(
  place: string,
  { includedMethods, deletedMethods, deleteSchema }: EndpointOptions
): Set<Operation> {
  if (includedMethods && deletedMethods) {
    throw new ValueError(
      `${place}: includedMethods and deletedMethods can't both be given; use one of them`
    )
  }
  const included = checkOperations(place, 'includedMethods', includedMethods)
  const deleted = checkOperations(place, 'deletedMethods', deletedMethods)
  if (included?.has('db_delete') && !deleteSchema) {
    throw new ValueError(
      `${place}: includedMethods names db_delete, which exists only with a deleteSchema`
    )
  }
  return new Set(
    OPERATIONS.filter(
      (operation) =>
        (included?.has(operation) ?? true) &&
        !deleted?.has(operation) &&
        (operation !== 'db_delete' || deleteSchema !== undefined)
    )
  )
}

/** A generated endpoint; its path is relative to the model's path. */
export interface GeneratedEndpoint {
  operation: Operation
  /** All operations that a batch offers */
  operations?: readonly Operation[]
  /**
   * `put` is the second method of an update, for clients of json-server; `update_many` and `delete_many` write all
   * items that match
   */
  name: EndpointName | 'put' | 'update_many' | 'delete_many'
  method: Method
  path: string
}

const METHODS: Record<Operation, Method> = {
  create: 'POST',
  read: 'GET',
  read_multi: 'GET',
  update: 'PATCH',
  delete: 'DELETE',
  db_delete: 'DELETE',
}

/** Operations whose path contains the key of one item. */
const BY_KEY: Operation[] = ['read', 'update', 'delete', 'db_delete']

/** Endpoints with a separate path segment by default. */
const OWN_SEGMENT: EndpointName[] = ['db_delete', 'batch', 'aggregate']

/**
 * Returns the generated endpoints of a model.
 *
 * @param operations  operations that the model offers, in display order
 * @param names       the option `endpointNames`
 * @param keyPattern  the key in the router's notation, such as `/:id`
 * @param offers      which endpoints beyond the operations the model offers
 */
export function generatedEndpoints(
  operations: readonly Operation[],
  names: Partial<Record<EndpointName, string>> = {},
  keyPattern: string,
  offers: { batch?: boolean; aggregate?: boolean; bulk?: boolean; isJsonServer?: boolean } = {}
): GeneratedEndpoint[] {
  const segmentOf = (name: EndpointName) => {
    const segment = names[name] ?? (OWN_SEGMENT.includes(name) ? name : '')
    return segment === '' ? '' : `/${segment}`
  }
  const endpoints: GeneratedEndpoint[] = []
  /* Before the read of one item, so that `aggregate` is not read as a key. */
  if (offers.aggregate && operations.includes('read_multi')) {
    const path = segmentOf('aggregate')
    endpoints.push({ operation: 'read_multi', name: 'aggregate', method: 'GET', path })
  }
  const ofOperations = operations.map((operation): GeneratedEndpoint => ({
    operation,
    name: operation,
    method: METHODS[operation],
    path: segmentOf(operation) + (BY_KEY.includes(operation) ? keyPattern : ''),
  }))
  endpoints.push(...ofOperations)
  /* For clients of json-server, PUT is a partial update like PATCH. */
  const update = endpoints.find(({ operation }) => operation === 'update')
  if (offers.isJsonServer && update) endpoints.push({ ...update, name: 'put', method: 'PUT' })
  if (names.read_paginated !== undefined && operations.includes('read_multi')) {
    const path = segmentOf('read_paginated')
    endpoints.push({ operation: 'read_multi', name: 'read_paginated', method: 'GET', path })
  }
  for (const operation of ['update', 'delete'] as const) {
    if (!offers.bulk || !operations.includes(operation)) continue
    endpoints.push({ operation, name: `${operation}_many`, method: METHODS[operation], path: '' })
  }
  const batched = BATCH_OPERATIONS.filter((operation) => operations.includes(operation))
  if (offers.batch && batched.length > 0) {
    endpoints.push({
      operation: batched[0],
      operations: batched,
      name: 'batch',
      method: 'POST',
      path: segmentOf('batch'),
    })
  }
  return endpoints
}

/**
 * Checks that no two endpoints have the same method and path. Two paths are the same if only the names of their
 * parameters differ.
 *
 * @param place  name of the model, for the message
 * @param base   path of the model
 * @throws ValueError
 */
export function checkCollisions(
  place: string,
  base: string,
  endpoints: ReadonlyArray<Pick<PlannedRoute, 'name' | 'method' | 'path'>>
): void {
  const shape = ({ method, path }: (typeof endpoints)[0]) =>
    `${method} ${path.replace(/:[^/]+/g, ':')}`
  for (const routes of Map.groupBy(endpoints, shape).values()) {
    if (routes.length > 1) {
      const { method, path } = routes[0]
      throw new ValueError(
        `${place}: ${listed(routes.map((route) => route.name))} would share ${method} ${base}${path}; give them different endpointNames`
      )
    }
  }
}
