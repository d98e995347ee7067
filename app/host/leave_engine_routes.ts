import type { HttpContext } from '@adonisjs/core/http'
import type { ApplicationService } from '@adonisjs/core/types'
import type { NextFn } from '@adonisjs/core/types/http'
import { AdminSite, isBelowMount } from '#admin'
import { readsBody } from '#crud/internals'

interface Middleware {
  handle(ctx: HttpContext, next: NextFn): unknown
}

/* Variables, as TypeScript would look for the packages, which are not installed */
const SHIELD = '@adonisjs/shield/shield_middleware'
const CORS = '@adonisjs/cors/cors_middleware'

/**
 * Lets middleware that the application adds leave the engine's routes alone: `@adonisjs/shield`, as those have no
 * session, check the origin of each write and set their own security headers; and `@adonisjs/cors` the admin site,
 * whose pages no other site can read.
 */
export async function leaveEngineRoutes(app: ApplicationService): Promise<void> {
  if (app.config.has('shield')) await leave(app, SHIELD, readsBody)
  if (!app.config.has('cors')) return
  await leave(app, CORS, async ({ request }) => {
    const site = await app.container.make(AdminSite)
    return isBelowMount(site, request.url())
  })
}

async function leave(
  app: ApplicationService,
  path: string,
  isEngines: (ctx: HttpContext) => boolean | Promise<boolean>
): Promise<void> {
  const { default: Class } = await import(path)
  app.container.resolving(Class, (middleware: Middleware) => {
    const handle = middleware.handle.bind(middleware)
    middleware.handle = async (ctx, next) => ((await isEngines(ctx)) ? next() : handle(ctx, next))
  })
}
