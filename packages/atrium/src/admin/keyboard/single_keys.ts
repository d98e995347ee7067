import type { HttpContext } from '@adonisjs/core/http'
import { KeptByVersion } from '../permissions/kept_by_version.js'
import type { Preferences } from '../preferences/preferences.js'
import { guardOf } from '../authentication/sessions/admin_guard.js'

/** Name of the preference; its value is false while single keys are off */
export const SINGLE_KEYS = 'keyboard.single'

const KNOWN = new KeptByVersion<boolean>()

/**
 * Returns true if keys without Ctrl or Command work for the signed-in user. If that can't be read they are
 * off: a voice that types may do harm by them, nobody by their absence. [L12]
 */
export async function hasSingleKeys(
  ctx: HttpContext,
  { preferences }: { preferences: Preferences }
): Promise<boolean> {
  const user = guardOf(ctx).signedIn?.owner
  if (!user) return false
  try {
    return await KNOWN.of(preferences, user, SINGLE_KEYS, async () => {
      const found = await preferences.read(user.id, [SINGLE_KEYS])
      return found.get(SINGLE_KEYS) !== false
    })
  } catch (error) {
    ctx.logger.error({ err: error }, 'The keyboard preference could not be read')
    return false
  }
}
