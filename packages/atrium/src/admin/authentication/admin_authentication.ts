import type { HttpContext } from '@adonisjs/core/http'
import { dialectOf } from '#base/database/dialects'
import { RuntimeError } from '#crud'
import { ActingEnded } from '../identity/errors.js'
import type AdminSession from '../models/admin_session.js'
import type { ActsAs } from '../models/admin_session.js'
import AdminUser from '../models/admin_user.js'
import type { AdminConfig } from '../config/define_config.js'
import { Owner } from './sessions/owned_row.js'
import type { Factors } from './factors/factors.js'
import type { AdminUserService } from './admin_user_service.js'
import type { LoginThrottle } from './login/login_throttle.js'
import type { OpenSession } from '../models/admin_session.js'
import type { BeginOptions, SessionManager } from './sessions/session_manager.js'
import type { TokenClaims, TokenService } from './sessions/token_service.js'
import { digest } from '#base/values/digest'
import { currentClientOf } from '../config/database_config.js'

/** Minutes after which a superuser stops being signed in as another user */
const ACTING_MINUTES = 60

/** The superuser who sends a request while signed in as another user. */
interface Acting {
  id: number
  username: string
}

/**
 * Finds the user that the session of a superuser is signed in as.
 *
 * @param own  owner of the session
 * @throws ActingEnded  after an hour, or when either user no longer meets the requirements
 */
async function actedUser({ userId, since }: ActsAs, own: Owner): Promise<Owner> {
  const isOver = Date.now() >= since + ACTING_MINUTES * 60_000
  const client = currentClientOf(AdminUser)
  const [row] = await dialectOf(client).selectRows(
    client,
    `select * from ${AdminUser.table} where id = ?`,
    [userId]
  )
  const user = row && Owner.ofRow(row)
  if (isOver || !own.isSuperuser || !user || user.isSuperuser) throw new ActingEnded()
  return user
}

/** The user of a request, with the session and token of the request. */
export interface SignedIn {
  /** The user whose permissions apply */
  owner: Owner
  /** The superuser who is signed in as that user */
  acting?: Acting
  session: OpenSession
  claims: TokenClaims
  /**
   * True if the user must have a second factor and has none, so that only the enrolment of a factor is allowed
   */
  lacksFactor?: boolean
}

interface SsoSignIn {
  isLinked: NonNullable<BeginOptions['isEnough']>
  metadata: Pick<AdminSession['sessionMetadata'], 'sso' | 'provedAt'>
}

type LoginListener = (ctx: HttpContext, user: AdminUser, session: AdminSession) => Promise<void>

/** Seconds until a session ends. */
export interface SessionRest {
  /** If no further request is made */
  idle: number
  /** Even if further requests are made */
  limit: number
}

/** Polling by a page in the background does not count as activity of the user. */
const isActivity = (ctx: HttpContext) => ctx.request.qs().poll === undefined

const wholeSeconds = (rest: number) => Math.max(0, Math.floor(rest))

const ACCESS_TOKEN = 'access_token'
const SESSION_ID = 'session_id'

/**
 * Authenticates requests, and signs users in and out. A request is authenticated only by a valid token that is not
 * revoked, belongs to an active session, and whose user still exists.
 */
export class AdminAuthentication {
  #loginListener: LoginListener | undefined

  constructor(
    readonly users: AdminUserService,
    readonly sessions: SessionManager,
    readonly tokens: TokenService,
    readonly throttle: LoginThrottle,
    readonly factors: Factors,
    private readonly config: Pick<
      AdminConfig,
      'mountPath' | 'secureCookies' | 'sessions' | 'token' | 'mfa'
    >
  ) {}

  /** @param greeting  called for each new session, before the response is sent */
  onLogin(greeting: LoginListener): void {
    this.#loginListener = greeting
  }

  /**
   * Authenticates the request by its cookies. Renews a token that is due, so call it once per
   * request.
   *
   * @returns null if the cookies are missing or not valid
   * @throws ActingEnded  once for a superuser who is no longer signed in as another user
   */
  async authenticate(ctx: HttpContext): Promise<SignedIn | null> {
    const token = ctx.request.plainCookie(ACCESS_TOKEN, { encoded: false })
    const id = ctx.request.plainCookie(SESSION_ID, { encoded: false })
    if (typeof token !== 'string' || typeof id !== 'string') return null

    const claims = await this.tokens.verify(token)
    if (!claims || claims.sid !== digest(id)) return null
    const found = await this.sessions.findSignedIn(claims)
    if (!found || String(found.owner.id) !== claims.sub) return null
    const { session, owner } = found
    const { isSuperuser } = owner
    const { actsAs, viewAs } = session.sessionMetadata
    if (viewAs !== undefined) owner.viewAs(viewAs)

    if (isActivity(ctx)) await this.sessions.touch(session)
    if (this.#isRenewalDue(claims, session)) await this.#renewToken(ctx, owner, session)
    /* Users of single sign-on need no factor here, because the provider checks theirs. */
    const isEnough = !this.mustHaveFactor(isSuperuser) || session.sessionMetadata.sso !== undefined
    const lacksFactor = !isEnough && !(await this.factors.has(owner.id))
    if (!actsAs) return { owner, session, claims, lacksFactor }
    return {
      owner: await this.#actedBy(session, actsAs, owner),
      acting: actsAs.by,
      session,
      claims,
      lacksFactor,
    }
  }

  /** Returns true if the user must have a second factor. */
  mustHaveFactor(isSuperuser: boolean): boolean {
    const { mfa } = this.config
    return mfa === 'required' || (mfa === 'superusers' && isSuperuser)
  }

  /** Returns the seconds until the session of a request ends: if no further request is made, and in any case. */
  remaining(ctx: HttpContext, { session, claims }: SignedIn): SessionRest {
    const { sessions, token } = this.config
    const now = Date.now()
    /* Activity is saved at most once a minute, so a request within that minute does not extend the session. */
    const unnoted = (now - session.lastActivity.toMillis()) / 1000
    const isNoted = isActivity(ctx) && unnoted >= 60
    const idle = sessions.idleMinutes * 60 - (isNoted ? 0 : unnoted)
    const renewed = this.#isRenewalDue(claims, session)
      ? token.minutes * 60
      : claims.exp - now / 1000
    const age = (now - session.createdAt.toMillis()) / 1000
    const limit = sessions.maximumHours * 3600 - age
    return { idle: wholeSeconds(Math.min(idle, renewed)), limit: wholeSeconds(limit) }
  }

  /**
   * Begins a session for the user and sets its cookies in the response. Ends the browser's previous session, whose
   * cookies are replaced.
   *
   * @param options.hasShownFactor  true if the user has shown a second factor in addition to the password
   * @returns null if the user was removed, has a new password, or has a factor that was not shown
   */
  async signIn(
    ctx: HttpContext,
    user: AdminUser,
    { hasShownFactor = false } = {}
  ): Promise<AdminSession | null> {
    return await this.#begin(ctx, user, {
      isEnough: async (client) => hasShownFactor === (await this.factors.has(user.id, client)),
    })
  }

  /**
   * Begins a session for a user who logged in at the OpenID Connect provider, which counts as a second factor.
   *
   * @param options.isLinked  called with the user locked; returns true if the user is still linked with the identity
   * @returns null if the user was removed, changed in the meantime, or is no longer linked
   */
  async signInBySso(
    ctx: HttpContext,
    user: AdminUser,
    { isLinked, metadata }: SsoSignIn
  ): Promise<AdminSession | null> {
    return await this.#begin(ctx, user, { isEnough: isLinked, metadata })
  }

  async #begin(ctx: HttpContext, user: AdminUser, options: BeginOptions) {
    const earlier = ctx.request.plainCookie(SESSION_ID, { encoded: false })
    const begun = await this.sessions.begin(
      user,
      { ip: ctx.request.ip(), userAgent: ctx.request.header('user-agent') },
      { ...options, earlier: typeof earlier === 'string' ? earlier : undefined }
    )
    if (!begun) return null
    const { session, id } = begun
    await this.#giveToken(ctx, user, session)
    ctx.response.plainCookie(SESSION_ID, id, this.#cookie(this.config.sessions.maximumHours * 3600))
    await this.#loginListener?.(ctx, user, session)
    return session
  }

  /**
   * Gives the session of a request a new id and token, and invalidates the previous ones. Called after events such as a
   * new password, so that stolen cookies become useless.
   */
  async renew(ctx: HttpContext, { owner, session }: SignedIn): Promise<void> {
    const id = await this.sessions.renew(session)
    if (id === null) return
    await this.#giveToken(ctx, owner, { ...session, sessionId: digest(id) })
    ctx.response.plainCookie(SESSION_ID, id, this.#cookie(this.config.sessions.maximumHours * 3600))
  }

  /** Ends the session, revokes the session's tokens and clears the cookies. */
  async signOut(ctx: HttpContext, { session }: SignedIn): Promise<void> {
    await this.sessions.end(session)
    this.clearCookies(ctx)
  }

  /**
   * Clears the cookies that the request has sent. Cross-site requests are sent without cookies, and their responses
   * must not sign the user out.
   */
  clearCookies(ctx: HttpContext): void {
    for (const name of [ACCESS_TOKEN, SESSION_ID]) {
      if (ctx.request.plainCookie(name, { encoded: false })) {
        ctx.response.clearCookie(name, this.#cookie(0))
      }
    }
  }

  /** Returns the cookies of a new session by name, for clients without a browser, such as tests. */
  async cookiesOf(user: AdminUser): Promise<Record<string, string>> {
    const begun = await this.sessions.begin(user, { ip: '127.0.0.1', userAgent: undefined })
    if (!begun) throw new RuntimeError(`${user.username} is gone, or has another password by now`)
    const { session, id } = begun
    const { token, claims } = await this.tokens.issue(user.id, session.sessionId)
    await this.sessions.remember(session, claims)
    return { [ACCESS_TOKEN]: token, [SESSION_ID]: id }
  }

  /** Returns the cookies of a new session as the value of a `Cookie` header. */
  async cookieHeader(user: AdminUser): Promise<string> {
    const cookies = Object.entries(await this.cookiesOf(user))
    return cookies.map(([name, value]) => `${name}=${value}`).join('; ')
  }

  /**
   * Returns the user that the session acts as. If that is no longer allowed, the session acts as its owner again, and
   * the error prevents the request from running as the wrong user.
   */
  async #actedBy(session: OpenSession, actsAs: ActsAs, own: Owner): Promise<Owner> {
    try {
      return await actedUser(actsAs, own)
    } catch (error) {
      if (error instanceof ActingEnded) await this.sessions.actAs(session, null)
      throw error
    }
  }

  /**
   * Returns true if the newest token of the session is due for renewal. Otherwise a client that keeps sending an
   * older token would get a new one with every request.
   */
  #isRenewalDue(claims: TokenClaims, session: OpenSession): boolean {
    const newest = Math.max(claims.exp, ...Object.values(session.sessionMetadata.tokens))
    return this.tokens.isDueForRenewal({ ...claims, iat: claims.iat + newest - claims.exp })
  }

  async #giveToken(ctx: HttpContext, user: Pick<AdminUser, 'id'>, session: OpenSession) {
    const { token, claims } = await this.tokens.issue(user.id, session.sessionId)
    await this.sessions.remember(session, claims)
    this.#sendToken(ctx, token)
  }

  /** Sends a new token. The previous one stays valid, so that concurrent requests that were sent with it succeed. */
  async #renewToken(ctx: HttpContext, user: Pick<AdminUser, 'id'>, session: OpenSession) {
    const { token, claims } = await this.tokens.issue(user.id, session.sessionId)
    if (await this.sessions.rememberSoon(session, claims)) this.#sendToken(ctx, token)
  }

  #sendToken(ctx: HttpContext, token: string) {
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

/** A site with logins and second factors */
export interface WithAuthentication {
  readonly adminAuthentication: AdminAuthentication
}
