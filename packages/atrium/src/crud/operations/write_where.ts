import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { ValueError } from '#base/errors'
import { endLongTurn } from '#base/event_loop'
import { inTransaction } from '#base/database/transaction'
import { forbidden } from '#base/http/access_problems'
import { tooManyMatch } from '#base/http/problems'
import { ListRequest } from '../request/list_request.js'
import { strictConditions } from '../request/strict_filters.js'
import type { KeyValue } from '#base/columns/key'
import type { GrantedOperation } from '../resource/permissions.js'
import type { CallOptions } from './call_options.js'
import type { CrudContext } from './crud_context.js'
import { countMatching, matchingKeys } from './lists/matching_keys.js'
import { relatedInCode } from './related/related_fields.js'
import { runWrite } from './writes/record_path.js'

/** Filters by name, or the request of an endpoint. */
export type Where = Record<string, unknown> | ListRequest

/** Options of a write of all items that match. */
export interface WhereOptions extends CallOptions {
  /** Maximum number of items; if more match, nothing is written. Default: 1 */
  max?: number
  /** Writes one item in the client's transaction, in place of `update` or `deleteMany`; requires `joins` */
  each?: (key: KeyValue) => Promise<unknown>
}

/**
 * Writes the items that match the filters, all of them or none, in one transaction. The filters apply to the locked
 * records.
 *
 * @param write  writes the records, which are locked in the order of their keys
 * @returns the number of items
 * @throws Problem 403, 412 or 422
 */
export async function writeWhere(
  context: CrudContext,
  operation: GrantedOperation,
  where: Where,
  { max = 1, ...options }: WhereOptions,
  write: (records: readonly LucidRow[], client: TransactionClientContract) => Promise<void>
): Promise<number> {
  const { records, resource } = context
  if (!Number.isSafeInteger(max) || max < 0) {
    throw new ValueError(`${resource.name}: max is ${max}, and must be a number of items`)
  }
  await resource.load(options.client)
  if (!resource.permits(operation)) throw forbidden()
  const work = async (client: TransactionClientContract) => {
    await records.authorize('read_multi', options)
    const conditions =
      where instanceof ListRequest
        ? where.shownBy(resource).conditions
        : strictConditions(
            resource,
            where,
            await relatedInCode(resource, where, { ...options, client })
          )
    const request = { conditions, deleted: 'exclude' as const }
    const own = { ...options, client }
    const found = await lockMatching(context, request, max + 1, client, own)
    if (found.length > max) {
      const total = await countMatching(records, request, own)
      throw tooManyMatch(Math.max(total ?? 0, found.length), max)
    }
    if (found.length > 0) await write(found, client)
    return found.length
  }
  return await runWrite(context, options, work, inTransaction)
}

type Request = Pick<ListRequest, 'conditions' | 'deleted'>

/** Reads and locks the first matching records. */
async function lockMatching(
  { records, resource }: CrudContext,
  request: Request,
  most: number,
  client: TransactionClientContract,
  options: CallOptions
): Promise<LucidRow[]> {
  if (resource.mixedColumns.size === 0 && !records.authorizesRecords(options)) {
    return await records.lockMatching(request, most, client, options)
  }
  const keys: KeyValue[] = []
  for await (const some of matchingKeys(records, request, options)) {
    keys.push(...some)
    if (keys.length >= most) break
  }
  return await records.locateMany(keys.slice(0, most), client, options, true)
}

/** Writes records one after the other. */
export async function eachRecord(
  keys: readonly KeyValue[],
  write: (key: KeyValue) => Promise<unknown>
): Promise<void> {
  for (const key of keys) {
    await endLongTurn()
    await write(key)
  }
}
