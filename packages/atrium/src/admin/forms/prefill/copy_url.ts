import type { HttpContext } from '@adonisjs/core/http'
import type { KeyValue } from '#base/columns/key'
import type { ModelView } from '../../model_view.js'
import { may } from '../../permissions/may.js'

/** Parameter of a create page that names the record whose values it begins with. [R11] */
export const FROM = 'from'

/**
 * URL of the form for a record like this one; null where the user may not make one. Users, roles and what else
 * the site itself keeps are not copied.
 */
export async function copyUrl(
  ctx: HttpContext,
  view: ModelView,
  key: KeyValue
): Promise<string | null> {
  if (view.adminModel || !(await may(ctx, view, 'create'))) return null
  const from = view.resource.key.toPath(key).slice(1)
  return `${view.url('/create_page')}?${new URLSearchParams([[FROM, from]])}`
}
