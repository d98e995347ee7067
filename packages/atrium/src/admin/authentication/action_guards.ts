import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import { isInDialog } from '../forms/drafts/drafts.js'
import { keepUnproved, type DraftSite } from '../forms/drafts/save_draft.js'
import type { ModelView } from '../views/model_view.js'
import type { GuardedRoute, ProofGuard } from '../http/model_routes.js'
import { RefusedWhileActing } from '../identity/errors.js'
import { isGuarded, isRecentlyProved, requireProof } from '../identity/proof.js'
import { guardOf } from '../identity/admin_guard.js'

const FORMS: Record<string, 'create' | 'update' | undefined> = {
  form_create: 'create',
  form_update: 'update',
}

const EXPORT = '/export'

/**
 * Returns a function that makes the guard of a model's route if the route requires a recent reauthentication; otherwise
 * the guard is undefined. The guard saves the submitted values of a record's form as a draft.
 */
export function proofGuard(site: DraftSite): ProofGuard {
  return (view, route) => {
    if (!needsProof(view, route)) return undefined
    return async (ctx, own) => {
      if (isRecentlyProved(guardOf(ctx).signedInOrFail().session)) return
      const mode = FORMS[route.path.split('/')[1]]
      const next = mode && !isInDialog(ctx) ? await keepUnproved(site, ctx, own, mode) : null
      requireProof(ctx, next ?? exportDialog(ctx, own, route.path))
    }
  }
}

/**
 * Returns true if a route of a model requires a recent reauthentication: it writes records of a protected model,
 * exports them, or shows the form of such a write (otherwise a new user's password would have to be typed again). The
 * settings of a user's list do not require one.
 */
function needsProof(view: ModelView, { method, path, offers }: GuardedRoute): boolean {
  if (!isGuarded(view.model) || offers.every((offer) => offer === 'view')) return false
  if (method !== 'GET') return !path.startsWith('/preview')
  return path === '/create_page' || path.startsWith(EXPORT)
}

/**
 * Returns the URL of the page with the export dialog; undefined for other routes. A download shows no page, so the
 * browser would stay on the reauthentication page.
 */
function exportDialog({ request }: HttpContext, view: ModelView, path: string): string | undefined {
  if (path !== EXPORT || !['GET', 'HEAD'].includes(request.method())) return undefined
  const { query } = request.parsedUrl
  return view.url(`${EXPORT}/dialog`) + (query ? `?${query}` : '')
}

/**
 * Guard of pages that only the user personally can open: account, password, factors and tokens. Rejects a superuser who
 * is signed in as the user.
 *
 * @throws RefusedWhileActing
 */
export async function ownerGuard(ctx: HttpContext, next: NextFn): Promise<void> {
  if (guardOf(ctx).signedIn?.acting) throw new RefusedWhileActing()
  await next()
}
