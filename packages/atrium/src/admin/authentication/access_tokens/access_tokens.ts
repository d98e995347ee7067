import type { LucidRow, ModelAttributes } from '@adonisjs/lucid/types/model'
import { AccessToken } from '@adonisjs/auth/access_tokens'
import type { Secret } from '@adonisjs/core/helpers'
import logger from '@adonisjs/core/services/logger'
import { DateTime } from 'luxon'
import { LucidCrud, type HookOptions, ValueError, type CallOptions } from '#crud'
import { dialectOf } from '#base/database/dialects'
import { keyOf } from '#base/items'
import AdminAccessToken, { isOver } from '../../models/admin_access_token.js'
import { requireProofOf } from '../../identity/proof.js'
import { currentClientOf, readingClientOf } from '../../config/database_config.js'
import type AdminUser from '../../models/admin_user.js'
import type { NoticeData } from '../../models/admin_notice.js'
import { deviceOf, type NoticeOptions } from '../../notices/notices.js'
import { ownedQuery, partOwned } from '../sessions/owned_row.js'
import { readLifetime } from './token_terms.js'
import { inUtc } from '#base/values/datetime'
import { rowId } from '../../views/record_items.js'

/** CRUD of access tokens. Writes require a recent reauthentication. */
class AccessTokenCrud extends LucidCrud<typeof AdminAccessToken> {
  constructor() {
    super(AdminAccessToken)
  }

  async prepareCreate(values: Record<string, unknown>, options: HookOptions) {
    requireProofOf(options.actor)
    return await super.prepareCreate(values, options)
  }

  async prepareDelete(_record: LucidRow, { actor }: HookOptions): Promise<void> {
    requireProofOf(actor)
  }
}

/** Properties of a new token. */
export interface TokenTerms {
  name: string
  /** As returned by `readAbilities` */
  abilities: string[]
  /** Null: never expires. Default: 90 days from now */
  expiresAt?: DateTime | null
  /** True for a token that cannot write by any path */
  readOnly?: boolean
}

/** A valid token and its owner. */
export interface FoundToken {
  record: ModelAttributes<AdminAccessToken>
  user: AdminUser
  token: AccessToken
}

type NotifyOwner = (user: AdminUser, data: NoticeData, options: NoticeOptions) => Promise<void>

/** Prefix by which users and secret scanners recognize a leaked token. */
const PREFIX = 'atr_'

const SECRET_LENGTH = 40

/* Maximum length of a token in a request; longer than any token of the site */
const LONGEST_VALUE = 255

const MINUTE = 60_000

let statement: string | undefined

const READ_ONLY = new WeakSet<AccessToken>()

/** Returns true for a token that cannot write by any path. */
export function isReadOnly(token: AccessToken): boolean {
  return READ_ONLY.has(token)
}

/**
 * Issues, checks and revokes the access tokens of programs. `AccessToken` of @adonisjs/auth generates, hashes and
 * compares the secrets.
 */
export class AccessTokens {
  /** Creates and deletes tokens, so that both are logged as events */
  readonly crud = new AccessTokenCrud()
  /** Pending writes of `lastUsedAt`, by token id */
  readonly #noting = new Map<number, Promise<void>>()

  /** @param notify  notifies the owner of a new token */
  constructor(private readonly notify?: NotifyOwner) {}

  /**
   * Creates a token.
   *
   * @returns the id of the token, and the value for the client, which is not stored anywhere
   */
  async issue(
    user: AdminUser,
    { name, abilities, expiresAt = readLifetime(), readOnly = false }: TokenTerms,
    options: CallOptions = {}
  ): Promise<{ id: number; value: Secret<string> }> {
    const { secret, hash } = AccessToken.seed(SECRET_LENGTH)
    const values = { userId: user.id, name, hash, abilities, expiresAt, readOnly, lastUsedAt: null }
    const { actor, client } = options
    const by = actor?.user && actor.user.id !== user.id ? String(actor.user.username) : undefined
    const [id] = keyOf(await this.crud.create(values, options))! as [number]
    await this.notify?.(
      user,
      { name, by, ...deviceOf(options.origin) },
      { session: actor?.session?.id, client }
    )
    const token = new AccessToken({
      ...tokenProperties(id, user.id, hash),
      name,
      prefix: PREFIX,
      secret,
    })
    return { id, value: token.value! }
  }

  /** Returns the tokens of a user, newest first, including expired ones. */
  async ofUser(user: Pick<AdminUser, 'id'>): Promise<AdminAccessToken[]> {
    return await AdminAccessToken.query({ client: readingClientOf(AdminAccessToken) })
      .where('userId', user.id)
      .orderBy('id', 'desc')
  }

  /**
   * Revokes a token. The revocation applies from the next request on, because tokens are not cached.
   *
   * @throws ValueError  if the user has no such token
   */
  async revoke(user: AdminUser, id: string, options: CallOptions = {}): Promise<AdminAccessToken> {
    const tokens = await this.ofUser(user)
    const token = tokens.find((one) => String(one.id) === id)
    if (!token) throw new ValueError(`${user.username} has no access token ${JSON.stringify(id)}`)
    await this.crud.delete(token.id, options)
    return token
  }

  /**
   * Revokes all tokens of a user.
   *
   * @returns the number of revoked tokens
   */
  async revokeAllOf({ id }: Pick<AdminUser, 'id'>, options: CallOptions = {}): Promise<number> {
    const query = AdminAccessToken.query({ client: options.client }).where('userId', id)
    const tokens = await query.orderBy('id')
    for (const token of tokens) await this.crud.delete(token.id, options)
    return tokens.length
  }

  /**
   * Finds a token and its user in one query, because every request waits for the result.
   *
   * @returns null for an unknown or expired token
   */
  async find(value: Secret<string>): Promise<FoundToken | null> {
    if (value.release().length > LONGEST_VALUE) return null
    const sent = AccessToken.decode(PREFIX, value.release())
    const id = rowId(sent?.identifier)
    if (!sent || id === null) return null

    const client = currentClientOf(AdminAccessToken)
    statement ??= ownedQuery(AdminAccessToken, 'admin_access_tokens.id = ?')
    const [row] = await dialectOf(client).selectRows(client, statement, [id])
    if (!row) return null
    const { record, owner } = partOwned(AdminAccessToken, row)
    const { user } = owner
    const token = new AccessToken({
      ...tokenProperties(id, user.id, record.hash),
      name: record.name,
      abilities: record.abilities,
      createdAt: record.createdAt.toJSDate(),
      lastUsedAt: record.lastUsedAt?.toJSDate() ?? null,
      expiresAt: record.expiresAt?.toJSDate() ?? null,
    })
    if (record.readOnly) READ_ONLY.add(token)
    return token.verify(sent.secret) && !isOver(record) ? { record, user, token } : null
  }

  /** Updates `lastUsedAt`, at most once a minute; the request does not wait for it. */
  noteUse({ id, lastUsedAt }: FoundToken['record']): void {
    const isFresh = lastUsedAt !== null && Date.now() - lastUsedAt.toMillis() < MINUTE
    if (isFresh || this.#noting.has(id)) return
    const noted = writeUse(id)
      .catch((error) => logger.error({ err: error, token: id }, 'The use of a token was not noted'))
      .finally(() => this.#noting.delete(id))
    this.#noting.set(id, noted)
  }

  /** Waits for all pending updates of `lastUsedAt`. */
  async settle(): Promise<void> {
    await Promise.all(this.#noting.values())
  }
}

async function writeUse(id: number): Promise<void> {
  const now = DateTime.utc()
  await AdminAccessToken.query()
    .where('id', id)
    .where((query) =>
      query.whereNull('lastUsedAt').orWhere('lastUsedAt', '<', inUtc(now.minus(MINUTE - 1000)))
    )
    .update({ last_used_at: inUtc(now) })
}

function tokenProperties(id: number, userId: number, hash: string) {
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

export interface WithAccessTokens {
  readonly accessTokens: AccessTokens
}
