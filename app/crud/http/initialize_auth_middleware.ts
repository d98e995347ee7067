import '@adonisjs/auth/initialize_auth_middleware'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

/**
 * Gives every request its `ctx.auth`, and templates their `auth`, as AdonisJS's own middleware does. That
 * one makes a renderer for each request, which for an answer without a template takes as long as to read
 * its item; here it is made where somebody renders.
 */
export default class InitializeAuthMiddleware {
  async handle(ctx: HttpContext, next: NextFn): Promise<unknown> {
    const manager = await ctx.containerResolver.make('auth.manager')
    ctx.auth = manager.createAuthenticator(ctx)
    if ('view' in ctx) shareWhenRendering(ctx)
    return await next()
  }
}

function shareWhenRendering(ctx: HttpContext) {
  Object.defineProperty(ctx, 'view', {
    configurable: true,
    get() {
      /* Beneath it is AdonisJS's, which makes the renderer. */
      Reflect.deleteProperty(ctx, 'view')
      ctx.view.share({ auth: ctx.auth })
      return ctx.view
    },
  })
}
