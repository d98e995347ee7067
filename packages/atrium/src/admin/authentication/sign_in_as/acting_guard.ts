import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import { RefusedWhileActing } from '../../errors.js'
import { guardOf } from '../sessions/admin_guard.js'

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
