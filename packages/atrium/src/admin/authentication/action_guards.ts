import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import type { AdminSite } from '../admin_site.js'
import { isInDialog } from '../forms/drafts/draft_parameters.js'
import { keepUnproved } from '../forms/drafts/save_draft.js'
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
 * Which routes of a model need a recent proof, and the guards that require it. Typed values of a record's form are
 * stored. [U11, R10]
 */
export function proofGuard(site: AdminSite): ProofGuard {
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
 * Returns true if a route of a model writes records that need a recent proof, takes them all along (an export), or is
 * the page that asks for what it would refuse: a new user's password is not stored. The settings
 * of a user's own list need none. [U11]
 */
function needsProof(view: ModelView, { method, path, offers }: GuardedRoute): boolean {
  if (!isGuarded(view.model) || offers.every((offer) => offer === 'view')) return false
  if (method !== 'GET') return !path.startsWith('/preview')
  return path === '/create_page' || path.startsWith(EXPORT)
}

/** A file would come without a page: the browser would stay at the proof. */
function exportDialog({ request }: HttpContext, view: ModelView, path: string): string | undefined {
  if (path !== EXPORT || !['GET', 'HEAD'].includes(request.method())) return undefined
  const { query } = request.parsedUrl
  return view.url(`${EXPORT}/dialog`) + (query ? `?${query}` : '')
}

/**
 * Guard of what belongs to a person alone: their account, password, factors and tokens. A superuser who is signed
 * in as them is refused. [U14]
 *
 * @throws RefusedWhileActing
 */
export async function ownerGuard(ctx: HttpContext, next: NextFn): Promise<void> {
  if (guardOf(ctx).signedIn?.acting) throw new RefusedWhileActing()
  await next()
}
