/* Access tokens of the API for tests. */
import { type DateTime } from 'luxon'
import type { AdminUser } from '#admin'
import { adminSite } from '#tests/helpers/admin'

/**
 * Issues a token for the user.
 *
 * @returns its id, the secret, and the header to send
 */
export async function issueToken(
  user: AdminUser,
  abilities: string[] = ['*'],
  {
    name = 'ci',
    expiresAt = null,
    readOnly = false,
  }: { name?: string; expiresAt?: DateTime | null; readOnly?: boolean } = {}
) {
  const { accessTokens } = await adminSite()
  const { id, value } = await accessTokens.issue(user, { name, abilities, expiresAt, readOnly })
  const token = value.release()
  return { id, token, headers: { authorization: `Bearer ${token}` } }
}
