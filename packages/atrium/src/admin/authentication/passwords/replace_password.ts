import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { Actor } from '#crud'
import { gatherWrites } from '#crud/internals'
import { inTransaction } from '#base/database/transaction'
import type { Origin } from '#base/types'
import type { WithDatabase } from '../../config/database_config.js'
import type { WithDevices } from '../devices/known_devices.js'
import type { WithInvitations } from '../invitations/invitations.js'
import type { WithSessions } from '../sessions/session_manager.js'
import AdminUser from '../../models/admin_user.js'
import { deviceOf, type WithNotices } from '../../notices/notices.js'
import type { OpenSession } from '../../models/admin_session.js'
import { hasPassword } from './password_rules.js'

/** The parts of the site that a change of a password needs */
export type PasswordSite = WithDatabase & WithDevices & WithInvitations & WithNotices & WithSessions

interface NewPassword {
  /** Default: the actor that the code runs as */
  actor?: Actor
  origin?: Origin
  /** The session that continues; all other sessions of the user end */
  currentSession?: Pick<OpenSession, 'id'>
  /** True if the user had no password before. Default: false */
  isFirst?: boolean
}

/**
 * Gives a user a new password, together with the consequences in one transaction.
 *
 * @param hashed     result of `hashPassword` of the user service
 * @param condition  check that runs once the user is locked; if it throws, the password stays unchanged
 * @returns the number of ended sessions; null if the user was deleted
 */
export async function replacePassword(
  site: PasswordSite,
  userId: number,
  hashed: string,
  { actor, origin, currentSession }: NewPassword = {},
  condition?: (client: TransactionClientContract, user: AdminUser) => Promise<void>
): Promise<number | null> {
  return await inTransaction(site.dbConfig.adminSession(), (client) =>
    gatherWrites(client, { model: AdminUser, actor, origin }, async () => {
      const user = await AdminUser.query({ client }).where('id', userId).forUpdate().first()
      if (!user) return null
      await condition?.(client, user)
      const isFirst = !hasPassword(user)
      user.hashedPassword = hashed
      await user.save()
      return await afterPasswordChange(
        site,
        user,
        { actor, origin, currentSession, isFirst },
        client
      )
    })
  )
}

/**
 * Applies the consequences of a new password: ends the user's other sessions, invalidates a link to choose a password,
 * and notifies the user, except a new user with a first password.
 *
 * @returns the number of ended sessions
 */
export async function afterPasswordChange(
  site: Omit<PasswordSite, 'dbConfig'>,
  user: AdminUser,
  { actor, origin, currentSession, isFirst = false }: NewPassword,
  client: TransactionClientContract
): Promise<number> {
  const by = actor?.user && actor.user.id !== user.id ? String(actor.user.username) : undefined
  const isNews = !isFirst || by !== undefined || (await site.devices.hasAny(user.id, client))
  const ended = await site.sessionManager.endAllOf(user.id, currentSession, client)
  await site.invitations.drop(user.id, client)
  if (isNews) {
    const kind = isFirst ? 'password_set' : 'password_changed'
    const details = { ...deviceOf(origin), by }
    await site.notices.notify(user, kind, details, { session: currentSession?.id, client })
  }
  return ended
}
