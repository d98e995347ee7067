import { randomBytes } from 'node:crypto'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'
import { DateTime } from 'luxon'
import { dialectOf } from '#base/database/dialects'
import { currentClientOf, readingClientOf } from '../../config/database_config.js'
import type { AdminConfig } from '../../config/define_config.js'
import AdminSession, { type ActsAs, type OpenSession } from '../../models/admin_session.js'
import type { SessionMetadata } from '../../models/admin_session.js'
import AdminTokenBlacklist from '../../models/admin_token_blacklist.js'
import AdminUser from '../../models/admin_user.js'
import { deviceName } from '../../text/device_name.js'
import { NotedWrites } from './noted_writes.js'
import { ownedQuery, partOwned, type Owner } from './owned_row.js'
import type { TokenClaims } from './token_service.js'
import { digest } from '#base/values/digest'
import { inUtc } from '#base/values/datetime'

/** Client that a session was started from. */
interface SessionOrigin {
  ip: string
  userAgent: string | undefined
}

/** Options of `SessionManager.begin`. */
export interface BeginOptions {
  earlier?: string
  isEnough?: (client: TransactionClientContract) => Promise<boolean>
  metadata?: Omit<SessionMetadata, 'tokens'>
}

const MINUTE = 60_000

let statement: string | undefined

type SessionQuery = ModelQueryBuilderContract<typeof AdminSession, AdminSession>

/**
 * Begins, checks and ends the sessions of admin users. A session ends when it is idle for too long or reaches its
 * maximum lifetime, which also invalidates the tokens of the session.
 */
export class SessionManager {
  readonly #noted = new NotedWrites()

  constructor(private readonly limits: AdminConfig['sessions']) {}

  /**
   * Begins a session. Ends the user's oldest session if the user has the maximum number.
   *
   * @param options.earlier  id of the browser's previous session. It ends, whichever user it belongs to, because the
   *   cookie is replaced and the session could no longer be signed out
   * @param options.isEnough  called in the transaction that begins the session, with the user locked; returns false if
   *   the factors of the login are no longer sufficient
   * @param options.metadata  additional data to store with the session
   * @returns the session, and the id for the cookie, which is not stored anywhere; null if the user was removed or has
   *   a new password, which end all sessions of the user, or if `isEnough` returns false
   */
  async begin(
    user: AdminUser,
    origin: SessionOrigin,
    { earlier, isEnough, metadata }: BeginOptions = {}
  ): Promise<{ session: AdminSession; id: string } | null> {
    await this.removeExpired()
    const id = randomBytes(32).toString('base64url')
    const userAgent = origin.userAgent?.slice(0, 255) ?? null
    const session = await AdminSession.transaction(async (client: TransactionClientContract) => {
      const current = await AdminUser.query({ client }).where('id', user.id).forUpdate().first()
      if (current?.hashedPassword !== user.hashedPassword) return null
      if (isEnough && !(await isEnough(client))) return null
      const values = {
        userId: user.id,
        sessionId: digest(id),
        ipAddress: origin.ip,
        userAgent,
        deviceInfo: deviceName(userAgent),
        lastActivity: DateTime.utc(),
        isActive: true,
        sessionMetadata: { ...metadata, tokens: {} },
      }
      return await AdminSession.create(values, { client })
    })
    if (!session) return null
    const replaced = earlier === undefined ? null : await this.find(earlier)
    if (replaced) await this.end(replaced)
    /* Counted after the insert, so that concurrent sign-ins can't exceed the maximum. */
    const active = await this.activeOf(user.id)
    for (const old of active.slice(0, -this.limits.perUser)) await this.end(old)
    return { session, id }
  }

  /**
   * Finds a session by the id in the cookie.
   *
   * @returns null if there is none or it has ended
   */
  async find(id: string): Promise<AdminSession | null> {
    const client = currentClientOf(AdminSession)
    const session = await AdminSession.findBy('sessionId', digest(id), { client })
    return session?.isActive && !this.#isOver(session) ? session : null
  }

  /**
   * Finds the session of a token and the user of that session in one query, as every request waits for the query.
   *
   * @returns null if the session does not exist or has ended, or the token was revoked
   */
  async findSignedIn({
    sid,
    jti,
  }: Pick<TokenClaims, 'sid' | 'jti'>): Promise<{ session: OpenSession; owner: Owner } | null> {
    const client = currentClientOf(AdminSession)
    const [row] = await dialectOf(client).selectRows(client, signedInQuery(), [sid, jti])
    if (!row) return null
    const { record: session, owner } = partOwned(AdminSession, row)
    return session.isActive && !this.#isOver(session) ? { session, owner } : null
  }

  /** Returns the active sessions of a user, oldest first. */
  async activeOf(userId: number, client?: TransactionClientContract): Promise<AdminSession[]> {
    return await this.#active((query) => query.where('userId', userId), client)
  }

  /** Returns the active sessions of all users, oldest first. */
  async allActive(): Promise<AdminSession[]> {
    return await this.#active((query) => query)
  }

  /** Returns the number of active sessions of all users. */
  async countActive(): Promise<number> {
    const { idleMinutes, maximumHours } = this.limits
    const now = DateTime.utc()
    const [{ total }] = await readingClientOf(AdminSession)
      .from(AdminSession.table)
      .where('is_active', true)
      .where('last_activity', '>', inUtc(now.minus({ minutes: idleMinutes })))
      .where('created_at', '>', inUtc(now.minus({ hours: maximumHours })))
      .count('* as total')
    return Number(total)
  }

  /**
   * Updates the session's last activity, at most once a minute. The request waits for the write only for a short time.
   */
  async touch({ id, lastActivity }: Pick<OpenSession, 'id' | 'lastActivity'>): Promise<void> {
    if (Date.now() - lastActivity.toMillis() < MINUTE) return
    await this.#noted.write(id, () => writeActivity(id))
  }

  /** Waits for all writes that `touch` and `rememberSoon` have started. */
  async settle(): Promise<void> {
    await this.#noted.settle()
  }

  /** Records a token that was issued for the session. Safe for concurrent calls. */
  async remember(
    session: Pick<OpenSession, 'id'>,
    { jti, exp }: Pick<TokenClaims, 'jti' | 'exp'>
  ): Promise<void> {
    await this.#change(session, async (current) => {
      const now = Date.now() / 1000
      const valid = Object.entries(current.sessionMetadata.tokens).filter(([, end]) => end > now)
      const tokens = { ...Object.fromEntries(valid), [jti]: exp }
      current.sessionMetadata = { ...current.sessionMetadata, tokens }
    })
  }

  /**
   * Records a token like `remember`, but waits only for a short time. For requests that work without the token.
   *
   * @returns false if the token is not recorded yet and must not be used
   */
  async rememberSoon(
    session: Pick<OpenSession, 'id'>,
    claims: Pick<TokenClaims, 'jti' | 'exp'>
  ): Promise<boolean> {
    return await this.#noted.write(session.id, () => this.remember(session, claims))
  }

  /** Makes the session view the site as a role; null: as the user again. */
  async viewAs(session: Pick<OpenSession, 'id'>, roleId: number | null): Promise<void> {
    await this.#change(session, async (current) => {
      const { viewAs, ...stored } = current.sessionMetadata
      current.sessionMetadata = roleId === null ? stored : { ...stored, viewAs: roleId }
    })
  }

  /** Records that the user of the session has authenticated again. */
  async prove(session: Pick<OpenSession, 'id'>): Promise<void> {
    const provedAt = Math.floor(Date.now() / 1000)
    await this.#change(session, async (current) => {
      current.sessionMetadata = { ...current.sessionMetadata, provedAt }
    })
  }

  /**
   * Gives a session a new id, and revokes every token that was issued for it.
   *
   * @returns the new id, which is not stored anywhere; null if the session has ended
   */
  async renew(session: Pick<OpenSession, 'id'>): Promise<string | null> {
    const id = randomBytes(32).toString('base64url')
    let isRenewed = false
    await this.#change(session, async (current, client) => {
      if (!current.isActive) return
      await revokeTokens(current, client)
      current.sessionMetadata = { ...current.sessionMetadata, tokens: {} }
      current.sessionId = digest(id)
      isRenewed = true
    })
    return isRenewed ? id : null
  }

  /**
   * Makes the session of a superuser act as another user, with only the permissions of that user; null: as the
   * superuser again.
   */
  async actAs(session: Pick<OpenSession, 'id'>, actsAs: ActsAs | null): Promise<void> {
    await this.#change(session, async (current) => {
      const { tokens, provedAt, sso } = current.sessionMetadata
      current.sessionMetadata = {
        tokens,
        ...(provedAt !== undefined && { provedAt }),
        ...(sso && { sso }),
        ...(actsAs && { actsAs }),
      }
    })
  }

  /**
   * Ends a session and revokes every token that was issued for it.
   *
   * @param transaction  transaction to run in, if any
   */
  async end(
    session: Pick<OpenSession, 'id'>,
    transaction?: TransactionClientContract
  ): Promise<void> {
    await this.#change(
      session,
      async (current, client) => {
        await revokeTokens(current, client)
        current.isActive = false
      },
      transaction
    )
  }

  /**
   * Ends all sessions of a user except one.
   *
   * @param transaction  transaction to run in, if any
   * @returns the number of ended sessions
   */
  async endAllOf(
    userId: number,
    except?: Pick<OpenSession, 'id'>,
    transaction?: TransactionClientContract
  ): Promise<number> {
    const sessions = await this.activeOf(userId, transaction)
    const ending = sessions.filter((session) => session.id !== except?.id)
    for (const session of ending) await this.end(session, transaction)
    return ending.length
  }

  async isRevoked(jti: string): Promise<boolean> {
    const client = currentClientOf(AdminTokenBlacklist)
    return (await AdminTokenBlacklist.findBy('token', jti, { client })) !== null
  }

  /** Removes sessions that are idle or too old, and revoked tokens that have expired. */
  async removeExpired(): Promise<void> {
    const now = DateTime.utc()
    await AdminSession.query()
      .where('createdAt', '<', inUtc(now.minus({ hours: this.limits.maximumHours })))
      .orWhere('lastActivity', '<', inUtc(now.minus({ minutes: this.limits.idleMinutes })))
      .delete()
    await AdminTokenBlacklist.query().where('expiresAt', '<', inUtc(now)).delete()
  }

  /** Updates a session after locking and reading it again, because concurrent requests may have changed it. */
  async #change(
    { id }: Pick<OpenSession, 'id'>,
    change: (current: AdminSession, client: TransactionClientContract) => Promise<void>,
    transaction?: TransactionClientContract
  ): Promise<void> {
    const work = async (client: TransactionClientContract) => {
      const current = await AdminSession.query({ client }).where('id', id).forUpdate().first()
      if (!current) return
      await change(current, client)
      await current.save()
    }
    await (transaction ? work(transaction) : AdminSession.transaction(work))
  }

  async #active(
    narrow: (query: SessionQuery) => SessionQuery,
    client = readingClientOf(AdminSession)
  ): Promise<AdminSession[]> {
    const query = AdminSession.query({ client })
      .where('isActive', true)
      .orderBy('createdAt')
      .orderBy('id')
    const sessions = await narrow(query)
    return sessions.filter((session) => !this.#isOver(session))
  }

  #isOver(session: Pick<OpenSession, 'lastActivity' | 'createdAt'>): boolean {
    const now = Date.now()
    const idle = now - session.lastActivity.toMillis()
    const age = now - session.createdAt.toMillis()
    return idle >= this.limits.idleMinutes * MINUTE || age >= this.limits.maximumHours * 60 * MINUTE
  }
}

async function writeActivity(id: number): Promise<void> {
  await AdminSession.query()
    .where('id', id)
    .where('isActive', true)
    .update({ last_activity: inUtc() })
}

async function revokeTokens(session: AdminSession, client: TransactionClientContract) {
  const now = Date.now() / 1000
  for (const [jti, exp] of Object.entries(session.sessionMetadata.tokens)) {
    if (exp <= now) continue
    await AdminTokenBlacklist.firstOrCreate(
      { token: jti },
      { token: jti, expiresAt: DateTime.fromSeconds(exp, { zone: 'utc' }) },
      { client }
    )
  }
}

function signedInQuery(): string {
  /*
   * `(select ?)` instead of a plain question mark: `better-sqlite3` would plan the query again for each value if the
   * table has statistics.
   */
  statement ??= ownedQuery(
    AdminSession,
    `admin_sessions.session_id = (select ?)
      and not exists (select 1 from admin_token_blacklist where token = (select ?))`
  )
  return statement
}

export interface WithSessions {
  readonly sessionManager: SessionManager
}
