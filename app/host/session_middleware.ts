import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import SessionMiddleware from '@adonisjs/session/session_middleware'
import { readsBody } from '#crud/internals'

/**
 * AdonisJS's own session middleware for the application's routes. The engine's routes open a session only where they
 * need one.
 */
export default class ApplicationSessionMiddleware {
  async handle(ctx: HttpContext, next: NextFn) {
    if (readsBody(ctx)) return await next()
    const middleware = await ctx.containerResolver.make(SessionMiddleware)
    return await middleware.handle(ctx, next)
  }
}
