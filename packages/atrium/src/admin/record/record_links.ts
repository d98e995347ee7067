import type { HttpContext } from '@adonisjs/core/http'
import type { KeyValue } from '#base/columns/key'
import type { ModelView } from '../model_view.js'
import { mayEach } from '../permissions/may.js'

/**
 * URL of the page that a record is opened at: its form for those who can update it, else the page that shows it.
 * A deleted record has no form. Null if the user may open neither. [R16]
 */
export type RecordLinks = (key: KeyValue, isDeleted?: boolean) => string | null

/**
 * @param view  as the user's roles leave it
 * @param keys  of records that the signed-in user may list
 */
export async function recordLinks(
  ctx: HttpContext,
  view: ModelView,
  keys: readonly KeyValue[]
): Promise<RecordLinks> {
  const [mayUpdate, mayRead] = await Promise.all([
    mayEach(ctx, view, 'update', keys),
    mayEach(ctx, view, 'read', keys),
  ])
  return (key, isDeleted = false) => {
    if (!isDeleted && mayUpdate(key)) return formUrl(view, key)
    return mayRead(key) ? recordUrl(view, key) : null
  }
}

/**
 * URL of the page that shows a record: `/admin/Film/view/12`. [R16]
 */
export function recordUrl(view: ModelView, key: KeyValue): string {
  return view.url(`/view${view.resource.key.toPath(key)}`)
}

/**
 * URL of the form of a record: `/admin/Film/update/12`.
 */
export function formUrl(view: ModelView, key: KeyValue): string {
  return view.url(`/update${view.resource.key.toPath(key)}`)
}
