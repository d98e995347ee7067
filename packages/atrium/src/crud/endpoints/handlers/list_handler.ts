import type { HttpContext } from '@adonisjs/core/http'
import type { ListResult } from '../../operations/lists/list_result.js'
import { ListRequest } from '../../request/list_request.js'
import { queryOf } from '../../request/query_string.js'
import type { Resource } from '../../resource/resource.js'
import { crudConfig } from '../../settings.js'
import type { EndpointAccess } from '../endpoint_access.js'

interface ListHandlerOptions {
  resource: Resource
  access: EndpointAccess
  /** True for the route that always has pages */
  paged: boolean
  fetch: (request: ListRequest) => Promise<ListResult>
}

/**
 * GET without a key: the list. [A10 to A19, Q2 to Q5]
 */
export async function handleList(
  ctx: HttpContext,
  { access, fetch, paged, resource }: ListHandlerOptions
): Promise<ListResult> {
  const request = ListRequest.parse(resource, queryOf(ctx), crudConfig(), paged)
  await access.authorizeInclude(ctx, request.include)
  return await fetch(request)
}
