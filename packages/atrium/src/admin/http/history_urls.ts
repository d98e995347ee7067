import type { HttpContext } from '@adonisjs/core/http'
import type { KeyValue } from '#base/columns/key'
import type { ModelView } from '../views/model_view.js'
import { hasEventLog } from './event_access.js'

/** Parameter that names a version by the event that it comes from. [R8] */
export const VERSION = 'version'

/**
 * URL of a record's history: `/admin/Film/history/12`. [E5, R9]
 */
export function historyUrl(view: ModelView, key: KeyValue): string {
  return view.url(`/history${view.resource.key.toPath(key)}`)
}

/**
 * URL of one version of a record: `/admin/Film/history/12?version=345`. [R8]
 *
 * @param version  id of the event that the version comes from, or what `idBefore` returns
 */
export function versionUrl(view: ModelView, key: KeyValue, version: number | string): string {
  return `${historyUrl(view, key)}?${VERSION}=${version}`
}

/**
 * URL of the history for a link on the page of a record, which its viewer may see; null without a log, or with nothing to
 * be logged. [R9]
 */
export function historyLink(ctx: HttpContext, view: ModelView, key: KeyValue): string | null {
  const { adminSite, resource } = view
  if (!adminSite || !hasEventLog(adminSite) || resource.readOnly) return null
  return view.admits(ctx) ? historyUrl(view, key) : null
}
