import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { KeyValue } from '#base/columns/key'
import { Problem } from '#crud'
import type { ModelView } from '../views/model_view.js'
import { mayEach } from '../permissions/may.js'
import { PageNotFound } from './errors.js'

/**
 * Returns the URL of the page that opens a record: the form for users who can update it, otherwise the read-only page.
 * A deleted record has no form. Null if the user is not allowed to open either page.
 */
type RecordLinks = (key: KeyValue, isDeleted?: boolean) => string | null

/**
 * Returns the function that returns the URLs of the given records.
 *
 * @param view  view with the permissions of the user's roles
 * @param keys  keys of records that the signed-in user is allowed to list
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

/** Returns the URL of the read-only page of a record: `/admin/Film/view/12`. */
export function recordUrl(view: ModelView, key: KeyValue): string {
  return view.url(`/view${view.resource.key.toPath(key)}`)
}

/** Returns the URL of the form of a record: `/admin/Film/update/12`. */
export function formUrl(view: ModelView, key: KeyValue): string {
  return view.url(`/update${view.resource.key.toPath(key)}`)
}

export interface FoundRecord {
  key: KeyValue
  record: LucidRow
}

/**
 * Finds the record whose key is in the path, deleted or not.
 *
 * @param view  view with the permissions of the signed-in user's roles
 * @throws PageNotFound  if it does not exist or is not visible to the user
 * @throws Problem 403   if the policy does not allow reading it
 */
export async function findRecord(ctx: HttpContext, view: ModelView): Promise<FoundRecord> {
  const key = keyIn(ctx.params, view)
  const record = await view.crud.find(key, { ...view.callOptions(ctx), deleted: 'include' })
  if (!record) throw new PageNotFound()
  return { key, record }
}

/**
 * Returns the key in the parameters of a route.
 *
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
