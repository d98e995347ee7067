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
 * The user of a request, with their session and token.
 */
export interface SignedIn {
  owner: Owner
  session: OpenSession
  claims: TokenClaims
}

const ACCESS_TOKEN = 'access_token'
const SESSION_ID = 'session_id'

/**
 * Authenticates requests, signs users in and out. A request is authenticated only by a valid token
 * that was not revoked, together with an active session to which it belongs, of a user who still
 * exists. [B4]
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
   * Authenticates the request by its cookies. Renews a token that is due, so call it once per
   * request.
   *
   * @returns null if the cookies are missing or not valid
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
    const { viewAs } = session.sessionMetadata
    if (viewAs !== undefined) owner.viewAs(viewAs)

    /* A page that polls in the background is not activity of the user. [B7] */
    if (ctx.request.qs().poll === undefined) await this.sessions.touch(session)
    if (this.#isRenewalDue(claims, session)) await this.#giveToken(ctx, owner, session)
    return { owner, session, claims }
  }

  /**
   * Begins a session for the user and sets its cookies in the response. Ends the browser's previous
   * session, as its cookies are replaced. [B7]
   *
   * @returns null if the user was removed or has a new password
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
   * Clears the cookies that the request has sent. A request that another site causes is sent
   * without them, and its response must not sign the user out. [B9]
   */
  clearCookies(ctx: HttpContext): void {
    for (const name of [ACCESS_TOKEN, SESSION_ID]) {
      if (ctx.request.plainCookie(name, { encoded: false })) {
        ctx.response.clearCookie(name, this.#cookie(0))
      }
    }
  }

  /**
   * `Cookie` header of a new session, for clients without a browser, such as tests.
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
   * Returns true if the newest token of the session is due for renewal as well: a client that keeps
   * sending an older one must not get a new one on every request.
   */
  #isRenewalDue(claims: TokenClaims, session: OpenSession): boolean {
    const newest = Math.max(claims.exp, ...Object.values(session.sessionMetadata.tokens))
    return this.tokens.isDueForRenewal({ ...claims, iat: claims.iat + newest - claims.exp })
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
