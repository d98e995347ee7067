import logger from '@adonisjs/core/services/logger'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { ValueError } from '#crud'
import { dialectOf } from '#base/database/dialects'
import { gatherWrites, knownResources, Pivots } from '#crud/internals'
import AdminUser, { type AdminUserAttributes } from '../models/admin_user.js'
import { DefaultRole, setRoles } from '../permissions/user_roles.js'
import {
  isCommonPassword,
  isContextWord,
  wordsOfEmail,
  isUserName,
  hasPassword,
  NO_PASSWORD,
} from './passwords/password_rules.js'
import { passwordHash, isWeaker, computeRest } from './passwords/password_hash.js'
import { WorkQueue } from './login/work_queue.js'

const USERNAME = /^[A-Za-z0-9._-]{2,32}$/
export const SHORTEST_PASSWORD = 8
const LONGEST_PASSWORD = 128

/*
 * Hash that passwords of unknown users are compared with, so that the response time is the same. Created once, with the
 * same driver and costs as real hashes.
 */
let unknownUserHash: Promise<string> | undefined

function hashOfNoUser(): Promise<string> {
  return (unknownUserHash ??= passwordHash.make('nobody'))
}

/** User whose password must not be made of their user name or email address */
export type PasswordOwner = Partial<Pick<AdminUser, 'username' | 'email'>>

/** Creates, updates and removes admin users. */
export class AdminUserService {
  /**
   * @param hashing      limits the number of concurrent hash operations, which are slow and use much memory by design,
   *   and which every client can trigger
   * @param defaultRole  role of users who are created without roles
   * @param siteWords    names of the site, which are rejected as passwords
   */
  constructor(
    private readonly hashing = new WorkQueue(2, 20),
    readonly defaultRole = new DefaultRole('Everything'),
    private readonly siteWords: readonly string[] = []
  ) {}

  /**
   * Creates a user with roles, and emits the events.
   *
   * @param input.password  null for a user who gets a link to choose a password
   * @param input.roleIds  ids of existing roles; default: the default role
   * @throws ValueError  for an invalid name or password, a name that is in use, or a missing default role
   */
  async create(input: {
    username: string
    password: string | null
    isSuperuser: boolean
    email?: string | null
    roleIds?: readonly number[]
    attributes?: AdminUserAttributes
  }): Promise<AdminUser> {
    const { attributes, username, password, isSuperuser, email = null } = input
    await this.checkNewUsername(username)
    const roleIds = input.roleIds ?? (await this.defaultRole.ids())
    const hashedPassword =
      password === null ? NO_PASSWORD : await this.hashPassword(password, { username, email })
    try {
      const values = { username, hashedPassword, isSuperuser, email }
      return await this.#store(attributes ? { ...values, attributes } : values, roleIds)
    } catch (error) {
      /* A concurrent request created a user with this name after the check. */
      const invalid = dialectOf(AdminUser.query().client).explain(error)
      throw invalid?.kind === 'unique' ? taken(input.username) : error
    }
  }

  /**
   * @throws ValueError  when there is no such user
   */
  async findByName(username: string): Promise<AdminUser> {
    const user = await AdminUser.findBy('username', username)
    if (!user) throw new ValueError(`Unknown admin user ${JSON.stringify(username)}`)
    return user
  }

  /**
   * Stores a new password without the consequences that `replacePassword` has.
   *
   * @throws ValueError  for an invalid password
   */
  async setPassword(user: AdminUser, password: string): Promise<void> {
    user.hashedPassword = await this.hashPassword(password, user)
    await user.save()
  }

  /**
   * @param before  work that runs first, in the same transaction
   * @throws ValueError  when the user is the last superuser
   */
  async remove(
    user: AdminUser,
    before: (client: TransactionClientContract) => Promise<void> = async () => {}
  ): Promise<void> {
    await AdminUser.transaction(async (client: TransactionClientContract) => {
      await this.checkRemovable(user, client)
      await before(client)
      const current = await AdminUser.find(user.id, { client })
      await current?.delete()
    })
  }

  /**
   * @throws ValueError  when the user is the last superuser
   */
  async checkRemovable(user: AdminUser, client?: TransactionClientContract): Promise<void> {
    if (await this.isLastSuperuser(user, client)) {
      throw new ValueError(
        `${user.username} is the last superuser; make another one first: node ace admin:create`
      )
    }
  }

  /**
   * Returns true if the user is the only superuser. In a transaction the result holds until the end of the transaction,
   * because all superusers are locked.
   */
  async isLastSuperuser({ id }: AdminUser, client?: TransactionClientContract): Promise<boolean> {
    const superusers = await this.lockSuperusers(client)
    return superusers.length === 1 && superusers[0].id === id
  }

  /**
   * Locks and returns all superusers, always in the same order, so that two concurrent changes do
   * not deadlock.
   */
  async lockSuperusers(client?: TransactionClientContract): Promise<AdminUser[]> {
    return await AdminUser.query({ client }).where('isSuperuser', true).orderBy('id').forUpdate()
  }

  /**
   * Returns the user with this name and password. Takes as long for an unknown user as for a wrong password. Replaces a
   * hash that has lower costs than the current ones.
   *
   * @returns null for an unknown user or a wrong password
   * @throws QueueFull  when too many other comparisons are waiting
   */
  async verify(username: string, password: string): Promise<AdminUser | null> {
    const user = USERNAME.test(username) ? await AdminUser.findBy('username', username) : null
    return await this.hashing.run(async () => {
      const noUserHash = await hashOfNoUser()
      const hashed = user && hasPassword(user) ? user.hashedPassword : noUserHash
      const isRight = await passwordHash.verify(hashed, password)
      if (user && isRight && hashed !== noUserHash) {
        if (isWeaker(hashed, noUserHash)) await this.#rehash(user, password)
        return user
      }
      await computeRest(hashed, noUserHash, password)
      return null
    })
  }

  /** Stores user and roles in one transaction, and emits the events. */
  async #store(values: Partial<AdminUser>, roleIds: readonly number[]): Promise<AdminUser> {
    const resource = knownResources.of(AdminUser)
    return await AdminUser.transaction(async (client: TransactionClientContract) =>
      gatherWrites(client, { model: AdminUser }, async () => {
        const user = await AdminUser.create(values, { client })
        const pivots = await Pivots.of(resource, user, { isNew: true })
        await setRoles(user.id, roleIds, client)
        await pivots?.note(client)
        return user
      })
    )
  }

  /**
   * Replaces the hash. Not logged as an event, because the password stays the same. If the update fails, the next login
   * repeats it.
   */
  async #rehash(user: AdminUser, password: string): Promise<void> {
    try {
      const hashedPassword = await passwordHash.make(password)
      const { id, hashedPassword: weak } = user
      const [changed] = await AdminUser.query()
        .where({ id, hashedPassword: weak })
        .update({ hashedPassword })
      if (changed === 0) return
      user.hashedPassword = hashedPassword
      user.$hydrateOriginals()
    } catch (error) {
      logger.error({ err: error }, 'A weak hash of a password could not be replaced')
    }
  }

  /**
   * @param owner  the user, as far as known
   * @throws ValueError  for an invalid password
   * @throws QueueFull  when too many operations are waiting
   */
  async hashPassword(password: string, owner: PasswordOwner = {}): Promise<string> {
    this.checkPassword(password, owner)
    return await this.hashing.run(() => passwordHash.make(password))
  }

  /**
   * @param owner  the user, as far as known
   * @throws ValueError  for a password that is too short, too long, too common, equal to a name of the user or the
   *   site, surrounded by spaces, or impossible to send by a form
   */
  checkPassword(password: string, { username, email }: PasswordOwner = {}): void {
    const { length } = [...password]
    if (length < SHORTEST_PASSWORD) {
      throw new ValueError(`A password has ${SHORTEST_PASSWORD} characters at least`)
    }
    if (length > LONGEST_PASSWORD) {
      throw new ValueError(`A password has ${LONGEST_PASSWORD} characters at most`)
    }
    if (/[\r\n\0]/.test(password)) {
      throw new ValueError('A password has one line only')
    }
    /* Users do not see such a space, and some programs remove it. */
    if (password !== password.trim()) {
      throw new ValueError('A password does not begin or end with a space')
    }
    if (username !== undefined && isUserName(password, username)) {
      throw new ValueError(
        'The password is the user name, or that with digits and signs around it: choose another one'
      )
    }
    if (isContextWord(password, [...this.siteWords, ...(email ? wordsOfEmail(email) : [])])) {
      throw new ValueError(
        "The password is a name of this site or of the user's e-mail address, with or without digits and signs: choose another one"
      )
    }
    if (isCommonPassword(password)) {
      throw new ValueError(
        'This password is one of the most common ones, which are tried first: choose another one'
      )
    }
  }

  /**
   * @throws ValueError  for an invalid name
   */
  checkUsername(username: string): void {
    if (!USERNAME.test(username)) {
      throw new ValueError(
        `${JSON.stringify(username)} can't be a user name: it has 2 to 32 letters, digits and the characters . _ -`
      )
    }
  }

  /**
   * @throws ValueError  for an invalid name, or one that is in use
   */
  async checkNewUsername(username: string): Promise<void> {
    this.checkUsername(username)
    if (await this.holderOf(username)) throw taken(username)
  }

  /**
   * Returns the user with this name, ignoring case. Names that differ only in case count as equal, because users and
   * the throttle cannot distinguish them.
   */
  async holderOf(username: string, client?: TransactionClientContract): Promise<AdminUser | null> {
    return await AdminUser.query({ client })
      .whereRaw('lower(username) = ?', [username.toLowerCase()])
      .first()
  }
}

function taken(username: string): ValueError {
  return new ValueError(`The user name ${username} is taken`)
}

export interface WithUsers {
  readonly adminUserService: AdminUserService
}
