import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { KeyValue } from '#base/columns/key'
import { Problem } from '#crud'
import type { ModelView } from '../views/model_view.js'
import { mayEach } from '../permissions/may.js'
import { PageNotFound } from './errors.js'

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

export interface FoundRecord {
  key: KeyValue
  record: LucidRow
}

/**
 * The record, deleted or not, whose key is in the path.
 *
 * @param view  as the signed-in user's roles leave it
 * @throws PageNotFound  if it does not exist, at least not for the user
 * @throws Problem 403   when the policy refuses to read it
 */
export async function findRecord(ctx: HttpContext, view: ModelView): Promise<FoundRecord> {
  const key = keyIn(ctx.params, view)
  const record = await view.crud.find(key, { ...view.callOptions(ctx), deleted: 'include' })
  if (!record) throw new PageNotFound()
  return { key, record }
}

/**
 * @throws PageNotFound  for parameters that are not a key of the model
 */
export function keyIn(params: Record<string, string>, { resource }: ModelView): KeyValue {
  try {
    return resource.key.fromParams(params)
  } catch (error) {
    if (error instanceof Problem) throw new PageNotFound()
    throw error
  }
}
