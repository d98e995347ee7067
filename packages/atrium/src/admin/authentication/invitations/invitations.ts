import { randomBytes } from 'node:crypto'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'
import { inUtc } from '#base/values/datetime'
import { readingClientOf } from '../../config/database_config.js'
import AdminInvitation from '../../models/admin_invitation.js'
import { digest } from '#base/values/digest'

/** Hours that a link is valid */
export const INVITATION_HOURS = 24

/* 32 random bytes in base64url */
const TOKEN = /^[\w-]{43}$/

/**
 * One-time links with which users set their password: new users without a password, and users who have lost it. Only
 * the hash of a link's token is stored.
 */
export class Invitations {
  /**
   * Creates a link for a user, which replaces an earlier link. The caller has locked the user.
   *
   * @returns the token of the link, which is not stored anywhere, and the expiry time
   */
  async make(
    userId: number,
    client: TransactionClientContract
  ): Promise<{ token: string; expiresAt: DateTime }> {
    const token = randomBytes(32).toString('base64url')
    const expiresAt = DateTime.utc().plus({ hours: INVITATION_HOURS }).startOf('second')
    await this.drop(userId, client)
    await client
      .table(AdminInvitation.table)
      .insert({ user_id: userId, hash: digest(token), expires_at: inUtc(expiresAt) })
    return { token, expiresAt }
  }

  /** @returns the link with this token; null if the link is unknown, used, replaced or expired */
  async find(token: unknown): Promise<AdminInvitation | null> {
    if (typeof token !== 'string' || !TOKEN.test(token)) return null
    const found = await AdminInvitation.findBy('hash', digest(token))
    return found && found.expiresAt.toMillis() > Date.now() ? found : null
  }

  /** @returns the current link of a user; null if there is none, or it has expired */
  async of(userId: number): Promise<AdminInvitation | null> {
    const client = readingClientOf(AdminInvitation)
    const found = await AdminInvitation.find(userId, { client })
    return found && found.expiresAt.toMillis() > Date.now() ? found : null
  }

  /**
   * Marks a link as used. The caller has locked the user, so only one of two concurrent requests succeeds.
   *
   * @returns false if the link was used or replaced, or has expired, in the meantime
   */
  async use(
    { userId, hash: value }: AdminInvitation,
    client: TransactionClientContract
  ): Promise<boolean> {
    const present = await AdminInvitation.query({ client })
      .where({ userId, hash: value })
      .forUpdate()
      .first()
    if (!present || present.expiresAt.toMillis() <= Date.now()) return false
    await this.drop(userId, client)
    return true
  }

  async drop(userId: number, client: TransactionClientContract): Promise<void> {
    await client.from(AdminInvitation.table).where('user_id', userId).delete()
  }
}

export interface WithInvitations {
  readonly invitations: Invitations
}
