import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { LucidCrud, Problem, ValueError, type Actor, type Item } from '#crud'
import { inTransaction } from '#crud/database/transaction'
import { alreadyRegistered, invalidBody } from '#crud/http/problems'
import type { CallOptions, HookOptions, WriteOptions } from '#crud/lucid_crud'
import type { AdminSite } from '../admin_site.js'
import AdminUser from '../models/admin_user.js'
import { REVOKE_TOKENS } from './admin_user_schemas.js'

type Values = Record<string, unknown>
type Site = Pick<AdminSite, 'accessTokens' | 'adminUserService' | 'sessionManager' | 'text'>

/**
 * What is peculiar to the users of the site, whichever door a write comes through: passwords become
 * hashes, nobody locks the site up by removing the last superuser, and who must not be signed in any
 * longer is not. [B7, B11, B13]
 */
export class AdminUserCrud extends LucidCrud<typeof AdminUser> {
  readonly #site: Site

  constructor(site: Site) {
    super(AdminUser)
    this.#site = site
  }

  /**
   * @throws Problem 409  for a name that somebody has, in whatever case
   */
  async create(values: Values, options: CallOptions = {}): Promise<Item> {
    const hashed = await this.#withHash(values, async () => values.username)
    return await named(values.username, () =>
      inTransaction(this.#clientOf(options), async (client) => {
        await this.#checkName(hashed.username, client)
        return await super.create(hashed, { ...options, client })
      })
    )
  }

  /**
   * @throws Problem 409  for a name that somebody else has, or the last superuser's rights
   */
  async update(
    key: unknown,
    values: Values,
    options: WriteOptions & { returning?: boolean } = {}
  ): Promise<Item | null> {
    const hashed = await this.#withHash(
      values,
      async () => values.username ?? (await this.#nameOf(key, options))
    )
    return await named(values.username, () =>
      this.#locked(options, (own) => super.update(key, hashed, own))
    )
  }

  async prepareUpdate(values: Values, record: LucidRow, options: HookOptions): Promise<Values> {
    const user = record as AdminUser
    const { client } = options
    await this.#checkName(values.username, client, user)
    if (values.isSuperuser === false) await this.#checkNotLast(user, 'core.lastDemoted', client)
    /* A new password ends what was begun with the old one, but for where it was changed. [B7] */
    if (values.hashedPassword !== undefined) {
      const kept = isOneself(user, options) ? options.actor!.session : undefined
      await this.#site.sessionManager.endAllOf(user.id, kept, client)
    }
    if (values[REVOKE_TOKENS] === true) {
      const { actor, origin } = options
      await this.#site.accessTokens.revokeAllOf(user, { actor, origin, client })
    }
    return await super.prepareUpdate(values, record, options)
  }

  /**
   * @throws Problem 409  for oneself, and for the last superuser
   */
  async delete(key: unknown, options: WriteOptions = {}): Promise<void> {
    await this.#locked(options, (own) => super.delete(key, own))
  }

  /**
   * @throws Problem 409  for oneself, and for the last superuser
   */
  async dbDelete(key: unknown, options: WriteOptions = {}): Promise<void> {
    await this.#locked(options, (own) => super.dbDelete(key, own))
  }

  /**
   * @throws Problem 409  when oneself is among them, or the last superuser
   */
  async deleteMany(
    keys: readonly unknown[],
    options: CallOptions & { hard?: boolean } = {}
  ): Promise<LucidRow[]> {
    return await this.#locked(options, (own) => super.deleteMany(keys, own))
  }

  async prepareDelete(record: LucidRow, options: HookOptions): Promise<void> {
    const user = record as AdminUser
    if (isOneself(user, options)) throw new Problem(409, this.#site.text('core.oneself'))
    await this.#checkNotLast(user, 'core.lastDeleted', options.client)
    /* The tokens first: once the user is gone, nothing tells which ones they had. */
    await this.#site.sessionManager.endAllOf(user.id, undefined, options.client)
  }

  /**
   * Hashing is slow on purpose, so it is done before a transaction keeps others waiting.
   *
   * @throws Problem 422  for a password that can't be; that it is the name, no schema of a field sees
   */
  async #withHash(
    { password, ...values }: Values,
    nameOf: () => Promise<unknown>
  ): Promise<Values> {
    if (password === undefined) return values
    const { adminUserService: users } = this.#site
    const username = await nameOf()
    const name = typeof username === 'string' ? username : undefined
    try {
      return { ...values, hashedPassword: await users.hashPassword(String(password), name) }
    } catch (error) {
      if (!(error instanceof ValueError)) throw error
      throw invalidBody([{ field: 'password', rule: 'password', message: error.message }])
    }
  }

  async #nameOf(key: unknown, options: CallOptions): Promise<unknown> {
    const [id] = this.resource.key.fromCode(key)
    const user = await AdminUser.find(id, { client: this.#clientOf(options) })
    return user?.username
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

  /** Before a record is locked, all superusers are: two who delete each other take turns. */
  async #locked<Options extends CallOptions, Result>(
    options: Options,
    work: (options: Options) => Promise<Result>
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
 * Of two who take a name at once the database refuses one, by a column that is made of the name and
 * that nobody knows: it is the name that was taken.
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

function isOneself({ id }: AdminUser, { actor }: { actor?: Actor }): boolean {
  return actor?.user?.id === id
}
