import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { errorToProblem } from '../../operations/writes/error_to_problem.js'
import { responseBudgetOf } from '../../http/response_budget.js'
import { readBody } from '#base/http/body'
import { replyBatch, type BatchResponse, type IdempotentBatch } from '../../http/idempotency.js'
import { hasPrecondition } from '../../http/preconditions.js'
import { preferredReturn } from '../../http/reply.js'
import { batchPrecondition } from '#base/http/problems'
import { inTransactionOf } from '../../http/request_transaction.js'
import type { LucidCrud } from '../../lucid_crud.js'
import type { CallOptions } from '../../operations/call_options.js'
import { BATCH_PARTS, type Operation } from '../../operations/operation.js'
import { queryOf, checkWriteQuery } from '../../request/query_string.js'
import type { KeyValue } from '#base/columns/key'
import type { Resource } from '../../resource/resource.js'
import { crudConfig } from '../../settings.js'
import type { Item } from '../../types.js'
import {
  batchIn,
  partsOf,
  runBatch,
  validateBatch,
  type Batch,
  type BatchCalls,
} from '../batch/batch.js'
import { repeatOnRace } from '../batch/upserts.js'
import type { EndpointAccess } from '../endpoint_access.js'

/* Levels that a batch adds to a body, so that an item of a batch can be nested as deeply as a single item */
const OWN_LEVELS = 2

interface BatchHandlerOptions extends BatchCalls {
  access: EndpointAccess
  crud: LucidCrud
  operations: readonly Operation[]
  idempotentBatch: IdempotentBatch
  /** Returns the resource as the authorized caller is allowed to see it */
  resourceOf: () => Promise<Resource>
  callOptions: () => CallOptions
  /** Reads the stored item */
  fetch: (key: KeyValue) => Promise<Item | null>
}

/** POST: creates, updates and deletes several items, all of them or none. */
export async function handleBatch(ctx: HttpContext, options: BatchHandlerOptions): Promise<void> {
  const { access, callOptions, idempotentBatch, operations, resourceOf } = options
  const { body: limits, strictBody } = crudConfig()
  checkWriteQuery(queryOf(ctx), crudConfig())
  if (hasPrecondition(ctx)) throw batchPrecondition()
  const body = await readBody(ctx, { ...limits, depth: limits.depth + OWN_LEVELS })
  const sent = batchIn(body, operations, strictBody)
  const sentParts = BATCH_PARTS.filter((part) => sent[part].length > 0)
  for (const operation of new Set(sentParts.flatMap(partsOf))) {
    await access.authorize(ctx, operation)
  }
  /* Checked before the write: within the transaction, the query for a token would wait for that transaction. */
  const mayRead = await access.mayRead(ctx)
  const resource = await resourceOf()
  const wanted = preferredReturn(ctx)
  const validate = async () =>
    await validateBatch(resource, sent, {
      isStrict: strictBody,
      stored: async (key) => (mayRead ? await options.fetch(key) : null),
      find: async (condition) => {
        const { client = resource.client(), ...own } = callOptions()
        const [found] = await options.crud.locateBy(condition, { ...own, client })
        return found ? resource.key.of(found.record) : null
      },
    })
  const writeOptions = { ...options, mayRead, returning: wanted !== 'minimal' }
  const isWithin = callOptions().client?.isTransaction === true
  const response = await idempotentBatch.response(ctx, body, callOptions, (within) =>
    repeatOnRace(
      validate,
      (batch) => within(() => write(ctx, resource, batch, writeOptions)),
      isWithin
    )
  )
  /* The tag of the last updated item does not apply to the batch. */
  ctx.response.removeHeader('etag')
  if (wanted) ctx.response.header('preference-applied', `return=${wanted}`)
  replyBatch(ctx, response, resource.key.isComposite)
}

async function write(
  ctx: HttpContext,
  resource: Resource,
  batch: Batch,
  options: BatchHandlerOptions & { mayRead: boolean; returning: boolean }
): Promise<BatchResponse> {
  const { callOptions } = options
  const client = callOptions().client ?? resource.client()
  try {
    return await inTransactionOf(ctx, client, (transaction) =>
      runBatch(batch, transaction, {
        ...options,
        resource,
        callOptions: callOptions(),
        budget: responseBudgetOf(ctx),
      })
    )
  } catch (error) {
    /* The COMMIT failed; the operation that caused it is unknown. */
    const isDeletion = batch.create.length + batch.update.length + batch.upsert.length === 0
    const record = isDeletion ? undefined : (new resource.model() as LucidRow)
    throw (await errorToProblem(error, resource, record, client)) ?? error
  }
}
