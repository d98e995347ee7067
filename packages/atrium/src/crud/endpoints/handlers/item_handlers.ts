import type { HttpContext } from '@adonisjs/core/http'
import { isObject } from '#base/checks'
import { isMergePatch, readBody } from '#base/http/body'
import { strongTag } from '#base/http/etag'
import {
  replyCreated,
  type CreatedResponse,
  type IdempotentCreate,
} from '../../http/idempotency.js'
import type { CallOptions } from '../../operations/call_options.js'
import { fullItemOf, isUnreadable, keyOf, noteIncludes, notePart } from '#base/items'
import { queryOf, checkWriteQuery } from '../../request/query_string.js'
import type { KeyValue } from '#base/columns/key'
import { crudConfig } from '../../settings.js'
import type { Item } from '../../types.js'
import { writeJson } from '#base/values/json'
import type { EndpointAccess } from '../endpoint_access.js'
import type { Resource, IncludedRelation } from '../../resource/resource.js'
import { invalidBody, itemNotFound } from '#base/http/problems'
import { pickFields } from '#base/columns/fields'
import { parseItemRequest } from '../../request/item_request.js'
import type { DeletedMode } from '#base/columns/soft_delete'
import { preferredReturn, reply } from '../../http/reply.js'
import { parseUpdate } from '#base/schema/body_schema'

interface CreateHandlerOptions {
  resource: Resource
  access: EndpointAccess
  idempotentCreate: IdempotentCreate
  callOptions: () => CallOptions
  insert: (values: Record<string, unknown>) => Promise<Item>
  /** Returns the path of an item, if the model offers reading */
  locationOf: (key: KeyValue) => string | undefined
}

/** POST: stores the body as a new item, once for each `Idempotency-Key`. */
export async function handleCreate(
  ctx: HttpContext,
  { access, callOptions, insert, locationOf, idempotentCreate, resource }: CreateHandlerOptions
): Promise<void> {
  checkWriteQuery(queryOf(ctx), crudConfig())
  const body = await readBody(ctx, crudConfig().body)
  const mayRead = await access.mayRead(ctx)
  const response = await idempotentCreate.response(ctx, body, callOptions, async (within) => {
    const { strictBody } = crudConfig()
    const values = await resource.createBody.parse(body, { operation: 'create' }, strictBody)
    return await within(async () => responseOf(await insert(values), locationOf))
  })
  replyCreated(ctx, mayRead ? response : { ...response, tag: undefined })
}

/** Returns the response. A caller who can create an item but not read it receives only its path. */
function responseOf(
  item: Item,
  locationOf: (key: KeyValue) => string | undefined
): CreatedResponse {
  const key = keyOf(item)
  const location = key && locationOf(key)
  if (isUnreadable(item)) return { body: 'null', key, location }
  const body = writeJson(item ?? null)
  const full = item && fullItemOf(item)
  return { body, key, location, tag: key && strongTag(full ? writeJson(full) : body) }
}

interface ReadHandlerOptions {
  resource: Resource
  access: EndpointAccess
  key: () => KeyValue
  /** Reads the whole item, because the entity tag depends on all fields */
  fetch: (
    key: KeyValue,
    deleted: DeletedMode,
    include: readonly IncludedRelation[]
  ) => Promise<Item | null>
}

/** GET with a key: returns one item. */
export async function handleRead(
  ctx: HttpContext,
  { access, fetch, key: requestedKey, resource }: ReadHandlerOptions
): Promise<Item> {
  const {
    deleted,
    fields,
    include: wanted,
  } = parseItemRequest(resource, queryOf(ctx), crudConfig())
  const key = requestedKey()
  const include = await access.authorizeInclude(ctx, wanted)
  const item = await fetch(key, deleted, include)
  if (!item) throw itemNotFound()
  const response = fields ? notePart(pickFields(item, fields, include), item) : item
  return include.length > 0 ? noteIncludes(response) : response
}

interface UpdateHandlerOptions {
  resource: Resource
  access: EndpointAccess
  key: () => KeyValue
  /** True to return the item if the request has no preference, for clients of json-server */
  returns?: boolean
  /** Reads the stored item */
  fetch: (key: KeyValue) => Promise<Item | null>
  change: (
    key: KeyValue,
    values: Record<string, unknown>,
    returning: boolean
  ) => Promise<Item | null>
}

/** PATCH, or PUT for clients of json-server: changes the fields in the body. */
export async function handleUpdate(
  ctx: HttpContext,
  { access, change, fetch, key: requestedKey, resource, returns = false }: UpdateHandlerOptions
): Promise<null | void> {
  checkWriteQuery(queryOf(ctx), crudConfig())
  const key = requestedKey()
  const body = await readChanges(ctx)
  const { strictBody } = crudConfig()
  const values = await parseUpdate(resource.updateBody, {
    body,
    meta: { operation: 'update', key },
    isStrict: strictBody,
    stored: async () => ((await access.mayRead(ctx)) ? await fetch(key) : null),
  })
  const wanted = preferredReturn(ctx)
  const isWanted = wanted === 'representation' || (returns && wanted === undefined)
  const returning = isWanted && (await access.mayRead(ctx))
  const item = await change(key, values, returning)

  const isApplied = wanted === 'minimal' || (wanted && returning && item !== null)
  if (isApplied) ctx.response.header('preference-applied', `return=${wanted}`)
  if (wanted === 'minimal') ctx.response.status(204).send('')
  else reply(ctx, item)
}

/**
 * Reads the body of an update. An object within a merge patch (RFC 7396) is refused: such an object would have to be
 * merged into the stored value of the column, which an update replaces.
 *
 * @throws Problem 422
 */
export async function readChanges(ctx: HttpContext): Promise<Record<string, unknown>> {
  const body = await readBody(ctx, crudConfig().body)
  if (isMergePatch(ctx.request.request)) refuseNested(body)
  return body
}

function refuseNested(body: Record<string, unknown>): void {
  const names = Object.keys(body).filter((name) => isObject(body[name]))
  if (names.length === 0) return
  const message = 'cannot be merged; send the whole value in a body of type application/json'
  throw invalidBody(names.map((field) => ({ field, rule: 'merge', message })))
}

interface DeleteHandlerOptions {
  key: () => KeyValue
  /** Marks the item deleted, or removes it */
  remove: (key: KeyValue) => Promise<void>
  /** Returns the body of the response */
  returned: (key: KeyValue) => Item | null
}

/** DELETE of one item, soft or permanent. */
export async function handleDelete(
  ctx: HttpContext,
  { key: requestedKey, remove, returned }: DeleteHandlerOptions
): Promise<Item | null> {
  checkWriteQuery(queryOf(ctx), crudConfig())
  const key = requestedKey()
  await remove(key)
  return returned(key)
}
