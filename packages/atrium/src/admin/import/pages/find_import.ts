import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { PageNotFound, WithheldPage } from '../../errors.js'
import { isSuperuser } from '../../events/pages/event_access.js'
import type AdminImport from '../../models/admin_import.js'
import { Imports } from '../imports.js'
import type { ModelView } from '../../model_view.js'
import { guardOf } from '../../authentication/sessions/admin_guard.js'

/**
 * The import that a request's path names: one's own, for superusers any.
 *
 * @throws PageNotFound  for the import of another person or model, too
 */
export async function findImport(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView
): Promise<AdminImport> {
  const { import: id } = ctx.params
  const one = /^\d{1,9}$/.test(id) ? await Imports.of(site).find(Number(id)) : null
  const isOwn = one?.userId === guardOf(ctx).signedInOrFail().owner.id
  if (!one || one.model !== view.name) throw new PageNotFound()
  if (!isOwn && !isSuperuser(ctx)) throw new WithheldPage()
  return one
}
