import type { HttpContext } from '@adonisjs/core/http'
import type { Actor } from '#crud/types'

/**
 * Who asks, for policy, scope and the admin's own rules. [P14]
 *
 * @throws E_UNAUTHORIZED_ACCESS  when nobody is signed in
 */
export function adminActor(ctx: HttpContext): Actor {
  const { owner, session } = ctx.auth.use('admin').signedInOrFail()
  return {
    kind: 'admin',
    get user() {
      return owner.user
    },
    session,
  }
}
