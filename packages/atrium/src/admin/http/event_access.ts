import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import { NotAllowed, PageNotFound } from './errors.js'
import { DatabaseIntegration } from '../events/database_integration.js'
import type { EventIntegration } from '../events/event_integration.js'
import { guardOf } from '../identity/admin_guard.js'

/** The properties of the site that event pages read. */
export interface LoggedSite {
  readonly eventIntegration: EventIntegration | undefined
}

/** Returns true if the site stores events that the pages can read. */
export function hasEventLog({ eventIntegration }: LoggedSite): boolean {
  return eventIntegration instanceof DatabaseIntegration
}

/**
 * Returns true if the signed-in user is allowed to read the event log. Only superusers are, because the log shows every
 * model and every user's actions.
 */
export function mayReadEvents(site: LoggedSite, ctx: HttpContext): boolean {
  return hasEventLog(site) && isSuperuser(ctx)
}

export function isSuperuser(ctx: HttpContext): boolean {
  return guardOf(ctx).signedIn?.owner.isSuperuser === true
}

/** Guard of the event log pages: responds with 404 if the site has no event log. */
export function eventsGuard(site: LoggedSite) {
  return async (ctx: HttpContext, next: NextFn) => {
    if (!hasEventLog(site)) throw new PageNotFound()
    await superuserGuard(ctx, next)
  }
}

/** Guard of pages for superusers. */
export async function superuserGuard(ctx: HttpContext, next: NextFn): Promise<void> {
  if (!isSuperuser(ctx)) throw new NotAllowed()
  await next()
}
