import type { HttpContext } from '@adonisjs/core/http'
import { sentTexts } from './form_texts.js'
import { VersionedCache } from '../permissions/versioned_cache.js'
import type { Preferences } from '../preferences/preferences.js'
import { inZone, isTimeZone } from '../time/time_zone.js'
import { guardOf } from '../identity/admin_guard.js'

/** Name of the preference, and of the field of the account's form */
export const TIME_ZONE = 'time_zone'

/** Field of a form with the zone in which its times were shown: the person may have another one by now */
export const ZONE_FIELD = '_time_zone'

/** What the zone of a person depends on */
export interface ZoneSettings {
  preferences: Preferences
  /** Of those who have chosen none */
  timeZone: string
}

const KNOWN = new VersionedCache<string | null>()

/**
 * The time zone in which the pages of a request show times: that of the signed-in user, else that of the site.
 * [R12]
 */
export async function zoneOfPerson(ctx: HttpContext, site: ZoneSettings): Promise<string> {
  try {
    return (await chosenZone(ctx, site)) ?? site.timeZone
  } catch (error) {
    ctx.logger.warn({ err: error }, 'The time zone of a person could not be read')
    return site.timeZone
  }
}

/**
 * Reads a form in the zone in which it was shown, where it names one. [R12]
 *
 * @param run  reads it; the body of the request has been taken
 */
export function inZoneOfForm<Result>(ctx: HttpContext, run: () => Result): Result {
  const shown = isRead(ctx) ? sentTexts(ctx).get(ZONE_FIELD)?.[0] : undefined
  return isTimeZone(shown) ? inZone(shown, run) : run()
}

/**
 * The zone that the signed-in user has chosen; null for that of the site.
 */
export async function chosenZone(
  ctx: HttpContext,
  { preferences }: Pick<ZoneSettings, 'preferences'>
): Promise<string | null> {
  const user = guardOf(ctx).signedIn?.owner
  if (!user) return null
  return await KNOWN.of(preferences, user, TIME_ZONE, async () => {
    const stored = await preferences.read(user.id, [TIME_ZONE])
    const zone = stored.get(TIME_ZONE)
    return isTimeZone(zone) ? zone : null
  })
}

/** Some handlers take the body themselves. */
function isRead({ request }: HttpContext): boolean {
  if (request.is(['urlencoded'])) return request.raw() !== null
  return request.is(['multipart']) !== null && Object.hasOwn(request.body(), ZONE_FIELD)
}
