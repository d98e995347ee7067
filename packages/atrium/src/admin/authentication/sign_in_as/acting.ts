import db from '@adonisjs/lucid/services/db'
import { dialectOf } from '#base/database/dialects'
import { ActingEnded } from '../../errors.js'
import type { ActsAs } from '../../models/admin_session.js'
import AdminUser from '../../models/admin_user.js'
import { Owner } from '../sessions/owned_row.js'

/** Minutes after which a superuser is themselves again [U14] */
export const ACTING_MINUTES = 60

/**
 * The superuser behind a request that is signed in as another user.
 */
export interface Acting {
  id: number
  username: string
}

/**
 * Finds the user that the session of a superuser is signed in as.
 *
 * @param own  owner of the session
 * @throws ActingEnded  after an hour, or when either of them is no longer what they have to be
 */
export async function actedUser({ userId, since }: ActsAs, own: Owner): Promise<Owner> {
  const isOver = Date.now() >= since + ACTING_MINUTES * 60_000
  const client = db.connection(AdminUser.connection)
  const [row] = await dialectOf(client).selectRows(
    client,
    `select * from ${AdminUser.table} where id = ?`,
    [userId]
  )
  const user = row && Owner.ofRow(row)
  if (isOver || !own.isSuperuser || !user || user.isSuperuser) throw new ActingEnded()
  return user
}
