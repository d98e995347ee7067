import db from '@adonisjs/lucid/services/db'
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
import {
  type BeginOptions,
  type OpenSession,
  type SessionManager,
} from './sessions/session_manager.js'
import type { TokenClaims, TokenService } from './sessions/token_service.js'
import { digest } from '#base/values/digest'

/** Minutes after which a superuser is themselves again [U14] */
export const ACTING_MINUTES = 60

/**
 * The superuser behind a request that is signed in as another user.
 */
interface Acting {
  id: number
  username: string
}

/**
 * Finds the user that the session of a superuser is signed in as.
 *
 * @param own  owner of the session
 * @throws ActingEnded  after an hour, or when either of them is no longer what they have to be
 */
async function actedUser({ userId, since }: ActsAs, own: Owner): Promise<Owner> {
  const isOver = Date.now() >= since + ACTING_MINUTES * 60_000
  const client = db.connection(AdminUser.connection)
  const [row] = await dialectOf(client).selectRows(
    client,
    `select * from ${AdminUser.table} where id = ?`,
    [userId]
  )
  const user = row && Owner.ofRow(row)
  if (isOver || !own.isSuperuser || !user || user.isSuperuser) throw new ActingEnded()
  return user
}

/**
 * The user of a request, with their session and token.
 */
export interface SignedIn {
  /** The user who is seen as signed in, with their permissions */
  owner: Owner
  /** The superuser who is signed in as that user [U14] */
  acting?: Acting
  session: OpenSession
  claims: TokenClaims
  /** True if the user must have a second factor and has none: nothing but its enrolment is theirs [U10] */
  lacksFactor?: boolean
}

interface SsoSignIn {
  isLinked: NonNullable<BeginOptions['isEnough']>
  metadata: Pick<AdminSession['sessionMetadata'], 'sso' | 'provedAt'>
}

type Greeting = (ctx: HttpContext, user: AdminUser, session: AdminSession) => Promise<void>

/** Seconds until a session ends */
export interface SessionRest {
  /** Without another request */
  idle: number
  /** In any case */
  limit: number
}

/** A page that polls in the background is not activity of the user. [B7] */
const isActivity = (ctx: HttpContext) => ctx.request.qs().poll === undefined

const wholeSeconds = (rest: number) => Math.max(0, Math.floor(rest))

const ACCESS_TOKEN = 'access_token'
const SESSION_ID = 'session_id'

/**
 * Authenticates requests, signs users in and out. A request is authenticated only by a valid token
 * that was not revoked, together with an active session to which it belongs, of a user who still
 * exists. [B4]
 */
export class AdminAuthentication {
  #greeting: Greeting | undefined

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

  /**
   * @param greeting  is called for each new session, before its response is sent
   */
  greetBy(greeting: Greeting): void {
    this.#greeting = greeting
  }

  /**
   * Authenticates the request by its cookies. Renews a token that is due, so call it once per
   * request.
   *
   * @returns null if the cookies are missing or not valid
   * @throws ActingEnded  once for a superuser who is no longer signed in as another user [U14]
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
    /* The provider checks the factors of users of single sign-on. [U15] */
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

  /**
   * Returns true if the site lets a user in only with a second factor. [U10]
   */
  mustHaveFactor(isSuperuser: boolean): boolean {
    const { mfa } = this.config
    return mfa === 'required' || (mfa === 'superusers' && isSuperuser)
  }

  /**
   * Seconds after which the session of a request ends: without another request, and in any case. [B7, R10]
   */
  remaining(ctx: HttpContext, { session, claims }: SignedIn): SessionRest {
    const { sessions, token } = this.config
    const now = Date.now()
    /* Activity is noted once a minute. */
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
   * Begins a session for the user and sets its cookies in the response. Ends the browser's previous
   * session, as its cookies are replaced. [B7]
   *
   * @param options.hasShownFactor  true if the user has shown a second factor in addition to the password
   * @returns null if the user was removed, has a new password, or has a factor that was not shown [U8]
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
   * Begins a session for a user who comes from the OpenID Connect provider, which counts as a second factor. [U15]
   *
   * @param options.isLinked  asked when the user is locked: true if they still are the provider's person
   * @returns null if the user was removed, changed in the meantime, or is not linked any more
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
    await this.#greeting?.(ctx, user, session)
    return session
  }

  /**
   * Gives the session of a request another id and token; those that it had are invalid from then on. For the moment
   * after which an eavesdropper of before must not go on, such as a new password. [U7]
   */
  async renew(ctx: HttpContext, { owner, session }: SignedIn): Promise<void> {
    const id = await this.sessions.renew(session)
    if (id === null) return
    await this.#giveToken(ctx, owner, { ...session, sessionId: digest(id) })
    ctx.response.plainCookie(SESSION_ID, id, this.#cookie(this.config.sessions.maximumHours * 3600))
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
   * Values of the cookies of a new session by their names, for clients without a browser, such as tests.
   */
  async cookiesOf(user: AdminUser): Promise<Record<string, string>> {
    const begun = await this.sessions.begin(user, { ip: '127.0.0.1', userAgent: undefined })
    if (!begun) throw new RuntimeError(`${user.username} is gone, or has another password by now`)
    const { session, id } = begun
    const { token, claims } = await this.tokens.issue(user.id, session.sessionId)
    await this.sessions.remember(session, claims)
    return { [ACCESS_TOKEN]: token, [SESSION_ID]: id }
  }

  /** The same as the value of a `Cookie` header */
  async cookieHeader(user: AdminUser): Promise<string> {
    const cookies = Object.entries(await this.cookiesOf(user))
    return cookies.map(([name, value]) => `${name}=${value}`).join('; ')
  }

  /** Work that one user requested is never done as the other. */
  async #actedBy(session: OpenSession, actsAs: ActsAs, own: Owner): Promise<Owner> {
    try {
      return await actedUser(actsAs, own)
    } catch (error) {
      if (error instanceof ActingEnded) await this.sessions.actAs(session, null)
      throw error
    }
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
    this.#sendToken(ctx, token)
  }

  /** The token that the request has is valid for some minutes more, so that another request can renew it. */
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
