import type { HttpContext } from '@adonisjs/core/http'
import type { ApplicationService } from '@adonisjs/core/types'
import type { NextFn } from '@adonisjs/core/types/http'
import { missingBase } from '#base/http/base_path'
import { AdminSite, isBelowMount } from '#admin'

interface Middleware {
  handle(ctx: HttpContext, next: NextFn): unknown
}

/* A variable, because TypeScript would otherwise look for the package, which is not installed */
const CORS = '@adonisjs/cors/cors_middleware'

/**
 * Makes `@adonisjs/cors`, if the application uses it, ignore the admin site, so that no other site can read its pages.
 */
export async function leaveAdminSite(app: ApplicationService): Promise<void> {
  if (!app.config.has('cors')) return
  const { default: Class } = await import(CORS)
  app.container.resolving(Class, (middleware: Middleware) => {
    const handle = middleware.handle.bind(middleware)
    middleware.handle = async (ctx, next) => {
      const site = await app.container.make(AdminSite)
      return isBelowMount(site, missingBase(ctx) + ctx.request.url()) ? next() : handle(ctx, next)
    }
  })
}
