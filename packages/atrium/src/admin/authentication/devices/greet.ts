import type { HttpContext } from '@adonisjs/core/http'
import { flashToNextPage } from '../../http/flash.js'
import { noticeOrigin, type Notices } from '../../notices/notices.js'
import type { KnownDevices } from './known_devices.js'

/** The parts of a site that it uses. */
interface GreetingSite {
  readonly devices: KnownDevices
  readonly notices: Notices
  text(key: string): string
}

const NEW = new WeakSet<HttpContext>()

/**
 * Notes the browser of a new session, and tells the user if it is one that they have not used before. A failure
 * is reported and keeps nobody out. [U16]
 */
export async function greet(
  site: GreetingSite,
  ctx: HttpContext,
  user: { id: number },
  session: { id: number }
): Promise<void> {
  try {
    if (!(await site.devices.note(ctx, user.id, session.id))) return
    NEW.add(ctx)
    await site.notices.tell(user, 'new_device', noticeOrigin(ctx), { session: session.id })
    await flashToNextPage(ctx, { kind: 'success', text: site.text('notices.newDeviceHere') })
  } catch (error) {
    ctx.logger.error({ err: error }, 'The device of a login could not be noted')
  }
}

/**
 * Returns true if the request has signed somebody in with a browser that they had not used before.
 */
export function isNewDevice(ctx: HttpContext): boolean {
  return NEW.has(ctx)
}
