import { setImmediate } from 'node:timers/promises'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { dialectOf } from '#base/database/dialects'
import type { ListRequest } from '../../request/list_request.js'
import { fieldNames, selectFields } from '#base/columns/fields'
import { orderOf, orderTerms } from '#base/columns/sort'
import type { KeyValue } from '#base/columns/key'
import { positionOf, positionParts, rangesAfter } from '../../sql/keyset.js'
import type { Selection } from '../../sql/select.js'
import { allowedRecords, areCountable, countAllowed } from './allowed_records.js'
import { type CallOptions, clientFor } from '../call_options.js'
import { keyOf } from '#base/items'
import type { Records } from '../records.js'

type Matching = Pick<ListRequest, 'conditions' | 'deleted'>

/* Higher than `ROWS_PER_READ`, because keys are small and no records are created from them. */
const KEYS_PER_READ = 1000

/**
 * Returns the number of records on all pages of a list.
 *
 * @returns null if the policy requires the record and too many records would have to be authorized
 * @throws Problem 403
 */
export async function countMatching(
  records: Records,
  request: Matching,
  options: CallOptions
): Promise<number | null> {
  const client = await clientFor(records.resource, options)
  await records.authorize('read_multi', options)
  const matching = records.byConditions(request, client, options)
  return records.authorizesRecords(options)
    ? await countAllowed(records, client, matching, options)
    : await records.reader.counts.all(client, matching)
}

/**
 * Yields the keys of the records on all pages of a list in batches, in key order. The keys are consistent if the client
 * is a transaction with repeatable reads.
 *
 * @throws Problem 403
 */
export async function* matchingKeys(
  records: Records,
  request: Matching,
  options: CallOptions
): AsyncGenerator<KeyValue[]> {
  const client = await clientFor(records.resource, options)
  await records.authorize('read_multi', options)
  const { key } = records.resource
  const matching = records.byConditions(request, client, options)
  if (!records.authorizesRecords(options)) return yield* storedKeys(records, matching, client)
  if (!(await areCountable(records, client, matching))) return
  for await (const allowed of allowedRecords(records, client, matching, options)) {
    yield allowed.map(({ record }) => key.of(record))
  }
}

async function* storedKeys(
  records: Records,
  matching: Selection,
  client: QueryClientContract
): AsyncGenerator<KeyValue[]> {
  const { key, table } = records.resource
  const dialect = dialectOf(client)
  const order = orderOf([], key.columns)
  const names = new Set(key.columns.map(({ apiName }) => apiName))
  const wanted = {
    keys: true,
    fields: selectFields(
      records.resource,
      fieldNames(records.resource).filter((name) => names.has(name))
    ),
    extras: positionParts(order, table, dialect),
  }
  let range: Selection['where'] = []
  for (;;) {
    const found = await records.reader.find(
      client,
      {
        where: [...matching.where, ...range],
        scope: matching.scope,
        joins: matching.joins,
        order: orderTerms(table, order, dialect),
        limit: KEYS_PER_READ,
      },
      wanted
    )
    if (found.length > 0) yield found.map(({ item }) => keyOf(item)!)
    if (found.length < KEYS_PER_READ) return
    /* A key has no nulls, so there is one range. */
    range = rangesAfter(order, positionOf(found.at(-1)!.extras, order), table, dialect)
    /* A synchronous driver would otherwise block all other requests. */
    await setImmediate()
  }
}
