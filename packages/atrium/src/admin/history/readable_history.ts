import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { KeyValue } from '#base/columns/key'
import type { Site } from '../views/site.js'
import type { ModelView } from '../views/model_view.js'
import { concealedIn, shownOn } from '../permissions/personal_view.js'
import { personal } from '../permissions/may.js'
import { isSuperuser } from '../identity/admin_guard.js'
import { NotAllowed, PageNotFound } from '../http/errors.js'
import { keyIn } from '../http/record_links.js'
import type { EventReader, HistoryOf } from '../event_log/event_reader.js'
import { ReadableRecords } from '../event_log/readable_records.js'

/** Returns true for the name of a logged field that the viewer can see. */
export type SeesName = (name: string) => boolean

/**
 * Returns a predicate for the logged names that the viewer of a model can see. Without a record, fields that roles
 * show only on some records are hidden, as the log does not contain for which records they were shown. A name that
 * the model no longer has is hidden from users who do not see all fields.
 *
 * @param view       the view, limited by the viewer's roles; undefined if the model no longer exists
 * @param shownHere  names of the fields that roles show only on some records, including the viewed one
 */
export function namesSeen(
  view: ModelView | undefined,
  shownHere: ReadonlySet<string> = new Set()
): SeesName {
  if (!view) return () => true
  const { base, columns, projection, virtualFields } = view.resource
  const concealed = concealedIn(view.resource)
  const relations = view.model.$relationsDefinitions
  const hidesSome = concealed.size > 0 || (projection?.hidden.size ?? 0) > 0
  return (name) => {
    const column = base.columns.find(name) ?? columns.find(name)
    if (column?.hidden || projection?.hidden.has(name)) return false
    if (projection?.mixed.has(name)) return shownHere.has(name)
    if (concealed.has(name)) return false
    return !hidesSome || Boolean(column) || relations.has(name) || virtualFields.includes(name)
  }
}

/**
 * Returns a predicate for the logged names that the viewer can see of one record. These include fields that roles show
 * on this record only, and keys of related records only if the viewer can see all records of the related model.
 * @param record  null if it was permanently deleted
 */
async function namesSeenOf(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  record: LucidRow | null
): Promise<SeesName> {
  const { key } = view.resource
  const shownHere = record && (await shownOn(view.resource, key.of(record), view.callOptions(ctx)))
  const sees = namesSeen(view, shownHere ?? undefined)
  const withheld = await withheldRelations(ctx, site, view)
  return (name) => !withheld.has(name) && sees(name)
}

/**
 * Returns the names of the relations whose keys are hidden from the user, as the log contains the keys of all related
 * records regardless of permissions.
 */
async function withheldRelations(
  ctx: HttpContext,
  site: Site,
  { model }: ModelView
): Promise<ReadonlySet<string>> {
  const withheld = new Set<string>()
  if (isSuperuser(ctx)) return withheld
  for (const [name, relation] of model.$relationsDefinitions) {
    relation.boot()
    const other = [...site.models.values()].find((one) => one.model === relation.relatedModel())
    const own = other?.admits(ctx) ? await personal(ctx, other) : null
    if (!own || isNarrowed(own)) withheld.add(name)
  }
  return withheld
}

/** Returns true if a user who can see the model cannot see all of its records, or not all of their fields. */
export function isNarrowed({ resource }: ModelView): boolean {
  const { authorizesRecords, base, projection } = resource
  if (base.scope || authorizesRecords) return true
  if (!projection) return false
  return projection.reach('read') !== null || projection.mixed.size > 0
}

/** The history of a record that the signed-in user can see. */
export interface ReadableHistory extends HistoryOf {
  key: KeyValue
  /** The record as the user can see it, soft-deleted or not; null if it was permanently deleted */
  record: LucidRow | null
  sees: SeesName
}

/**
 * Returns the history of a record for users who can see the record. The history of a permanently deleted record is
 * limited to superusers and users who can see all records and fields of the model, and to what the policy allows of its
 * last state.
 *
 * @param view  the view, limited by the user's roles
 * @throws PageNotFound  if the record does not exist or the user can't see it
 * @throws NotAllowed    for a deleted record whose last state the policy refuses
 * @throws Problem 403   if the policy refuses reading the record
 */
export async function readableHistory(
  ctx: HttpContext,
  site: Site,
  log: EventReader,
  view: ModelView
): Promise<ReadableHistory> {
  return await historyOfKey(ctx, site, log, view, keyIn(ctx.params, view))
}

/** Like `readableHistory`, for a key. */
export async function historyOfKey(
  ctx: HttpContext,
  site: Site,
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
  site: Site,
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
 * Returns true if the viewer can see all records and fields of the model, apart from what policies refuse.
 *
 * @param view  the view, limited by the viewer's roles
 */
export function seesWhole({ resource: { base, projection } }: ModelView): boolean {
  if (base.scope) return false
  if (!projection) return true
  return projection.reach('read') === null && projection.hidden.size + projection.mixed.size === 0
}

/**
 * Returns the id of the first change that the user can see; 0 for all. The key may have belonged to an earlier record,
 * which users with limited permissions must not see.
 */
async function beginOf(
  ctx: HttpContext,
  log: EventReader,
  view: ModelView,
  own: HistoryOf
): Promise<number> {
  return isSuperuser(ctx) || !isNarrowed(view) ? 0 : await log.beginOf(own)
}
