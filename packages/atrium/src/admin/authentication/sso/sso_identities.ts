import { hash } from 'node:crypto'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { readingClientOf } from '../../database_config.js'
import AdminSsoIdentity from '../../models/admin_sso_identity.js'
import type { SsoPerson } from './sso_provider.js'

type Named = Pick<SsoPerson, 'issuer' | 'subject'>

/**
 * Which person at a provider is which admin user: by issuer and subject alone, never by a name or an address, which
 * others may give themselves. [U15]
 */
export class SsoIdentities {
  /**
   * The identity of a person; null if they are linked with nobody.
   */
  async find(person: Named, client?: TransactionClientContract): Promise<AdminSsoIdentity | null> {
    return await AdminSsoIdentity.findBy('print', printOf(person), { client })
  }

  async of(
    userId: number,
    client = readingClientOf(AdminSsoIdentity)
  ): Promise<AdminSsoIdentity[]> {
    return await AdminSsoIdentity.query({ client }).where('userId', userId).orderBy('id')
  }

  /**
   * Links a person with a user. The database refuses a person who is linked.
   */
  async link(
    userId: number,
    person: Named,
    client?: TransactionClientContract
  ): Promise<AdminSsoIdentity> {
    const { issuer, subject } = person
    return await AdminSsoIdentity.create(
      { userId, issuer, subject, print: printOf(person) },
      { client }
    )
  }

  /**
   * @returns false if the user has no such identity
   */
  async unlink(userId: number, id: number): Promise<boolean> {
    const identity = await AdminSsoIdentity.query().where({ id, userId }).first()
    await identity?.delete()
    return identity !== null
  }
}

/** Databases compare texts without regard to case; a subject has one. */
function printOf({ issuer, subject }: Named): string {
  return hash('sha256', JSON.stringify([issuer, subject]), 'hex')
}
