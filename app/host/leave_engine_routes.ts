import type { HttpContext } from '@adonisjs/core/http'
import type { ApplicationService } from '@adonisjs/core/types'
import type { NextFn } from '@adonisjs/core/types/http'
import { readsBody } from '#crud/internals'

interface Middleware {
  handle(ctx: HttpContext, next: NextFn): unknown
}

/** A variable, as TypeScript would look for the package, which is not installed */
const SHIELD = '@adonisjs/shield/shield_middleware'

/**
 * Lets `@adonisjs/shield`, if the application has it, protect the application's routes alone. The engine's routes have
 * no session, check the origin of each write, and set their own security headers.
 */
export async function leaveEngineRoutes(app: ApplicationService): Promise<void> {
  if (!app.config.has('shield')) return
  const { default: ShieldMiddleware } = await import(SHIELD)
  app.container.resolving(ShieldMiddleware, (middleware: Middleware) => {
    const handle = middleware.handle.bind(middleware)
    middleware.handle = (ctx, next) => (readsBody(ctx) ? next() : handle(ctx, next))
  })
}
