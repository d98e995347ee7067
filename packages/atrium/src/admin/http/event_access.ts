import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import { NotAllowed, PageNotFound } from './errors.js'
import type { KeyValue } from '#base/columns/key'
import type { ModelView } from '../views/model_view.js'
import { type WithEventLog, hasEventLog } from '../events/database_integration.js'
import { isSuperuser } from '../identity/admin_guard.js'

/**
 * Returns true if the signed-in user is allowed to read the event log. Only superusers are, because the log shows every
 * model and every user's actions.
 */
export function mayReadEvents(site: WithEventLog, ctx: HttpContext): boolean {
  return hasEventLog(site) && isSuperuser(ctx)
}

/** Guard of the event log pages: responds with 404 if the site has no event log. */
export function eventsGuard(site: WithEventLog) {
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

/** Parameter with the id of the event that identifies a version. */
export const VERSION = 'version'

/** Parameter with the ids of two versions that are compared. */
export const COMPARE = 'compare'

/** Returns the URL of a record's history: `/admin/Film/history/12`. */
export function historyUrl(view: ModelView, key: KeyValue): string {
  return view.url(`/history${view.resource.key.toPath(key)}`)
}

/**
 * Returns the URL of one version of a record: `/admin/Film/history/12?version=345`.
 *
 * @param version  id of the event of the version, or the result of `idBefore`
 */
export function versionUrl(view: ModelView, key: KeyValue, version: number | string): string {
  return `${historyUrl(view, key)}?${VERSION}=${version}`
}

/**
 * Returns the URL of the history for a link on the page of a record that the viewer is allowed to see; null without an
 * event log, or if changes of the model are not logged.
 */
export function historyLink(ctx: HttpContext, view: ModelView, key: KeyValue): string | null {
  const { adminSite, resource } = view
  if (!adminSite || !hasEventLog(adminSite) || resource.readOnly) return null
  return view.admits(ctx) ? historyUrl(view, key) : null
}
