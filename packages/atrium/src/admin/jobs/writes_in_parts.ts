import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { AdminSite } from '../admin_site.js'
import { hasEventLog } from '../events/pages/event_access.js'

/**
 * True if the records of a model are written in short transactions, which are reverted if a later one fails: SQLite has
 * one writer, for which all others would wait. Reverting needs the log in the same database.
 */
export function writesInParts(site: AdminSite, model: string | null): boolean {
  const client = site.models.get(model ?? '')?.client()
  return client !== undefined && writesInPartsTo(site, client)
}

/** The same for the records of a client's database. */
export function writesInPartsTo(site: AdminSite, client: QueryClientContract): boolean {
  if (!client.dialect.name.includes('sqlite') || !hasEventLog(site)) return false
  return site.jobs.store.isIn(client) && site.eventIntegration!.isPartOf!(client)
}
