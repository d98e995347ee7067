import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import {
  type Actor,
  type CallOptions,
  type HookOptions,
  type Item,
  LucidCrud,
  Problem,
  ValueError,
  type WriteOptions,
} from '#crud'
import { alreadyRegistered, invalidBody } from '#base/http/problems'
import { inTransaction } from '#base/database/transaction'
import type { Site } from '../views/site.js'
import type { WithAccessTokens } from '../authentication/access_tokens/access_tokens.js'
import type { WithDevices } from '../authentication/devices/known_devices.js'
import type { WithInvitations } from '../authentication/invitations/invitations.js'
import type { WithSavedViews } from '../list/saved_views/saved_views.js'
import type { WithSessions } from '../authentication/sessions/session_manager.js'
import type { WithUserAttributes } from '../config/user_attributes.js'
import type { PasswordOwner, WithUsers } from '../authentication/admin_user_service.js'
import { afterPasswordChange } from '../authentication/passwords/replace_password.js'
import { hasPassword, NO_PASSWORD } from '../authentication/passwords/password_rules.js'
import AdminUser, { ROLES } from '../models/admin_user.js'
import { deviceOf, type WithNotices } from '../notices/notices.js'
import { requireProofOf } from '../identity/proof.js'
import { roleIdsOf, setRoles, unknownRoles } from '../permissions/user_roles.js'
import { checkReferencedRecords } from '../user_attributes/attribute_fields.js'
import { INVITE, REVOKE_TOKENS } from './admin_user_endpoints.js'

type Values = Record<string, unknown>

/** The parts of the site that writes to users need */
export type UserSite = Pick<Site, 'models' | 'text'> &
  WithAccessTokens &
  WithUsers &
  WithDevices &
  WithInvitations &
  WithNotices &
  WithSavedViews &
  WithSessions &
  WithUserAttributes

/**
 * Rules for writes to admin users, from any endpoint or page: hashes passwords, protects the last superuser, ends the
 * sessions of users who lose access, gives new users the default role, and requires a recent reauthentication.
 */
export class AdminUserCrud extends LucidCrud<typeof AdminUser> {
  readonly #site: UserSite

  constructor(site: UserSite) {
    super(AdminUser)
    this.#site = site
  }

  /** @throws Problem 409  for a name that is in use, ignoring case, or a missing default role */
  async create(values: Values, options: CallOptions = {}): Promise<Item> {
    const hashed = await this.#withHash(values, async () => ownerIn(values))
    return await named(values.username, () =>
      this.#locked(options, async (own) => {
        await this.#checkName(hashed.username, own.client)
        const roles = rolesIn(hashed) ?? (await this.#defaultRoles(own.client))
        return await super.create({ ...hashed, [ROLES]: roles }, own)
      })
    )
  }

  async prepareCreate(values: Values, options: HookOptions): Promise<Values> {
    requireProofOf(options.actor)
    await checkReferencedRecords(this.#site, values.attributes, null, options)
    await this.#checkRoles(values, options)
    return await super.prepareCreate(values, options)
  }

  async afterCreate(record: LucidRow, values: Values, options: HookOptions): Promise<void> {
    await this.#setRoles(record as AdminUser, values, options)
  }

  async afterUpdate(record: LucidRow, values: Values, options: HookOptions): Promise<void> {
    await this.#setRoles(record as AdminUser, values, options)
  }

  /**
   * @throws Problem 409  for a name that is in use, or for an update that removes the rights of the last superuser
   */
  async update(
    key: unknown,
    values: Values,
    options: WriteOptions & { returning?: boolean } = {}
  ): Promise<Item | null> {
    const hashed = await this.#withHash(values, async () => ({
      ...(await this.#ownerOf(key, options)),
      ...ownerIn(values),
    }))
    return await named(values.username, () =>
      this.#locked(options, (own) => super.update(key, hashed, own))
    )
  }

  async prepareUpdate(values: Values, record: LucidRow, options: HookOptions): Promise<Values> {
    const user = record as AdminUser
    const { client } = options
    requireProofOf(options.actor)
    await this.#checkName(values.username, client, user)
    await checkReferencedRecords(this.#site, values.attributes, user.attributes as Values, options)
    if (values.isSuperuser === false) await this.#checkNotLast(user, 'core.lastDemoted', client)
    /* A new password ends the user's sessions, except the session that set it. */
    if (values.hashedPassword !== undefined) {
      const { actor, origin } = options
      const currentSession = isOneself(user, options) ? actor?.session : undefined
      const isFirst = !hasPassword(user)
      await afterPasswordChange(
        this.#site,
        user,
        { actor, origin, currentSession, isFirst },
        client
      )
    }
    if (values.email !== undefined) await this.#tellOfEmail(user, values.email, options)
    if (values[REVOKE_TOKENS] === true) {
      const { actor, origin } = options
      await this.#site.accessTokens.revokeAllOf(user, { actor, origin, client })
    }
    await this.#checkRoles(values, options)
    const changes = await super.prepareUpdate(values, record, options)
    return (await this.#changesRoles(user, values, options))
      ? { ...changes, permissionsVersion: user.permissionsVersion + 1 }
      : changes
  }

  /** @throws Problem 409  if the record is the actor's user or the last superuser */
  async delete(key: unknown, options: WriteOptions = {}): Promise<void> {
    await this.#locked(options, (own) => super.delete(key, own))
  }

  /** @throws Problem 409  if the record is the actor's user or the last superuser */
  async dbDelete(key: unknown, options: WriteOptions = {}): Promise<void> {
    await this.#locked(options, (own) => super.dbDelete(key, own))
  }

  /** @throws Problem 409  if the actor's user or the last superuser is among the records */
  async deleteMany(
    keys: readonly unknown[],
    options: CallOptions & { hard?: boolean } = {}
  ): Promise<LucidRow[]> {
    return await this.#locked(options, (own) => super.deleteMany(keys, own))
  }

  async prepareDelete(record: LucidRow, options: HookOptions): Promise<void> {
    const user = record as AdminUser
    requireProofOf(options.actor)
    if (isOneself(user, options)) throw new Problem(409, this.#site.text('core.oneself'))
    await this.#checkNotLast(user, 'core.lastDeleted', options.client)
    /* Sessions are ended first, because their tokens could not be found without the user. */
    await this.#site.sessionManager.endAllOf(user.id, undefined, options.client)
    await this.#site.savedViews.leave(user.id, options.client)
  }

  /**
   * Hashes the password before the transaction begins, because hashing is slow by design and would block other writes.
   *
   * @throws Problem 422  for a password together with an invitation, and for an invalid password, including one that
   *   equals a name of the user, which is checked only here
   */
  async #withHash(
    { password, ...values }: Values,
    ownerOf: () => Promise<PasswordOwner>
  ): Promise<Values> {
    if (values[INVITE] === true) {
      if (password !== undefined) throw twoWays()
      return { ...values, hashedPassword: NO_PASSWORD }
    }
    if (password === undefined) return values
    const { adminUserService: users } = this.#site
    const owner = await ownerOf()
    try {
      return { ...values, hashedPassword: await users.hashPassword(String(password), owner) }
    } catch (error) {
      if (!(error instanceof ValueError)) throw error
      throw invalidBody([{ field: 'password', rule: 'password', message: error.message }])
    }
  }

  /** Notifies the previous address, because an attacker who took over the account reads the new one. */
  async #tellOfEmail(user: AdminUser, email: unknown, { actor, origin, client }: HookOptions) {
    if (email === user.email) return
    const isOwn = isOneself(user, { actor })
    const by = actor?.user && !isOwn ? String(actor.user.username) : undefined
    const session = isOwn ? (actor?.session?.id as number | undefined) : undefined
    const details = { ...deviceOf(origin), by }
    await this.#site.notices.notify(user, 'email_changed', details, {
      session,
      client,
      address: user.email,
    })
  }

  /** @throws Problem 422  for ids of roles that do not exist */
  async #checkRoles(values: Values, { client }: HookOptions) {
    const unknown = await unknownRoles(rolesIn(values) ?? [], client)
    if (unknown.length === 0) return
    const message = `The roles field has ${unknown.join(', ')}, which no role has as its id`
    throw invalidBody([{ field: ROLES, rule: 'foreign_key', message }])
  }

  async #setRoles({ id }: AdminUser, values: Values, { client }: HookOptions) {
    const ids = rolesIn(values)
    if (ids) await setRoles(id, ids, client)
  }

  async #changesRoles({ id }: AdminUser, values: Values, { client }: HookOptions) {
    const ids = rolesIn(values)
    if (!ids) return false
    const present = await roleIdsOf(id, client)
    return new Set(present).symmetricDifference(new Set(ids)).size > 0
  }

  async #defaultRoles(client: QueryClientContract): Promise<number[]> {
    try {
      return await this.#site.adminUserService.defaultRole.ids(client)
    } catch (error) {
      throw error instanceof ValueError ? new Problem(409, error.message) : error
    }
  }

  async #ownerOf(key: unknown, options: CallOptions): Promise<PasswordOwner> {
    const [id] = this.resource.key.fromCode(key)
    const user = await AdminUser.find(id, { client: this.#clientOf(options) })
    return user ? { username: user.username, email: user.email } : {}
  }

  async #checkName(username: unknown, client: TransactionClientContract, owner?: AdminUser) {
    if (typeof username !== 'string') return
    const holder = await this.#site.adminUserService.holderOf(username, client)
    if (holder && holder.id !== owner?.id) throw alreadyRegistered(username, ['username'])
  }

  async #checkNotLast(user: AdminUser, text: string, client: TransactionClientContract) {
    if (await this.#site.adminUserService.isLastSuperuser(user, client)) {
      throw new Problem(409, this.#site.text(text, { username: user.username }))
    }
  }

  /**
   * Locks all superusers before the record, so that two superusers who delete each other do so one after the other.
   */
  async #locked<Options extends CallOptions, Result>(
    options: Options,
    work: (options: Options & { client: TransactionClientContract }) => Promise<Result>
  ): Promise<Result> {
    return await inTransaction(this.#clientOf(options), async (client) => {
      await this.#site.adminUserService.lockSuperusers(client)
      return await work({ ...options, client })
    })
  }

  #clientOf({ client }: CallOptions): QueryClientContract {
    return client ?? this.resource.client()
  }
}

/**
 * If two concurrent requests use one name, the database rejects the second through a generated column; the error is
 * reported for the user name instead.
 *
 * @throws Problem 409
 */
async function named<Result>(username: unknown, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const isUnnamed = error instanceof Problem && error.status === 409 && error.errors?.length === 0
    throw isUnnamed && typeof username === 'string'
      ? alreadyRegistered(username, ['username'])
      : error
  }
}

function ownerIn({ username, email }: Values): PasswordOwner {
  return {
    ...(typeof username === 'string' && { username }),
    ...(typeof email === 'string' && { email }),
  }
}

function twoWays(): Problem {
  const message = 'An invited user chooses the password: leave it empty, or do not invite'
  return invalidBody([{ field: 'password', rule: 'password', message }])
}

/** Returns the ids of the roles to set: none for null; undefined if the field was not sent. */
function rolesIn(values: Values): number[] | undefined {
  const roles = values[ROLES] as number[] | null | undefined
  return roles === null ? [] : roles
}

function isOneself({ id }: AdminUser, { actor }: { actor?: Actor }): boolean {
  return actor?.user?.id === id
}
