import type { HttpContext } from '@adonisjs/core/http'
import { adminActor } from '../authentication/admin_actor.js'
import type { ModelView } from '../model_view.js'
import { NotAllowed, PageNotFound } from '../errors.js'
import { may } from '../permissions/may.js'
import { guardOf } from '../authentication/sessions/admin_guard.js'

/**
 * Returns true if records of the model can be imported at all: it can be viewed, and created or updated. The
 * admin's own models are not imported. [D3, B14]
 */
export function isImportable(view: ModelView): boolean {
  return !view.adminModel && view.may('view') && (view.may('create') || view.may('update'))
}

/**
 * Returns true if the signed-in user may import records: with the permission for it, and that to create or to
 * update them. [D3, U2]
 */
export async function mayImport(ctx: HttpContext, { base }: ModelView): Promise<boolean> {
  const { adminSite, name } = base
  if (!adminSite || !isImportable(base) || !guardOf(ctx).signedIn) return false
  const { permissions } = adminSite
  if (!(await permissions.mayDo(adminActor(ctx), name, 'import'))) return false
  return (
    (await may(ctx, base, 'view')) &&
    ((await may(ctx, base, 'create')) || (await may(ctx, base, 'update')))
  )
}

/**
 * @throws PageNotFound  for a model that nobody can import into, such as a database view
 * @throws NotAllowed    without the permission
 */
export async function assertImport(ctx: HttpContext, view: ModelView): Promise<void> {
  if (!isImportable(view.base)) throw new PageNotFound()
  if (!(await mayImport(ctx, view))) throw new NotAllowed()
}

/** Maximum bytes of a file that is imported in the site */
export const MOST_BYTES = 100 * 1024 * 1024

/** Files that are kept for a person. With one more, the oldest is removed that no job is at */
export const MOST_KEPT = 10
