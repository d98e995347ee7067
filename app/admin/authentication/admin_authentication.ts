import type { HttpContext } from '@adonisjs/core/http'
import { RuntimeError } from '#crud'
import type { AdminConfig } from '../define_config.js'
import type AdminSession from '../models/admin_session.js'
import type AdminUser from '../models/admin_user.js'
import type { AdminUserService } from './admin_user_service.js'
import type { LoginThrottle } from './login/login_throttle.js'
import type { Owner } from './sessions/owned_row.js'
import { hashOf, type OpenSession, type SessionManager } from './sessions/session_manager.js'
import type { TokenClaims, TokenService } from './sessions/token_service.js'

/**
 * Who a request comes from, and by which session and token.
 */
export interface SignedIn {
  owner: Owner
  session: OpenSession
  claims: TokenClaims
}

const ACCESS_TOKEN = 'access_token'
const SESSION_ID = 'session_id'

/**
 * Decides who a request comes from, lets people in and out. A request counts only with a token that
 * is ours, valid and not revoked, and an active session, which belong together and to a user who
 * still exists. [B4]
 */
export class AdminAuthentication {
  constructor(
    readonly users: AdminUserService,
    readonly sessions: SessionManager,
    readonly tokens: TokenService,
    readonly throttle: LoginThrottle,
    private readonly config: Pick<AdminConfig, 'mountPath' | 'secureCookies' | 'sessions' | 'token'>
  ) {}

  /**
   * Who the request's cookies belong to, or null. Renews what is worn, so call it once a request.
   */
  async authenticate(ctx: HttpContext): Promise<SignedIn | null> {
    const token = ctx.request.plainCookie(ACCESS_TOKEN, { encoded: false })
    const id = ctx.request.plainCookie(SESSION_ID, { encoded: false })
    if (typeof token !== 'string' || typeof id !== 'string') return null

    const claims = await this.tokens.verify(token)
    if (!claims || claims.sid !== hashOf(id)) return null
    const found = await this.sessions.findSignedIn(claims)
    if (!found || String(found.owner.id) !== claims.sub) return null
    const { session, owner } = found

    /* What a page that was left open asks for by itself is no activity of a person. [B7] */
    if (ctx.request.qs().poll === undefined) await this.sessions.touch(session)
    if (this.#isRenewalDue(claims, session)) await this.#giveToken(ctx, owner, session)
    return { owner, session, claims }
  }

  /**
   * Begins a session for the user and puts its cookies into the answer. The session that the browser
   * had before ends, as its cookies are gone then. [B7]
   *
   * @returns null if the user is gone or has another password by now
   */
  async signIn(ctx: HttpContext, user: AdminUser): Promise<AdminSession | null> {
    const earlier = ctx.request.plainCookie(SESSION_ID, { encoded: false })
    const begun = await this.sessions.begin(
      user,
      { ip: ctx.request.ip(), userAgent: ctx.request.header('user-agent') },
      typeof earlier === 'string' ? earlier : undefined
    )
    if (!begun) return null
    const { session, id } = begun
    await this.#giveToken(ctx, user, session)
    ctx.response.plainCookie(SESSION_ID, id, this.#cookie(this.config.sessions.maximumHours * 3600))
    return session
  }

  /**
   * Ends the session, revokes its tokens and clears the cookies. [B5]
   */
  async signOut(ctx: HttpContext, { session }: SignedIn): Promise<void> {
    await this.sessions.end(session)
    this.clearCookies(ctx)
  }

  /**
   * Clears those cookies that were sent. A request that another site causes goes without them, and the
   * answer to it must not take them from their owner. [B9]
   */
  clearCookies(ctx: HttpContext): void {
    for (const name of [ACCESS_TOKEN, SESSION_ID]) {
      if (ctx.request.plainCookie(name, { encoded: false })) {
        ctx.response.clearCookie(name, this.#cookie(0))
      }
    }
  }

  /**
   * Cookies of a new session, as a `Cookie` header, for clients without a browser: tests, above all.
   */
  async cookieHeader(user: AdminUser): Promise<string> {
    const begun = await this.sessions.begin(user, { ip: '127.0.0.1', userAgent: undefined })
    if (!begun) throw new RuntimeError(`${user.username} is gone, or has another password by now`)
    const { session, id } = begun
    const { token, claims } = await this.tokens.issue(user.id, session.sessionId)
    await this.sessions.remember(session, claims)
    return `${ACCESS_TOKEN}=${token}; ${SESSION_ID}=${id}`
  }

  /**
   * Whether even the session's newest token is worn: a client that keeps an older one must not make a
   * new one at every request.
   */
  #isRenewalDue(claims: TokenClaims, session: OpenSession): boolean {
    const newest = Math.max(claims.exp, ...Object.values(session.sessionMetadata.tokens))
    return this.tokens.isWorn({ ...claims, iat: claims.iat + newest - claims.exp })
  }

  async #giveToken(ctx: HttpContext, user: Pick<AdminUser, 'id'>, session: OpenSession) {
    const { token, claims } = await this.tokens.issue(user.id, session.sessionId)
    await this.sessions.remember(session, claims)
    ctx.response.plainCookie(ACCESS_TOKEN, token, this.#cookie(this.config.token.minutes * 60))
  }

  #cookie(seconds: number) {
    return {
      encode: false,
      httpOnly: true,
      sameSite: 'lax' as const,
      path: this.config.mountPath || '/',
      secure: this.config.secureCookies,
      maxAge: seconds,
    }
  }
}
