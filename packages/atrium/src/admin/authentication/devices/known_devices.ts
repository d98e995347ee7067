import { randomBytes } from 'node:crypto'
import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { inTransaction } from '#base/database/transaction'
import { inUtc } from '#base/values/datetime'
import type { AdminConfig } from '../../config/define_config.js'
import AdminDevice from '../../models/admin_device.js'
import AdminSession from '../../models/admin_session.js'
import { guardOf } from '../../identity/admin_guard.js'
import { flashToNextPage } from '../../http/flash.js'
import { noticeOrigin, type WithNotices } from '../../notices/notices.js'
import { digest } from '#base/values/digest'
import type { Site } from '../../views/site.js'

/** Maximum number of known devices of a user; a new device replaces the one whose last use is oldest */
const MOST_DEVICES = 20

const COOKIE = 'admin_device'
/* Matches no session, because ids of sessions begin with 1. */
const NO_SESSION = 0
const YEAR = 365 * 24 * 3600
const ID = /^[\w-]{43}$/

/**
 * The browsers that users have signed in with. A browser is recognized by a random cookie that outlives the sessions,
 * and only the hash of the cookie is stored; the user agent of a request could be forged.
 */
export class KnownDevices {
  /** @param client  returns the query client of the admin site's tables */
  constructor(
    private readonly client: () => QueryClientContract,
    private readonly config: Pick<AdminConfig, 'mountPath' | 'secureCookies'>
  ) {}

  /**
   * Records the browser of a login, and sets the cookie of the browser.
   *
   * @param session  id of the session that begins
   * @returns true for a browser that the user has not used before; false for the first browser of a new user
   */
  async note(ctx: HttpContext, userId: number, session: number): Promise<boolean> {
    const sent: unknown = ctx.request.plainCookie(COOKIE, { encoded: false })
    const id = typeof sent === 'string' && ID.test(sent) ? sent : newId()
    ctx.response.plainCookie(COOKIE, id, {
      encode: false,
      httpOnly: true,
      sameSite: 'lax',
      path: this.config.mountPath || '/',
      secure: this.config.secureCookies,
      maxAge: YEAR,
    })
    return await inTransaction(this.client(), async (client) => {
      const values = { user_id: userId, hash: digest(id) }
      const now = inUtc()
      const known = await client.from(AdminDevice.table).where(values).update({ last_used_at: now })
      if (Number(Array.isArray(known) ? known[0] : known) > 0) return false
      const isFirst = await this.#isFirst(userId, session, client)
      await client
        .table(AdminDevice.table)
        .insert({ ...values, created_at: now, last_used_at: now })
        .onConflict(['user_id', 'hash'])
        .ignore()
      await this.#prune(userId, client)
      return !isFirst
    })
  }

  /** Returns true if a device of the user is known, so the user has signed in before. */
  async hasAny(userId: number, client: QueryClientContract): Promise<boolean> {
    return !(await this.#isFirst(userId, NO_SESSION, client))
  }

  async #isFirst(userId: number, session: number, client: QueryClientContract): Promise<boolean> {
    const device = await client.from(AdminDevice.table).where('user_id', userId).first()
    if (device) return false
    const other = await client
      .from(AdminSession.table)
      .where('user_id', userId)
      .whereNot('id', session)
      .first()
    return !other
  }

  async #prune(userId: number, client: QueryClientContract): Promise<void> {
    const rows = await client
      .from(AdminDevice.table)
      .where('user_id', userId)
      .orderBy('last_used_at', 'desc')
      .orderBy('id', 'desc')
      .select('id')
    const surplus = rows.slice(MOST_DEVICES).map(({ id }) => id as number)
    if (surplus.length > 0) await client.from(AdminDevice.table).whereIn('id', surplus).delete()
  }
}

function newId(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * Records the browser of a new session, and notifies the user if it is a new one. A failure is logged and does not
 * block the login.
 */
export async function recordLoginDevice(
  site: WithDevices & WithNotices & Pick<Site, 'text'>,
  ctx: HttpContext,
  user: { id: number },
  session: { id: number }
): Promise<void> {
  try {
    if (!(await site.devices.note(ctx, user.id, session.id))) return
    guardOf(ctx).isNewDevice = true
    await site.notices.notify(user, 'new_device', noticeOrigin(ctx), { session: session.id })
    await flashToNextPage(ctx, { kind: 'success', text: site.text('notices.newDeviceHere') })
  } catch (error) {
    ctx.logger.error({ err: error }, 'The device of a login could not be noted')
  }
}

/** A site that knows the browsers of its users */
export interface WithDevices {
  readonly devices: KnownDevices
}
