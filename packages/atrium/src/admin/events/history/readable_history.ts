import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { KeyValue } from '#base/columns/key'
import type { AdminSite } from '../../admin_site.js'
import { NotAllowed, PageNotFound } from '../../errors.js'
import type { ModelView } from '../../model_view.js'
import { keyIn } from '../../record/find_record.js'
import { isSuperuser } from '../pages/event_access.js'
import type { EventReader, HistoryOf } from '../pages/event_reader.js'
import { ReadableRecords } from '../pages/readable_records.js'
import { isNarrowed, namesSeenOf, type SeesName } from './seen_names.js'

/**
 * A record with a history that the signed-in user may see.
 */
export interface ReadableHistory extends HistoryOf {
  key: KeyValue
  /** As the user sees it, deleted or not; null if it was deleted for good */
  record: LucidRow | null
  sees: SeesName
}

/**
 * The history of a record for everybody who can see the record. Nobody can be asked about a record that was deleted
 * for good: its history is for superusers, and for those who see all records of the model with all of their
 * fields. [R8, R9]
 *
 * @param view  as the user's roles leave it
 * @throws PageNotFound  for a record that there is not, at least not for the user
 * @throws NotAllowed    for a deleted record whose last state the policy refuses
 * @throws Problem 403   when the policy refuses to read the record
 */
export async function readableHistory(
  ctx: HttpContext,
  site: AdminSite,
  log: EventReader,
  view: ModelView
): Promise<ReadableHistory> {
  return await historyOfKey(ctx, site, log, view, keyIn(ctx.params, view))
}

/**
 * The same for a key.
 */
export async function historyOfKey(
  ctx: HttpContext,
  site: AdminSite,
  log: EventReader,
  view: ModelView,
  key: KeyValue
): Promise<ReadableHistory> {
  const options = view.callOptions(ctx)
  const record = await view.crud.find(key, { ...options, deleted: 'include' })
  const resourceId = view.resource.key.toPath(key).slice(1)
  const own = { resourceType: view.name, resourceId }
  if (!record) await assertMayKnow(ctx, site, log, view, own, key)
  const sees = await namesSeenOf(ctx, site, view, record)
  return { ...own, key, record, sees, from: await beginOf(ctx, log, view, own) }
}

async function assertMayKnow(
  ctx: HttpContext,
  site: AdminSite,
  log: EventReader,
  view: ModelView,
  own: HistoryOf,
  key: KeyValue
): Promise<void> {
  const { base, projection } = view.resource
  const mayKnow = isSuperuser(ctx) || seesWhole(view)
  if (!mayKnow || (await base.reader.attributes(view.client(), key))) throw new PageNotFound()
  const last = await log.lastChange(own)
  if (!last || projection?.reach('read')) throw new PageNotFound()
  const readable = await ReadableRecords.find(site, ctx, [last], new Map([[view.name, view]]))
  if (!readable.has(last)) throw new NotAllowed()
}

/**
 * True if the viewer sees all records of the model with all fields, as far as no policy refuses one.
 *
 * @param view  as their roles leave it
 */
export function seesWhole({ resource: { base, projection } }: ModelView): boolean {
  if (base.scope) return false
  if (!projection) return true
  return projection.reach('read') === null && projection.hidden.size + projection.mixed.size === 0
}

/**
 * A key can have belonged to another record before, which is not everybody's who sees this one.
 */
async function beginOf(
  ctx: HttpContext,
  log: EventReader,
  view: ModelView,
  own: HistoryOf
): Promise<number> {
  return isSuperuser(ctx) || !isNarrowed(view) ? 0 : await log.beginOf(own)
}
