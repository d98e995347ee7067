import { DateTime } from 'luxon'
import AdminTokenBlacklist from '../models/admin_token_blacklist.js'

/**
 * Uses something up that is valid once: a step of a login, a challenge. Of several requests, also in several
 * processes, one gets true.
 *
 * @param id       unique and random, 36 characters at most
 * @param minutes  after which it is no longer good anyhow
 */
export async function useOnce(id: string, minutes: number): Promise<boolean> {
  try {
    await AdminTokenBlacklist.create({ token: id, expiresAt: DateTime.utc().plus({ minutes }) })
    return true
  } catch (error) {
    /* The id is unique. */
    if (await AdminTokenBlacklist.findBy('token', id)) return false
    throw error
  }
}
