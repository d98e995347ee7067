import hash from '@adonisjs/core/services/hash'
import logger from '@adonisjs/core/services/logger'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { ValueError } from '#crud'
import { dialectOf } from '#crud/database/dialects'
import AdminUser from '../models/admin_user.js'
import { isCommonPassword } from './passwords/common_passwords.js'
import { isWeaker, spendRest } from './passwords/scrypt_costs.js'
import { WorkQueue } from './login/work_queue.js'

export const SHORTEST_USERNAME = 2
export const LONGEST_USERNAME = 32
export const USERNAME = /^[A-Za-z0-9._-]{2,32}$/
export const SHORTEST_PASSWORD = 8
export const LONGEST_PASSWORD = 128

/* A hash to compare with when there is no such user, so that the time spent says nothing. Made once,
 * by the same driver and costs as real ones. */
let nobodysHash: Promise<string> | undefined

function hashOfNobody(): Promise<string> {
  return (nobodysHash ??= hash.make('nobody'))
}

/**
 * Creates, changes and removes admin users. [B11]
 */
export class AdminUserService {
  /**
   * @param hashing  bounds how many passwords are compared and hashed at once: it is meant to be slow and
   *   to take memory, and everybody may ask for it [B8]
   */
  constructor(private readonly hashing = new WorkQueue(2, 20)) {}

  /**
   * @throws ValueError  for a name or a password that can't be, or a name that is taken
   */
  async create(input: {
    username: string
    password: string
    isSuperuser: boolean
  }): Promise<AdminUser> {
    await this.checkNewUsername(input.username)
    const hashedPassword = await this.hashPassword(input.password, input.username)
    try {
      return await AdminUser.create({
        username: input.username,
        hashedPassword,
        isSuperuser: input.isSuperuser,
      })
    } catch (error) {
      /* Somebody else took the name in the meantime. */
      const fault = dialectOf(AdminUser.query().client).explain(error)
      throw fault?.kind === 'unique' ? taken(input.username) : error
    }
  }

  /**
   * @throws ValueError  when there is no such user
   */
  async findByName(username: string): Promise<AdminUser> {
    const user = await AdminUser.findBy('username', username)
    if (!user) throw new ValueError(`There is no admin user ${JSON.stringify(username)}`)
    return user
  }

  /**
   * @throws ValueError  for a password that can't be
   */
  async setPassword(user: AdminUser, password: string): Promise<void> {
    user.hashedPassword = await this.hashPassword(password, user.username)
    await user.save()
  }

  /**
   * @throws ValueError  when it is the last superuser, whom nobody could replace
   */
  async remove(user: AdminUser): Promise<void> {
    await AdminUser.transaction(async (client: TransactionClientContract) => {
      await this.checkRemovable(user, client)
      const current = await AdminUser.find(user.id, { client })
      await current?.delete()
    })
  }

  /**
   * @throws ValueError  when it is the last superuser, whom nobody could replace
   */
  async checkRemovable(user: AdminUser, client?: TransactionClientContract): Promise<void> {
    if (await this.isLastSuperuser(user, client)) {
      throw new ValueError(
        `${user.username} is the last superuser; make another one first: node ace admin:create`
      )
    }
  }

  /**
   * Whether nobody could replace the user, who is the only superuser. In a transaction it stays true
   * or false until that ends, as all superusers are locked.
   */
  async isLastSuperuser({ id }: AdminUser, client?: TransactionClientContract): Promise<boolean> {
    const superusers = await this.lockSuperusers(client)
    return superusers.length === 1 && superusers[0].id === id
  }

  /**
   * All superusers, locked one after the other in the same order by everybody, so that two who change
   * each other don't wait for each other.
   */
  async lockSuperusers(client?: TransactionClientContract): Promise<AdminUser[]> {
    return await AdminUser.query({ client }).where('isSuperuser', true).orderBy('id').forUpdate()
  }

  /**
   * The user whose name and password these are. As much time is spent for an unknown user as for a
   * wrong password. A hash that costs less than those made today is replaced by one of these. [B3]
   *
   * @throws QueueFull  when too many others wait for theirs to be compared
   */
  async verify(username: string, password: string): Promise<AdminUser | null> {
    const user = USERNAME.test(username) ? await AdminUser.findBy('username', username) : null
    return await this.hashing.run(async () => {
      const nobodys = await hashOfNobody()
      const hashed = user?.hashedPassword ?? nobodys
      const isRight = await hash.verify(hashed, password)
      if (user && isRight) {
        if (isWeaker(hashed, nobodys)) await this.#rehash(user, password)
        return user
      }
      await spendRest(hashed, nobodys, password)
      return null
    })
  }

  /**
   * Nothing of it is told or logged: the password is the same. Should it fail, the next login does it.
   */
  async #rehash(user: AdminUser, password: string): Promise<void> {
    try {
      const hashedPassword = await hash.make(password)
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
   * @param username  of whose it will be, if that is known
   * @throws ValueError  for a password that can't be
   * @throws QueueFull  when too many others wait
   */
  async hashPassword(password: string, username?: string): Promise<string> {
    this.checkPassword(password, username)
    return await this.hashing.run(() => hash.make(password))
  }

  /**
   * @param username  of whose it will be, if that is known
   * @throws ValueError  for a password that is too short or too long, that no form could ever send, or
   *   that is among the first to be tried [U13]
   */
  checkPassword(password: string, username?: string): void {
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
    /* Forms are sent without them. */
    if (password !== password.trim()) {
      throw new ValueError('A password does not begin or end with a space')
    }
    if (username !== undefined && password.toLowerCase() === username.toLowerCase()) {
      throw new ValueError('The password is the user name: choose another one')
    }
    if (isCommonPassword(password)) {
      throw new ValueError(
        'This password is one of the most common ones, which are tried first: choose another one'
      )
    }
  }

  /**
   * @throws ValueError  for a name that can't be
   */
  checkUsername(username: string): void {
    if (!USERNAME.test(username)) {
      throw new ValueError(
        `${JSON.stringify(username)} can't be a user name: it has 2 to 32 letters, digits and the signs . _ -`
      )
    }
  }

  /**
   * @throws ValueError  for a name that can't be, or is taken
   */
  async checkNewUsername(username: string): Promise<void> {
    this.checkUsername(username)
    if (await this.holderOf(username)) throw taken(username)
  }

  /**
   * Who has the name. Names that differ in case alone would be taken for each other, by people and by
   * the throttle.
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
