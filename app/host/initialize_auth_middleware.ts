import '@adonisjs/auth/initialize_auth_middleware'
import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import type { ApplicationService, ContainerBindings } from '@adonisjs/core/types'
import type { NextFn } from '@adonisjs/core/types/http'
import { shareAuthWhereRendered } from '#upstream/auth_renderer'

/**
 * Gives every request its `ctx.auth`, and templates their `auth`, as AdonisJS's own middleware does.
 * That one creates a renderer for each request, which for a response without a template takes as long as
 * reading its item; here it is created on the first render.
 */
export default class InitializeAuthMiddleware {
  async handle(ctx: HttpContext, next: NextFn): Promise<unknown> {
    shareAuthWhereRendered()
    ctx.auth = (managerOf(app) ?? (await makeManager(ctx))).createAuthenticator(ctx)
    return await next()
  }
}

type AuthManager = ContainerBindings['auth.manager']

let known: { app: ApplicationService; manager: AuthManager } | undefined

/** Cached: resolving it from the container would take as long as everything else here. */
function managerOf(current: ApplicationService): AuthManager | undefined {
  return known?.app === current ? known.manager : undefined
}

async function makeManager({ containerResolver }: HttpContext): Promise<AuthManager> {
  const manager = await containerResolver.make('auth.manager')
  known = { app, manager }
  return manager
}
