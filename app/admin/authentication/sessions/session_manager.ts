import { hash, randomBytes } from 'node:crypto'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { ModelAttributes, ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'
import { DateTime } from 'luxon'
import { dialectOf } from '#crud/database/dialects'
import type { AdminConfig } from '../../define_config.js'
import AdminSession from '../../models/admin_session.js'
import AdminTokenBlacklist from '../../models/admin_token_blacklist.js'
import AdminUser from '../../models/admin_user.js'
import { ownedQuery, partOwned, type Owner } from './owned_row.js'
import type { TokenClaims } from './token_service.js'

/**
 * Where a session was begun.
 */
export interface SessionOrigin {
  ip: string
  userAgent: string | undefined
}

/**
 * A session as a request has it: what is stored of it, without what a model instance can do, which
 * would take longer to make than all else about finding it.
 */
export type OpenSession = ModelAttributes<AdminSession>

const MINUTE = 60_000

let statement: string | undefined

type SessionQuery = ModelQueryBuilderContract<typeof AdminSession, AdminSession>

/**
 * Begins, checks and ends the sessions of admin users. A session lasts while it is used, ends when it
 * is left alone or has lasted long enough, and takes its tokens with it. [B7]
 */
export class SessionManager {
  constructor(private readonly limits: AdminConfig['sessions']) {}

  /**
   * Begins a session. Where the user has as many as allowed, the oldest ends.
   *
   * @param earlier  id of the session that the browser had so far, whose place the new one takes: it
   *   ends, whoever it belongs to, as nobody could end it any more
   * @returns the session, and the id for its cookie, which is stored nowhere; null if the user is gone
   *   or has another password by now, as that has ended all sessions begun with this one [B7]
   */
  async begin(
    user: AdminUser,
    origin: SessionOrigin,
    earlier?: string
  ): Promise<{ session: AdminSession; id: string } | null> {
    await this.removeExpired()
    const id = randomBytes(32).toString('base64url')
    const userAgent = origin.userAgent?.slice(0, 255) ?? null
    const session = await AdminSession.transaction(async (client: TransactionClientContract) => {
      const current = await AdminUser.query({ client }).where('id', user.id).forUpdate().first()
      if (current?.hashedPassword !== user.hashedPassword) return null
      const values = {
        userId: user.id,
        sessionId: hashOf(id),
        ipAddress: origin.ip,
        userAgent,
        deviceInfo: describeDevice(userAgent),
        lastActivity: DateTime.utc(),
        isActive: true,
        sessionMetadata: { tokens: {} },
      }
      return await AdminSession.create(values, { client })
    })
    if (!session) return null
    const replaced = earlier === undefined ? null : await this.find(earlier)
    if (replaced) await this.end(replaced)
    /* Only now, so that several sign-ins at once can't each find room and be too many together. */
    const active = await this.activeOf(user.id)
    for (const old of active.slice(0, -this.limits.perUser)) await this.end(old)
    return { session, id }
  }

  /**
   * The session that a cookie's id belongs to.
   *
   * @returns null if there is none, or it has ended
   */
  async find(id: string): Promise<AdminSession | null> {
    const session = await AdminSession.findBy('sessionId', hashOf(id))
    return session?.isActive && !this.#isOver(session) ? session : null
  }

  /**
   * The session that a token belongs to, and its user, by one query: every request waits for it. It
   * goes where reads go, which see all that was committed, so whatever was revoked before is. [B5, B7]
   *
   * @returns null if there is none, or it has ended, or the token was revoked
   */
  async findSignedIn({
    sid,
    jti,
  }: Pick<TokenClaims, 'sid' | 'jti'>): Promise<{ session: OpenSession; owner: Owner } | null> {
    const client = db.connection(AdminSession.connection)
    const [row] = await dialectOf(client).selectRows(client, signedInQuery(), [sid, jti])
    if (!row) return null
    const { record: session, owner } = partOwned(AdminSession, row)
    return session.isActive && !this.#isOver(session) ? { session, owner } : null
  }

  /**
   * The active sessions of a user, oldest first.
   */
  async activeOf(userId: number, client?: TransactionClientContract): Promise<AdminSession[]> {
    return await this.#active((query) => query.where('userId', userId), client)
  }

  /**
   * The active sessions of everybody, oldest first.
   */
  async allActive(): Promise<AdminSession[]> {
    return await this.#active((query) => query)
  }

  /**
   * Notes that the session is in use; once a minute is often enough to know.
   */
  async touch(session: Pick<OpenSession, 'id' | 'lastActivity'>): Promise<void> {
    if (Date.now() - session.lastActivity.toMillis() < MINUTE) return
    await AdminSession.query()
      .where('id', session.id)
      .where('isActive', true)
      .update({ last_activity: databaseTime(DateTime.utc()) })
  }

  /**
   * Remembers a token that was issued for the session; none is lost when several are at once.
   */
  async remember(
    session: Pick<OpenSession, 'id'>,
    { jti, exp }: Pick<TokenClaims, 'jti' | 'exp'>
  ): Promise<void> {
    await this.#change(session, async (current) => {
      const now = Date.now() / 1000
      const valid = Object.entries(current.sessionMetadata.tokens).filter(([, end]) => end > now)
      current.sessionMetadata = { tokens: { ...Object.fromEntries(valid), [jti]: exp } }
    })
  }

  /**
   * Ends a session and revokes every token that was issued for it.
   *
   * @param transaction  to be part of, if there is one
   */
  async end(
    session: Pick<OpenSession, 'id'>,
    transaction?: TransactionClientContract
  ): Promise<void> {
    await this.#change(
      session,
      async (current, client) => {
        const now = Date.now() / 1000
        for (const [jti, exp] of Object.entries(current.sessionMetadata.tokens)) {
          if (exp <= now) continue
          await AdminTokenBlacklist.firstOrCreate(
            { token: jti },
            { token: jti, expiresAt: DateTime.fromSeconds(exp, { zone: 'utc' }) },
            { client }
          )
        }
        current.isActive = false
      },
      transaction
    )
  }

  /**
   * Ends all sessions of a user, but the one that is kept.
   *
   * @param transaction  to be part of, if there is one
   * @returns how many ended
   */
  async endAllOf(
    userId: number,
    kept?: Pick<OpenSession, 'id'>,
    transaction?: TransactionClientContract
  ): Promise<number> {
    const sessions = await this.activeOf(userId, transaction)
    const ending = sessions.filter((session) => session.id !== kept?.id)
    for (const session of ending) await this.end(session, transaction)
    return ending.length
  }

  async isRevoked(jti: string): Promise<boolean> {
    return (await AdminTokenBlacklist.findBy('token', jti)) !== null
  }

  /**
   * Removes what no longer says anything: sessions past their longest time, and revoked tokens that
   * have expired by themselves.
   */
  async removeExpired(): Promise<void> {
    const now = DateTime.utc()
    await AdminSession.query()
      .where('createdAt', '<', databaseTime(now.minus({ hours: this.limits.maximumHours })))
      .orWhere('lastActivity', '<', databaseTime(now.minus({ minutes: this.limits.idleMinutes })))
      .delete()
    await AdminTokenBlacklist.query().where('expiresAt', '<', databaseTime(now)).delete()
  }

  /** Changes a session as it is now, which other requests may have changed since it was read. */
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
    client?: TransactionClientContract
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

function signedInQuery(): string {
  /* Where tables are analysed, `better-sqlite3` would plan it anew for each bare question mark's value. */
  statement ??= ownedQuery(
    AdminSession,
    `admin_sessions.session_id = (select ?)
      and not exists (select 1 from admin_token_blacklist where token = (select ?))`
  )
  return statement
}

export function hashOf(id: string): string {
  return hash('sha256', id, 'hex')
}

function databaseTime(moment: DateTime): string {
  return moment.toFormat('yyyy-MM-dd HH:mm:ss')
}

const BROWSERS: Array<[RegExp, string]> = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/curl\//, 'curl'],
]
const SYSTEMS: Array<[RegExp, string]> = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
]

/** "Firefox on Linux": enough for a person to know their own sessions. */
function describeDevice(userAgent: string | null): string | null {
  const named = (names: Array<[RegExp, string]>) =>
    names.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1]
  return [named(BROWSERS), named(SYSTEMS)].filter(Boolean).join(' on ') || null
}
