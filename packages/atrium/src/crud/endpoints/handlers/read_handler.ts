import type { HttpContext } from '@adonisjs/core/http'
import { itemNotFound } from '#base/http/problems'
import { noteIncludes, notePart } from '#base/items'
import { pickFields } from '#base/columns/fields'
import { parseItemRequest } from '../../request/item_request.js'
import { queryOf } from '../../request/query_string.js'
import type { KeyValue } from '#base/columns/key'
import type { IncludedRelation, Resource } from '../../resource/resource.js'
import type { DeletedMode } from '#base/columns/soft_delete'
import { crudConfig } from '../../settings.js'
import type { Item } from '../../types.js'
import type { EndpointAccess } from '../endpoint_access.js'

interface ReadHandlerOptions {
  resource: Resource
  access: EndpointAccess
  key: () => KeyValue
  /** Reads the whole item, as the entity tag covers all of it */
  fetch: (
    key: KeyValue,
    deleted: DeletedMode,
    include: readonly IncludedRelation[]
  ) => Promise<Item | null>
}

/**
 * GET with a key: one item. [A2, Q2, Q3]
 */
export async function handleRead(
  ctx: HttpContext,
  { access, fetch, key: keyOf, resource }: ReadHandlerOptions
): Promise<Item> {
  const { deleted, fields, include } = parseItemRequest(resource, queryOf(ctx), crudConfig())
  const key = keyOf()
  await access.authorizeInclude(ctx, include)
  const item = await fetch(key, deleted, include)
  if (!item) throw itemNotFound()
  const answer = fields ? notePart(pickFields(item, fields, include), item) : item
  return include.length > 0 ? noteIncludes(answer) : answer
}
