import type AdminUser from '../../models/admin_user.js'

/**
 * Stands in the place of a hash for users who have no password: who are invited and have not chosen one, or who
 * sign in by other means. It is not a hash of any algorithm, so no password fits it. [U12]
 */
export const NO_PASSWORD = '!'

/**
 * Returns true if the user can sign in with a password.
 */
export function hasPassword({ hashedPassword }: Pick<AdminUser, 'hashedPassword'>): boolean {
  return hashedPassword !== NO_PASSWORD
}
