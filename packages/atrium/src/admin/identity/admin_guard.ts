import { errors, symbols } from '@adonisjs/auth'
import type { AuthClientResponse, GuardConfigProvider, GuardContract } from '@adonisjs/auth/types'
import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import type AdminUser from '../models/admin_user.js'
import type { AdminAuthentication, SignedIn } from '../authentication/admin_authentication.js'

/** The AdonisJS guard of the admin site: `ctx.auth.use('admin')`. */
export class AdminGuard implements GuardContract<AdminUser> {
  declare [symbols.GUARD_KNOWN_EVENTS]: Record<string, never>

  readonly driverName = 'admin'
  authenticationAttempted = false
  /** User, session and token of the request */
  signedIn: SignedIn | undefined
  /**
   * User, session and token of a user who has to set up a second factor first; all other pages treat that user as not
   * signed in
   */
  lackingFactor: SignedIn | undefined

  /** True if this request has signed a user in with a browser that they had not used before */
  isNewDevice = false

  readonly #ctx: HttpContext
  readonly #authentication: () => Promise<AdminAuthentication>

  constructor(ctx: HttpContext, authentication: () => Promise<AdminAuthentication>) {
    this.#ctx = ctx
    this.#authentication = authentication
  }

  get user(): AdminUser | undefined {
    return this.signedIn?.owner.user
  }

  get isAuthenticated(): boolean {
    return this.signedIn !== undefined
  }

  /** @throws E_UNAUTHORIZED_ACCESS  if no user is signed in */
  getUserOrFail(): AdminUser {
    return this.signedInOrFail().owner.user
  }

  /** @throws E_UNAUTHORIZED_ACCESS  if no user is signed in */
  signedInOrFail(): SignedIn {
    if (!this.signedIn) {
      throw new errors.E_UNAUTHORIZED_ACCESS('Unauthorized access', {
        guardDriverName: this.driverName,
      })
    }
    return this.signedIn
  }

  /**
   * @throws E_UNAUTHORIZED_ACCESS  when no user is signed in
   */
  async authenticate(): Promise<AdminUser> {
    await this.check()
    return this.getUserOrFail()
  }

  async check(): Promise<boolean> {
    if (!this.authenticationAttempted) {
      this.authenticationAttempted = true
      const authentication = await this.#authentication()
      try {
        const found = (await authentication.authenticate(this.#ctx)) ?? undefined
        if (found?.lacksFactor) this.lackingFactor = found
        else this.signedIn = found
      } catch (error) {
        /* The error page can check the login again. */
        this.authenticationAttempted = false
        throw error
      }
    }
    return this.isAuthenticated
  }

  /**
   * Checks the login, and also accepts a user who has to set up a second factor first. Used for the pages that set it
   * up, and for logging out.
   */
  async checkWithoutFactor(): Promise<boolean> {
    await this.check()
    this.signedIn ??= this.lackingFactor
    return this.isAuthenticated
  }

  /** Logs in the client of a test: `client.get('/admin').loginAs(user)`. */
  async authenticateAsClient(user: AdminUser): Promise<AuthClientResponse> {
    const authentication = await this.#authentication()
    return { headers: { cookie: await authentication.cookieHeader(user) } }
  }
}

const GUARDS = new WeakMap<HttpContext, AdminGuard>()

/** Returns the guard of a request, which is also what `ctx.auth.use('admin')` returns. */
export function guardOf(ctx: HttpContext): AdminGuard {
  let guard = GUARDS.get(ctx)
  if (!guard) {
    guard = new AdminGuard(ctx, async () => {
      const site = await app.container.make('admin.site')
      return site.adminAuthentication
    })
    GUARDS.set(ctx, guard)
  }
  return guard
}

/**
 * Guard of the admin site, for `config/auth.ts`. This guard is optional: with it, the application's code and templates
 * can read the user of a request from `ctx.auth`.
 */
export function adminGuard(): GuardConfigProvider<(ctx: HttpContext) => AdminGuard> {
  return { resolver: async () => guardOf }
}

export function isSuperuser(ctx: HttpContext): boolean {
  return guardOf(ctx).signedIn?.owner.isSuperuser === true
}
