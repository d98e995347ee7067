import type { HttpContext } from '@adonisjs/core/http'
import { readBody } from '#base/http/body'
import { strongTag } from '#base/http/etag'
import { replyCreated, type CreatedAnswer } from '../../http/idempotency/created_answer.js'
import type { IdempotentCreate } from '../../http/idempotency/idempotent_create.js'
import type { CallOptions } from '../../operations/call_options.js'
import { fullItemOf, isUnreadable, keyOf } from '#base/items'
import { queryOf } from '../../request/query_string.js'
import { checkWriteQuery } from '../../request/strict_query.js'
import type { KeyValue } from '#base/columns/key'
import { crudConfig } from '../../settings.js'
import type { Item } from '../../types.js'
import { writeJson } from '#base/values/json'
import type { EndpointAccess } from '../endpoint_access.js'
import type { Resource } from '../../resource/resource.js'

interface CreateHandlerOptions {
  resource: Resource
  access: EndpointAccess
  idempotentCreate: IdempotentCreate
  callOptions: () => CallOptions
  insert: (values: Record<string, unknown>) => Promise<Item>
  /** The path of an item, if reading is offered */
  locationOf: (key: KeyValue) => string | undefined
}

/**
 * POST: stores the body as a new item, once for each `Idempotency-Key`. [A1, Q7]
 */
export async function handleCreate(
  ctx: HttpContext,
  { access, callOptions, insert, locationOf, idempotentCreate, resource }: CreateHandlerOptions
): Promise<void> {
  checkWriteQuery(queryOf(ctx), crudConfig())
  const body = await readBody(ctx, crudConfig().body)
  const mayRead = await access.mayRead(ctx)
  const answer = await idempotentCreate.answer(ctx, body, callOptions, async (within) => {
    const { strictBody } = crudConfig()
    const values = await resource.createBody.parse(body, { operation: 'create' }, strictBody)
    return await within(async () => answerOf(await insert(values), locationOf))
  })
  replyCreated(ctx, mayRead ? answer : { ...answer, tag: undefined })
}

/** A caller who can create an item but not read it gets only its path. [P14] */
function answerOf(item: Item, locationOf: (key: KeyValue) => string | undefined): CreatedAnswer {
  const key = keyOf(item)
  const location = key && locationOf(key)
  if (isUnreadable(item)) return { body: 'null', key, location }
  const body = writeJson(item ?? null)
  const full = item && fullItemOf(item)
  return { body, key, location, tag: key && strongTag(full ? writeJson(full) : body) }
}
