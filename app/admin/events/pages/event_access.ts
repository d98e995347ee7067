import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import type { AdminSite } from '../../admin_site.js'
import { NotAllowed, PageNotFound } from '../../http/errors.js'
import { DatabaseIntegration } from '../database_integration.js'

/**
 * Whether the site keeps its events where its pages can read them. [E2]
 */
export function hasEventLog({ eventIntegration }: AdminSite): boolean {
  return eventIntegration instanceof DatabaseIntegration
}

/**
 * Whether the signed-in user may read what happened: the log shows every model, and who did what.
 * [B13]
 */
export function mayReadEvents(site: AdminSite, ctx: HttpContext): boolean {
  return hasEventLog(site) && isSuperuser(ctx)
}

export function isSuperuser(ctx: HttpContext): boolean {
  return ctx.auth.use('admin').signedIn?.owner.isSuperuser === true
}

/**
 * Stands before the pages of the event log: without a log there are none. [E2]
 */
export function eventsGate(site: AdminSite) {
  return async (ctx: HttpContext, next: NextFn) => {
    if (!hasEventLog(site)) throw new PageNotFound()
    await superuserGate(ctx, next)
  }
}

/**
 * Stands before what only superusers may see. [B13]
 */
export async function superuserGate(ctx: HttpContext, next: NextFn): Promise<void> {
  if (!isSuperuser(ctx)) throw new NotAllowed()
  await next()
}
