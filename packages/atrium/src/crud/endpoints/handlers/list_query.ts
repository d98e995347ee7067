import type { HttpContext } from '@adonisjs/core/http'
import { RelatedFields } from '../../operations/related/related_fields.js'
import { queryOf, type QueryString } from '../../request/query_string.js'
import { relatedNames } from '../../request/related_lookup.js'
import type { Resource } from '../../resource/resource.js'
import { actorOf } from '../access.js'
import type { EndpointAccess } from '../endpoint_access.js'

/**
 * Returns the parameters of a list request, with the filters that the application computes for it, and the fields of
 * related records that it names.
 *
 * @throws Problem  when the caller is not allowed to read the records of a named relation
 */
export async function listQueryOf(
  ctx: HttpContext,
  resource: Resource,
  access: EndpointAccess
): Promise<QueryString> {
  const query = queryOf(ctx)
  const { filters } = resource
  query.computed = await filters.compute(ctx)
  if (!filters.areRelated) return query
  const sort = filters.get('sort') ? [] : query.all('sort')
  query.related = await RelatedFields.of(resource, relatedNames(query.names, sort.join()), {
    actor: actorOf(ctx),
    allows: (name) => filters.allowsRelated(name),
    declares: (name) => filters.declaresRelated(name),
    admits: (relation) => access.admitsRelated(ctx, relation),
  })
  return query
}
