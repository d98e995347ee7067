import type { HttpContext } from '@adonisjs/core/http'
import { counters } from '#base/counters'
import { networkOf } from '#base/http/network'
import type { AdminConfig } from '../../define_config.js'
import { TooManyAttempts } from '../../errors.js'

/**
 * Limits how often an address can try links that there are not, across all processes: as often as failed logins
 * for all names together. [U12, B8]
 */
export class InvitationThrottle {
  constructor(
    private readonly config: Pick<AdminConfig['login'], 'attemptsPerAddress' | 'withinMinutes'>
  ) {}

  /**
   * @throws TooManyAttempts
   */
  async admit(ctx: HttpContext): Promise<void> {
    const wait = await this.#limiter().availableIn(keyOf(ctx))
    if (wait <= 0) return
    ctx.response.header('retry-after', String(wait))
    throw new TooManyAttempts()
  }

  /** Counts a link that there is not. */
  async miss(ctx: HttpContext): Promise<void> {
    await this.#limiter().increment(keyOf(ctx))
  }

  #limiter() {
    const { attemptsPerAddress: requests, withinMinutes } = this.config
    return counters().use({ requests, duration: `${withinMinutes} mins` })
  }
}

function keyOf({ request }: HttpContext): string {
  return `invitation-address:${networkOf(request.ip())}`
}
