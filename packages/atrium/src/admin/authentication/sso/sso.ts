import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { HttpContext } from '@adonisjs/core/http'
import logger from '@adonisjs/core/services/logger'
import { DateTime } from 'luxon'
import { Problem, systemActor, type CallOptions, type Item } from '#crud'
import { readingClientOf } from '../../config/database_config.js'
import AdminSsoIdentity from '../../models/admin_sso_identity.js'
import AdminRole from '../../models/admin_role.js'
import AdminUser, { LONGEST_USERNAME, SHORTEST_USERNAME } from '../../models/admin_user.js'
import { roleIdsOf } from '../../permissions/user_roles.js'
import { adminOrigin } from '../../identity/admin_actor.js'
import type { AdminUserService } from '../admin_user_service.js'
import { type SsoPerson, SsoRefused, SsoProvider } from './sso_provider.js'
import type { SsoConfig, SsoRoles } from '../../config/sso_config.js'
import { digest } from '#base/values/digest'

type Named = Pick<SsoPerson, 'issuer' | 'subject'>

/**
 * Links between identities at a provider and admin users. An identity is matched only by issuer and subject, never by a
 * name or email address, which users can choose themselves.
 */
class SsoIdentities {
  /** Returns the identity of a person, or null if it is not linked with a user. */
  async find(person: Named, client?: TransactionClientContract): Promise<AdminSsoIdentity | null> {
    return await AdminSsoIdentity.findBy('print', printOf(person), { client })
  }

  async of(
    userId: number,
    client = readingClientOf(AdminSsoIdentity)
  ): Promise<AdminSsoIdentity[]> {
    return await AdminSsoIdentity.query({ client }).where('userId', userId).orderBy('id')
  }

  /** Links an identity with a user. The database rejects an identity that is already linked. */
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

/**
 * Returns the digest that identities are found by. Databases can compare texts case-insensitively, but a subject is
 * case-sensitive.
 */
function printOf({ issuer, subject }: Named): string {
  return digest(JSON.stringify([issuer, subject]))
}

type Values = Record<string, unknown>

/** The properties of the site that are used here. */
interface PeopleSite {
  adminUserService: Pick<AdminUserService, 'holderOf'>
  models: {
    get(name: string): { crud: UsersCrud } | undefined
  }
}

interface UsersCrud {
  create(values: Values, options: CallOptions): Promise<Item>
  update(key: unknown, values: Values, options: CallOptions): Promise<Item | null>
}

/** Actor in events for roles that the provider has set */
const ACTOR = systemActor('single sign-on')

/*
 * Maximum number of users whose names differ only by a number; also the maximum number of attempts when concurrent
 * requests create the same name
 */
const MAX_USERS_PER_NAME = 100

/**
 * Finds or creates the admin user of a person at the provider, and sets the user's roles from the provider's claims.
 */
class SsoPeople {
  constructor(
    private readonly site: PeopleSite,
    private readonly config: SsoConfig,
    private readonly identities: SsoIdentities
  ) {}

  /** Names of the claims that a login needs */
  get claims(): string[] {
    const { roles, unknown, usernameClaim } = this.config
    return [...(roles ? [roles.claim] : []), ...(unknown === 'create' ? [usernameClaim] : [])]
  }

  /**
   * Returns the admin user of a person who logs in.
   *
   * @throws SsoRefused  for a person that the provider or the settings reject; if their claims no longer map to a role,
   *   the roles that the provider gave are removed first
   */
  async admit(ctx: HttpContext, person: SsoPerson): Promise<AdminUser> {
    const { roles, amr, unknown } = this.config
    const { claims } = person
    const name = usernameIn(this.config, claims)
    if (!hasMethod(amr, claims)) throw new SsoRefused('factor', undefined, name)
    const identity = await this.identities.find(person)
    const rights = roles && rightsIn(roles, claims)
    if (!identity && unknown === 'refuse') throw new SsoRefused('unknown', undefined, name)
    if (!identity && rights === null) throw new SsoRefused('role', undefined, name)
    const user = identity
      ? await this.#known(ctx, identity, rights)
      : await this.#create(ctx, person, name, rights ?? undefined)
    if (rights === null) throw new SsoRefused('role', undefined, user.username)
    return user
  }

  async #known(
    ctx: HttpContext,
    identity: AdminSsoIdentity,
    rights: GivenRights | null | undefined
  ): Promise<AdminUser> {
    const user = await AdminUser.findOrFail(identity.userId)
    if (rights !== undefined) await this.#setRights(ctx, user, rights)
    await touch(identity)
    return await AdminUser.findOrFail(user.id)
  }

  async #setRights(ctx: HttpContext, user: AdminUser, rights: GivenRights | null): Promise<void> {
    const ids = await this.#idsOf(rights?.roles ?? [])
    const present = await roleIdsOf(user.id, AdminUser.query().client)
    const isSuperuser = this.config.roles?.superuser && (rights?.isSuperuser ?? false)
    if (isSuperuser !== undefined && isSuperuser !== user.isSuperuser) {
      await this.#update(ctx, user, { isSuperuser })
    }
    if (new Set(ids).symmetricDifference(new Set(present)).size > 0) {
      await this.#update(ctx, user, { roles: ids })
    }
  }

  /** Updates the user. If the update would remove the last superuser, it is skipped and logged. */
  async #update(ctx: HttpContext, user: AdminUser, values: Values) {
    try {
      await this.#crud().update(user.id, values, { actor: ACTOR, origin: adminOrigin(ctx) })
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 409) throw error
      logger.warn({ username: user.username, reason: error.message }, 'Single sign-on')
    }
  }

  /** Creates user and link in one transaction, so that only one of two concurrent first logins creates them. */
  async #create(
    ctx: HttpContext,
    person: SsoPerson,
    wanted: string,
    rights: GivenRights | undefined
  ): Promise<AdminUser> {
    const roles = rights && (await this.#idsOf(rights.roles))
    for (let number = 1; number <= MAX_USERS_PER_NAME; number++) {
      const username = numbered(wanted, number)
      if (await this.site.adminUserService.holderOf(username)) continue
      try {
        return await AdminUser.transaction(async (client) => {
          const values = {
            username,
            invite: true,
            email: emailIn(person.claims),
            isSuperuser: rights?.isSuperuser ?? false,
            ...(roles && { roles }),
          }
          const options = { actor: ACTOR, origin: adminOrigin(ctx), client }
          const { id } = await this.#crud().create(values, options)
          await touch(await this.identities.link(id as number, person, client))
          return await AdminUser.findOrFail(id, { client })
        })
      } catch (error) {
        const other = await this.identities.find(person)
        if (other) return await AdminUser.findOrFail(other.userId)
        const isTaken = await this.site.adminUserService.holderOf(username)
        if (!isTaken) throw error
      }
    }
    throw new SsoRefused('failed', 'too many users of this name', wanted)
  }

  /**
   * Returns the ids of the roles with these names. Names of deleted roles are skipped and logged.
   */
  async #idsOf(names: readonly string[]): Promise<number[]> {
    if (names.length === 0) return []
    const found = await AdminRole.query().whereIn('name', [...names])
    const missing = names.filter((name) => !found.some((role) => role.name === name))
    if (missing.length > 0) {
      logger.warn(
        { roles: missing },
        'sso.roles.map of config/admin.ts names roles that are not there'
      )
    }
    return found.filter(({ name }) => names.includes(name)).map(({ id }) => id)
  }

  #crud() {
    return this.site.models.get(AdminUser.name)!.crud
  }
}

async function touch(identity: AdminSsoIdentity): Promise<void> {
  identity.lastUsedAt = DateTime.utc()
  await identity.save()
}

function numbered(name: string, number: number): string {
  if (number === 1) return name
  const end = `-${number}`
  return name.slice(0, LONGEST_USERNAME - end.length) + end
}

interface Site extends PeopleSite {
  absoluteUrl(path: string): string
  url(path: string): string
}

/** Single sign-on of the site: the provider, and the admin users of the people who log in through it. */
export class Sso {
  readonly provider: SsoProvider
  readonly identities = new SsoIdentities()
  readonly people: SsoPeople

  constructor(
    private readonly site: Site,
    readonly config: SsoConfig
  ) {
    this.provider = new SsoProvider(config)
    this.people = new SsoPeople(site, config, this.identities)
  }

  /**
   * URL that the provider redirects to after a login, to be registered at the provider. It never depends on the host of
   * a request.
   */
  get callbackUrl(): string {
    return this.site.absoluteUrl('/login/sso/callback')
  }

  /** URL that the provider redirects to after a logout, to be registered at the provider */
  get loggedOutUrl(): string {
    return this.site.absoluteUrl('/login')
  }

  /** Returns the URL of the site that redirects to the provider. */
  url(query: Record<string, string | null | undefined> = {}): string {
    const given = Object.entries(query).filter(([, value]) => value)
    const text = new URLSearchParams(given as Array<[string, string]>).toString()
    return this.site.url('/login/sso') + (text && `?${text}`)
  }
}

/** A site with single sign-on; undefined if it is not configured */
export interface WithSso {
  readonly sso: Sso | undefined
}

type Claims = Record<string, unknown>

/** Permissions of a person according to the provider's claims. */
interface GivenRights {
  /** Names of roles */
  roles: string[]
  /** Undefined: the provider does not decide who is a superuser */
  isSuperuser: boolean | undefined
}

/**
 * Returns the permissions that the claims grant.
 *
 * @returns null if no value of the claim is mapped to a role or makes the user a superuser
 */
export function rightsIn({ claim, map, superuser }: SsoRoles, claims: Claims): GivenRights | null {
  const values = textsOf(Object.hasOwn(claims, claim) ? claims[claim] : undefined)
  const mapped = values.filter((value) => Object.hasOwn(map, value))
  const isSuperuser = superuser && values.some((value) => superuser.includes(value))
  if (mapped.length === 0 && !isSuperuser) return null
  return { roles: [...new Set(mapped.flatMap((value) => map[value]))], isSuperuser }
}

/**
 * Returns the user name for a person, before it is made unique: from the claim that the settings specify, otherwise
 * from the subject, otherwise `user`.
 */
export function usernameIn(
  { usernameClaim }: Pick<SsoConfig, 'usernameClaim'>,
  claims: Claims
): string {
  for (const value of [claims[usernameClaim], claims.sub]) {
    if (typeof value !== 'string') continue
    const name = value
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .replace(/@.*$/s, '')
      .replace(/[^A-Za-z0-9._-]+/g, '.')
      .replace(/^\.+|\.+$/g, '')
      .slice(0, LONGEST_USERNAME)
    if (name.length >= SHORTEST_USERNAME) return name
  }
  return 'user'
}

/** Returns the email address that the provider has verified, or null. */
export function emailIn({ email, email_verified: isVerified }: Claims): string | null {
  const isGood = typeof email === 'string' && email.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(email)
  return isGood && isVerified === true ? email : null
}

/** Returns true if the ID token contains one of the methods, or if no methods are required. */
export function hasMethod(amr: readonly string[], claims: Claims): boolean {
  return amr.length === 0 || textsOf(claims.amr).some((method) => amr.includes(method))
}

function textsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string')
}
