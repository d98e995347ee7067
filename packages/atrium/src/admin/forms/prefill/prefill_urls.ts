import type { HttpContext } from '@adonisjs/core/http'
import type { KeyValue } from '#base/columns/key'
import type { ModelView } from '../../views/model_view.js'
import { may } from '../../permissions/may.js'
import { formUrl } from '../../http/record_links.js'

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

/** Parameter of a form's address: the id of the event whose version of the record fills it in. [R8] */
export const RESTORE = 'restore'

/** Parameter that names single fields; without it all are restored. */
export const FIELDS = 'fields'

/* More names than any form has. */
const LONGEST = 10_000

/**
 * URL of the form of a record with the values of a version: `/admin/Film/update/12?restore=345`. [R8]
 */
export function restoreUrl(view: ModelView, key: KeyValue, version: string): string {
  return `${formUrl(view, key)}?${RESTORE}=${version}`
}

/**
 * URL of the form that makes a record again which was deleted for good: `/admin/Film/create_page?from=12&restore=345`.
 */
export function remakeUrl(view: ModelView, key: KeyValue, event: number): string {
  const from = view.resource.key.toPath(key).slice(1)
  const query = new URLSearchParams([
    [FROM, from],
    [RESTORE, String(event)],
  ])
  return `${view.url('/create_page')}?${query}`
}

/**
 * The address that a form is sent to, which restores the same as the address that it was opened at.
 */
export function withRestore(ctx: HttpContext, address: string): string {
  const given = new URLSearchParams(ctx.request.parsedUrl.query ?? '')
  if (!given.has(RESTORE)) return address
  const stored = [...given].filter(([name]) => [FROM, RESTORE, FIELDS].includes(name))
  return `${address}?${new URLSearchParams(stored)}`
}

/**
 * Names of the fields that the address restores; null for all.
 */
export function fieldsToRestore({ request }: HttpContext): ReadonlySet<string> | null {
  const query = new URLSearchParams(request.parsedUrl.query ?? '')
  if (!query.has(FIELDS)) return null
  const names = query.getAll(FIELDS).join(',').slice(0, LONGEST).split(',')
  return new Set(names.map((name) => name.trim()).filter((name) => name !== ''))
}
