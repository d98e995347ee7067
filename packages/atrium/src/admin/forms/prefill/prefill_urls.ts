import type { HttpContext } from '@adonisjs/core/http'
import type { KeyValue } from '#base/columns/key'
import type { ModelView } from '../../views/model_view.js'
import { may } from '../../permissions/may.js'
import { formUrl } from '../../http/record_links.js'

/** Parameter of a create page with the key of the record to copy values from. */
export const FROM = 'from'

/**
 * Returns the URL of a create form that is filled in with a copy of a record; null if the user is not allowed to create
 * records. Records of the admin site's own models, such as users and roles, are not copied.
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

/** Parameter of a form's URL with the id of the event whose version of the record fills in the form. */
export const RESTORE = 'restore'

/** Parameter with the names of fields to restore; without it all fields are restored. */
export const FIELDS = 'fields'

/* Maximum length of the list of names, longer than the names of any form */
const LONGEST = 10_000

/** Returns the URL of a record's form filled in with an earlier version: `/admin/Film/update/12?restore=345`. */
export function restoreUrl(view: ModelView, key: KeyValue, version: string): string {
  return `${formUrl(view, key)}?${RESTORE}=${version}`
}

/**
 * Returns the URL of a create form for a permanently deleted record: `/admin/Film/create_page?from=12&restore=345`.
 */
export function remakeUrl(view: ModelView, key: KeyValue, event: number): string {
  const from = view.resource.key.toPath(key).slice(1)
  const query = new URLSearchParams([
    [FROM, from],
    [RESTORE, String(event)],
  ])
  return `${view.url('/create_page')}?${query}`
}

/** Adds the restore parameters of the current URL to the URL that a form is submitted to. */
export function withRestore(ctx: HttpContext, address: string): string {
  const given = new URLSearchParams(ctx.request.parsedUrl.query ?? '')
  if (!given.has(RESTORE)) return address
  const stored = [...given].filter(([name]) => [FROM, RESTORE, FIELDS].includes(name))
  return `${address}?${new URLSearchParams(stored)}`
}

/** Returns the names of the fields that the URL restores; null for all. */
export function fieldsToRestore({ request }: HttpContext): ReadonlySet<string> | null {
  const query = new URLSearchParams(request.parsedUrl.query ?? '')
  if (!query.has(FIELDS)) return null
  const names = query.getAll(FIELDS).join(',').slice(0, LONGEST).split(',')
  return new Set(names.map((name) => name.trim()).filter((name) => name !== ''))
}
