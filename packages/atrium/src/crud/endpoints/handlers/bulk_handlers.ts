import type { HttpContext } from '@adonisjs/core/http'
import { needsMaxAffected, batchPrecondition } from '#base/http/problems'
import { hasPrecondition } from '../../http/preconditions.js'
import { preferredMaximum } from '../../http/reply.js'
import { inTransactionOf } from '../../http/request_transaction.js'
import type { KeyValue } from '#base/columns/key'
import type { LucidCrud } from '../../lucid_crud.js'
import type { CallOptions } from '../../operations/call_options.js'
import type { WhereOptions } from '../../operations/write_where.js'
import type { Operation } from '../../operations/operation.js'
import type { ListRequest } from '../../request/list_request.js'
import { readChanges } from './item_handlers.js'
import { listQueryOf } from './list_handlers.js'
import { strictRequest } from '../../request/strict_filters.js'
import type { Resource } from '../../resource/resource.js'
import { crudConfig } from '../../settings.js'
import type { EndpointAccess } from '../endpoint_access.js'

/* Maximum number of items of one request, which are locked until its end */
const MOST = 10_000

interface BulkHandlerOptions {
  access: EndpointAccess
  crud: LucidCrud
  operations: readonly Operation[]
  resource: Resource
  callOptions: () => CallOptions
  /** True if a subclass overrides the database call of one item */
  isOverridden: boolean
}

interface UpdateManyOptions extends BulkHandlerOptions {
  change: (key: KeyValue, values: Record<string, unknown>) => Promise<unknown>
}

interface DeleteManyOptions extends BulkHandlerOptions {
  remove: (key: KeyValue) => Promise<unknown>
}

/**
 * PATCH without a key: changes the items that match the filters of the query string, all of them or none.
 *
 * @throws Problem 412, 422 or 428
 */
export async function handleUpdateMany(
  ctx: HttpContext,
  { change, ...options }: UpdateManyOptions
): Promise<{ updated: number }> {
  const { crud, resource } = options
  const { request, max } = await readRequest(ctx, options)
  const { strictBody } = crudConfig()
  const body = await readChanges(ctx)
  const values = await resource.updateBody.parse(body, { operation: 'update' }, strictBody)
  const each = (key: KeyValue) => change(key, values)
  const updated = await write(ctx, { ...options, each, max }, (own) =>
    crud.updateWhere(request, values, own)
  )
  return { updated }
}

/**
 * DELETE without a key: deletes the items that match, all of them or none, softly where configured.
 *
 * @throws Problem 412, 422 or 428
 */
export async function handleDeleteMany(
  ctx: HttpContext,
  { remove, ...options }: DeleteManyOptions
): Promise<{ deleted: number }> {
  const { request, max } = await readRequest(ctx, options)
  const deleted = await write(ctx, { ...options, each: remove, max }, (own) =>
    options.crud.deleteWhere(request, own)
  )
  return { deleted }
}

async function readRequest(
  ctx: HttpContext,
  { access, operations, resource }: BulkHandlerOptions
): Promise<{ request: ListRequest; max: number }> {
  if (hasPrecondition(ctx)) throw batchPrecondition()
  /*
   * The number of matches reveals data of the items, so the caller must also be allowed to list them.
   */
  if (operations.includes('read_multi')) await access.authorize(ctx, 'read_multi')
  /* Checked before the write: within the transaction, the query for a token would wait for that transaction. */
  await access.mayRead(ctx)
  const request = strictRequest(resource, await listQueryOf(ctx, resource, access))
  const max = preferredMaximum(ctx)
  if (max === undefined) throw needsMaxAffected()
  return { request, max }
}

interface WriteOptions extends BulkHandlerOptions {
  each: (key: KeyValue) => Promise<unknown>
  max: number
}

/**
 * Runs the write and returns the number of written items. If a subclass overrides the database call of one item, that
 * call writes each item, in the transaction of the request.
 */
async function write(
  ctx: HttpContext,
  { callOptions, each, isOverridden, max, resource }: WriteOptions,
  work: (options: WhereOptions) => Promise<number>
): Promise<number> {
  const own = { max: Math.min(max, MOST) }
  const client = callOptions().client ?? resource.client()
  const count = isOverridden
    ? await inTransactionOf(ctx, client, () =>
        work({ ...callOptions(), ...own, joins: true, each })
      )
    : await work({ ...callOptions(), ...own })
  /* The tag of the last item does not apply to the response. */
  ctx.response.removeHeader('etag')
  ctx.response.header('preference-applied', `max-affected=${max}`)
  return count
}
