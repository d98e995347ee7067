import type { HttpContext } from '@adonisjs/core/http'
import type { Actor } from '#crud/types'

/**
 * Who asks, for policy, scope and the admin's own rules. [P14]
 *
 * @throws E_UNAUTHORIZED_ACCESS  when nobody is signed in
 */
export function adminActor(ctx: HttpContext): Actor {
  const guard = ctx.auth.use('admin')
  return { kind: 'admin', user: guard.getUserOrFail(), session: guard.signedIn?.session }
}
