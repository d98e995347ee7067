import '@adonisjs/auth/initialize_auth_middleware'
import { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import type { ApplicationService, ContainerBindings } from '@adonisjs/core/types'
import type { NextFn } from '@adonisjs/core/types/http'

/**
 * Gives every request its `ctx.auth`, and templates their `auth`, as AdonisJS's own middleware does. That
 * one makes a renderer for each request, which for an answer without a template takes as long as to read
 * its item; here it is made where somebody renders.
 */
export default class InitializeAuthMiddleware {
  async handle(ctx: HttpContext, next: NextFn): Promise<unknown> {
    shareWithTemplates()
    ctx.auth = (managerOf(app) ?? (await makeManager(ctx))).createAuthenticator(ctx)
    return await next()
  }
}

type AuthManager = ContainerBindings['auth.manager']

let known: { app: ApplicationService; manager: AuthManager } | undefined

/** To ask the container for it would take as long as all else here. */
function managerOf(current: ApplicationService): AuthManager | undefined {
  return known?.app === current ? known.manager : undefined
}

async function makeManager({ containerResolver }: HttpContext): Promise<AuthManager> {
  const manager = await containerResolver.make('auth.manager')
  known = { app, manager }
  return manager
}

let sharing: (() => unknown) | undefined

/**
 * Has the renderer of a request know its `auth`. Said once for all requests, as an accessor of each one's
 * own would keep it, and all it holds, until the old generation is collected.
 */
function shareWithTemplates() {
  const make = Object.getOwnPropertyDescriptor(HttpContext.prototype, 'view')?.get
  if (!make || make === sharing) return
  HttpContext.getter('view', function (this: HttpContext) {
    /* From then on the request has its renderer, and this is not asked again. */
    const view = make.call(this)
    if ('auth' in this) view.share({ auth: this.auth })
    return view
  })
  sharing = Object.getOwnPropertyDescriptor(HttpContext.prototype, 'view')!.get
}
