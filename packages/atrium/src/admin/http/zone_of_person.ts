import type { HttpContext } from '@adonisjs/core/http'
import { sentTexts } from './form_texts.js'
import { VersionedCache } from '../permissions/versioned_cache.js'
import type { WithPreferences } from '../preferences/preferences.js'
import { inZone, isTimeZone, type WithTimeZone } from '../time/time_zone.js'
import { guardOf } from '../identity/admin_guard.js'

/** Name of the preference, and of the field in the account form */
export const TIME_ZONE = 'time_zone'

/**
 * Form field with the time zone in which the form was shown, because the user's time zone may have changed in the
 * meantime
 */
export const ZONE_FIELD = '_time_zone'

/** Settings that determine the time zone of a user */
export type ZoneSite = WithPreferences & WithTimeZone

const KNOWN = new VersionedCache<string | null>()

/**
 * Returns the time zone in which the pages of a request show times: that of the signed-in user, otherwise that of the
 * site.
 */
export async function zoneOfPerson(ctx: HttpContext, site: ZoneSite): Promise<string> {
  try {
    return (await chosenZone(ctx, site)) ?? site.timeZone
  } catch (error) {
    ctx.logger.warn({ err: error }, 'The time zone of a person could not be read')
    return site.timeZone
  }
}

/**
 * Reads a form in the time zone in which it was shown, if the form contains the zone.
 *
 * @param run  reads the form, whose body is already parsed
 */
export function inZoneOfForm<Result>(ctx: HttpContext, run: () => Result): Result {
  const shown = isRead(ctx) ? sentTexts(ctx).get(ZONE_FIELD)?.[0] : undefined
  return isTimeZone(shown) ? inZone(shown, run) : run()
}

/** Returns the time zone that the signed-in user has chosen; null for that of the site. */
export async function chosenZone(
  ctx: HttpContext,
  { preferences }: Pick<ZoneSite, 'preferences'>
): Promise<string | null> {
  const user = guardOf(ctx).signedIn?.owner
  if (!user) return null
  return await KNOWN.of(preferences, user, TIME_ZONE, async () => {
    const stored = await preferences.read(user.id, [TIME_ZONE])
    const zone = stored.get(TIME_ZONE)
    return isTimeZone(zone) ? zone : null
  })
}

/** Returns whether the body is parsed, because some handlers parse the body later. */
function isRead({ request }: HttpContext): boolean {
  if (request.is(['urlencoded'])) return request.raw() !== null
  return request.is(['multipart']) !== null && Object.hasOwn(request.body(), ZONE_FIELD)
}
