import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { EventType } from '../../events/event_integration.js'
import type AdminUser from '../../models/admin_user.js'

export type CheckedPassword =
  | { isRight: true }
  /** `wait`: seconds until the next attempt, where there were too many */
  | { isRight: false; status: 422 | 429; wait?: number }

/**
 * Asks a signed-in user for the current password again, as a stolen session must not be enough. Counted,
 * throttled and logged as logins are. [U7, U11, B8]
 */
export class PasswordCheck {
  constructor(private readonly site: AdminSite) {}

  /**
   * @throws QueueFull  when too many others wait
   */
  async check(ctx: HttpContext, user: AdminUser, password: string): Promise<CheckedPassword> {
    const { adminAuthentication, adminUserService } = this.site
    const { throttle } = adminAuthentication
    const { username } = user
    const address = ctx.request.ip()
    const wait = await throttle.attempt(username, address)
    if (wait !== undefined) return { isRight: false, status: 429, wait }
    let found: AdminUser | null
    try {
      await throttle.slowDown(username)
      found = await adminUserService.verify(username, password)
    } catch (error) {
      await throttle.withdraw(username, address)
      throw error
    }
    if (found?.id !== user.id) {
      ctx.logger.warn({ username, address }, 'The current password was wrong')
      this.site.logEvent(ctx, {
        type: EventType.FAILED_LOGIN,
        status: 'failure',
        details: { reason: 'credentials' },
      })
      return { isRight: false, status: 422 }
    }
    await throttle.succeed(username, address)
    return { isRight: true }
  }
}
