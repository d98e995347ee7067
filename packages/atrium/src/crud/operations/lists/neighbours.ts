import { setImmediate } from 'node:timers/promises'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { dialectOf } from '#base/database/dialects'
import type { ListRequest } from '../../request/list_request.js'
import { orderOf, reversed, type Sort, orderTerms } from '#base/columns/sort'
import type { KeyValue } from '#base/columns/key'
import { fieldNames, selectFields } from '#base/columns/fields'
import { positionOf, positionParts, rangesAfter, type Position } from '../../sql/keyset.js'
import type { Found } from '../../sql/reader.js'
import type { Selection } from '../../sql/select.js'
import { allowedRecords } from './allowed_records.js'
import { type CallOptions, clientFor } from '../call_options.js'
import { keyOf } from '#base/items'
import type { Records } from '../records.js'

/* Number of records in the first batch, which is nearly always enough, and in each later one */
const FIRST_BATCH = 5
const NEXT_BATCH = 100

/**
 * Yields the keys of the records that follow or precede a record in a list, nearest first, in batches. The record does
 * not have to be in the list: the records around its position are its neighbours. A record that the actor cannot see
 * has no neighbours.
 *
 * @param request    conditions and order of the list; paging and fields are ignored
 * @param direction  side of the record to search
 * @throws Problem 403
 */
export async function* neighbours(
  records: Records,
  request: ListRequest,
  key: KeyValue,
  direction: 'before' | 'after',
  options: CallOptions
): AsyncGenerator<KeyValue[]> {
  const { resource } = records
  const client = await clientFor(resource, options)
  await records.authorize('read_multi', options)
  const shown = request.shownBy(resource)
  const forwards = orderOf(shown.sorts, resource.key.columns)
  const order = direction === 'after' ? forwards : forwards.map(reversed)
  const position = await positionIn(order, records, key, client, options)
  if (!position) return
  const matching = records.byConditions(shown, client, options)
  if (!records.authorizesRecords(options)) {
    return yield* storedKeys(order, position, records, matching, client)
  }
  const ranges = rangesAfter(order, position, resource.table, dialectOf(client))
  const batches = allowedRecords(records, client, matching, options, {
    sorts: order,
    ranges: ranges.map((range) => [range]),
    first: FIRST_BATCH,
  })
  for await (const allowed of batches) yield allowed.map(({ record }) => resource.key.of(record))
}

async function* storedKeys(
  order: readonly Sort[],
  begin: Position,
  records: Records,
  matching: Selection,
  client: QueryClientContract
): AsyncGenerator<KeyValue[]> {
  const { table } = records.resource
  const dialect = dialectOf(client)
  const wanted = wantedKeys(order, records, client)
  let position = begin
  let limit = FIRST_BATCH
  for (;;) {
    const found: Found[] = []
    for (const range of rangesAfter(order, position, table, dialect)) {
      if (found.length === limit) break
      const selection = {
        where: [...matching.where, range],
        scope: matching.scope,
        joins: matching.joins,
        order: orderTerms(table, order, dialect),
        limit: limit - found.length,
      }
      found.push(...(await records.reader.find(client, selection, wanted)))
    }
    if (found.length > 0) yield found.map(({ item }) => keyOf(item)!)
    if (found.length < limit) return
    position = positionOf(found.at(-1)!.extras, order)
    limit = NEXT_BATCH
    /* A synchronous driver would otherwise block all other requests. */
    await setImmediate()
  }
}

/** Returns the position of a record in the order of a list; null if the actor cannot see the record. */
async function positionIn(
  order: readonly Sort[],
  records: Records,
  key: KeyValue,
  client: QueryClientContract,
  options: CallOptions
): Promise<Position | null> {
  const one = records.byKey(key, client, { ...options, deleted: 'include' })
  const joins = records.joinsOf(order, client, options)
  const selection = { ...one, joins, limit: 1 }
  const [found] = await records.reader.find(client, selection, wantedKeys(order, records, client))
  return found ? positionOf(found.extras, order) : null
}

function wantedKeys(order: readonly Sort[], { resource }: Records, client: QueryClientContract) {
  const keys = new Set(resource.key.columns.map(({ apiName }) => apiName))
  const names = fieldNames(resource).filter((name) => keys.has(name))
  return {
    keys: true,
    fields: selectFields(resource, names),
    extras: positionParts(order, resource.table, dialectOf(client)),
  }
}
