import { AccessToken } from '@adonisjs/auth/access_tokens'
import type { Secret } from '@adonisjs/core/helpers'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'
import type { ModelAttributes } from '@adonisjs/lucid/types/model'
import { DateTime } from 'luxon'
import { LucidCrud, ValueError } from '#crud'
import { dialectOf } from '#crud/database/dialects'
import { keyOf } from '#crud/operations/item_keys'
import type { CallOptions } from '#crud/lucid_crud'
import AdminAccessToken, { isOver } from '../../models/admin_access_token.js'
import type AdminUser from '../../models/admin_user.js'
import { ownedQuery, partOwned } from '../sessions/owned_row.js'
import { readLifetime } from './token_terms.js'

/**
 * What a new token is to be.
 */
export interface TokenTerms {
  name: string
  /** As `readAbilities` has them */
  abilities: string[]
  /** Null for never; in 90 days if left out */
  expiresAt?: DateTime | null
}

/**
 * A token that a request came with, and whose it is.
 */
export interface FoundToken {
  record: ModelAttributes<AdminAccessToken>
  user: AdminUser
  token: AccessToken
}

/** Says to people, and to programs that look for secrets that got lost, what this is. */
const PREFIX = 'atr_'

const SECRET_LENGTH = 40

/* Longer than any of ours */
const LONGEST_VALUE = 255

const LARGEST_ID = 2 ** 31 - 1

const MINUTE = 60_000

let statement: string | undefined

/**
 * Issues, checks and revokes the tokens that programs call the API with. How their secrets are made,
 * hashed and compared is `AccessToken`'s of @adonisjs/auth. [P10]
 */
export class AccessTokens {
  /** What all writes go through, so that they are logged */
  readonly crud = new LucidCrud(AdminAccessToken)
  /** Whose last use is being written */
  readonly #noting = new Map<number, Promise<void>>()

  /**
   * @returns the token as it is to be sent, which is stored nowhere
   */
  async issue(
    user: AdminUser,
    { name, abilities, expiresAt = readLifetime() }: TokenTerms,
    options: CallOptions = {}
  ): Promise<{ id: number; value: Secret<string> }> {
    const { secret, hash } = AccessToken.seed(SECRET_LENGTH)
    const values = { userId: user.id, name, hash, abilities, expiresAt, lastUsedAt: null }
    const [id] = keyOf(await this.crud.create(values, options))! as [number]
    const token = new AccessToken({ ...facts(id, user.id, hash), name, prefix: PREFIX, secret })
    return { id, value: token.value! }
  }

  /**
   * The tokens of a user, the newest first; those that have expired, too.
   */
  async ofUser(user: AdminUser): Promise<AdminAccessToken[]> {
    return await AdminAccessToken.query().where('userId', user.id).orderBy('id', 'desc')
  }

  /**
   * Ends a token, at once: nothing keeps what was read of it.
   *
   * @throws ValueError  when the user has no such token
   */
  async revoke(user: AdminUser, id: string, options: CallOptions = {}): Promise<AdminAccessToken> {
    const tokens = await this.ofUser(user)
    const token = tokens.find((one) => String(one.id) === id)
    if (!token) throw new ValueError(`${user.username} has no access token ${JSON.stringify(id)}`)
    await this.crud.delete(token.id, options)
    return token
  }

  /**
   * Ends all tokens of a user.
   *
   * @returns how many there were
   */
  async revokeAllOf({ id }: Pick<AdminUser, 'id'>, options: CallOptions = {}): Promise<number> {
    const query = AdminAccessToken.query({ client: options.client }).where('userId', id)
    const tokens = await query.orderBy('id')
    for (const token of tokens) await this.crud.delete(token.id, options)
    return tokens.length
  }

  /**
   * The token that was sent, and its user, by one query: every request waits for it. It goes where
   * reads go, which see all that was committed.
   *
   * @returns null if it is none of ours, or has expired
   */
  async find(value: Secret<string>): Promise<FoundToken | null> {
    if (value.release().length > LONGEST_VALUE) return null
    const sent = AccessToken.decode(PREFIX, value.release())
    if (!sent || !/^[1-9]\d{0,9}$/.test(sent.identifier)) return null
    const id = Number(sent.identifier)
    if (id > LARGEST_ID) return null

    const client = db.connection(AdminAccessToken.connection)
    statement ??= ownedQuery(AdminAccessToken, 'admin_access_tokens.id = ?')
    const [row] = await dialectOf(client).selectRows(client, statement, [id])
    if (!row) return null
    const { record, owner } = partOwned(AdminAccessToken, row)
    const { user } = owner
    const token = new AccessToken({
      ...facts(id, user.id, record.hash),
      name: record.name,
      abilities: record.abilities,
      createdAt: record.createdAt.toJSDate(),
      lastUsedAt: record.lastUsedAt?.toJSDate() ?? null,
      expiresAt: record.expiresAt?.toJSDate() ?? null,
    })
    return token.verify(sent.secret) && !isOver(record) ? { record, user, token } : null
  }

  /**
   * Notes that a token is in use; once a minute is often enough to know, and no request waits for it.
   */
  noteUse({ id, lastUsedAt }: FoundToken['record']): void {
    const isFresh = lastUsedAt !== null && Date.now() - lastUsedAt.toMillis() < MINUTE
    if (isFresh || this.#noting.has(id)) return
    const noted = writeUse(id)
      .catch((error) => logger.error({ err: error, token: id }, 'The use of a token was not noted'))
      .finally(() => this.#noting.delete(id))
    this.#noting.set(id, noted)
  }

  /**
   * Waits until every use is noted.
   */
  async settle(): Promise<void> {
    await Promise.all(this.#noting.values())
  }
}

async function writeUse(id: number): Promise<void> {
  const now = DateTime.utc()
  await AdminAccessToken.query()
    .where('id', id)
    .where((query) =>
      query
        .whereNull('lastUsedAt')
        .orWhere('lastUsedAt', '<', databaseTime(now.minus(MINUTE - 1000)))
    )
    .update({ last_used_at: databaseTime(now) })
}

function databaseTime(moment: DateTime): string {
  return moment.toFormat('yyyy-MM-dd HH:mm:ss')
}

function facts(id: number, userId: number, hash: string) {
  return {
    identifier: id,
    tokenableId: userId,
    hash,
    type: 'api',
    createdAt: new Date(),
    updatedAt: new Date(),
    lastUsedAt: null,
    expiresAt: null,
  }
}
