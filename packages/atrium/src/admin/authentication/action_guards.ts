import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import type { AdminSite } from '../admin_site.js'
import { isInDialog } from '../forms/drafts/draft_parameters.js'
import { keepUnproved } from '../forms/drafts/save_draft.js'
import type { ModelView } from '../model_view.js'
import type { Offer } from '../permissions/may.js'
import { RefusedWhileActing } from '../errors.js'
import { isGuarded, isRecentlyProved, requireProof } from './reauthentication/reauthentication.js'
import { guardOf } from './sessions/admin_guard.js'

const FORMS: Record<string, 'create' | 'update' | undefined> = {
  form_create: 'create',
  form_update: 'update',
}

const EXPORT = '/export'

interface GuardedRoute {
  method: string
  /** Below the model's address */
  path: string
  /** Actions of which the user must be allowed any */
  offers: readonly Offer[]
}

/**
 * Returns true if a route of a model writes records that need a recent proof, takes them all along (an export), or is
 * the page that asks for what it would refuse: a new user's password is not stored. How a list looks is no one else's
 * matter. [U11]
 */
export function needsProof(view: ModelView, { method, path, offers }: GuardedRoute): boolean {
  if (!isGuarded(view.model) || offers.every((offer) => offer === 'view')) return false
  if (method !== 'GET') return !path.startsWith('/preview')
  return path === '/create_page' || path.startsWith(EXPORT)
}

/**
 * Requires a recent proof before a route is handled. Typed values of a record's form are stored. [U11, R10]
 *
 * @param path  as in `needsProof`
 * @throws ReauthenticationRequired
 */
export async function requireProofFor(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  path: string
): Promise<void> {
  if (isRecentlyProved(guardOf(ctx).signedInOrFail().session)) return
  const mode = FORMS[path.split('/')[1]]
  const next = mode && !isInDialog(ctx) ? await keepUnproved(site, ctx, view, mode) : null
  requireProof(ctx, next ?? exportDialog(ctx, view, path))
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
