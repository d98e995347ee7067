import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { identityOf, type KeyValue } from '#base/columns/key'
import { reachedOf } from '#crud/internals'
import type { Site } from '../views/site.js'
import type { ModelView } from '../views/model_view.js'
import { concealedIn } from '../permissions/personal_view.js'
import { personal } from '../permissions/may.js'
import { isSuperuser } from '../http/event_access.js'
import { NotAllowed, PageNotFound } from '../http/errors.js'
import { keyIn } from '../http/record_links.js'
import type { EventReader, HistoryOf } from '../event_log/event_reader.js'
import { ReadableRecords } from '../event_log/readable_records.js'

/** True for the name of a logged field that the viewer may see. */
export type SeesName = (name: string) => boolean

/**
 * The logged names that the viewer of a model may see. Without a record, those that their roles show on some
 * records only are left out, as the log does not tell which those were. A name that the model does not have any
 * more is left out for users who do not see all of it. [R9, U4]
 *
 * @param view       as the viewer's roles leave it; undefined for a model that is gone
 * @param shownHere  names of the fields that roles show on some records, and on this one
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
 * The logged names that the viewer may see of one record: also those that their roles show on it and not on all,
 * and the keys of related records only of models whose records they all may see. [R9, U3]
 *
 * @param record  null if it was deleted for good
 */
async function namesSeenOf(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  record: LucidRow | null
): Promise<SeesName> {
  const sees = namesSeen(view, await shownOn(ctx, view, record))
  const withheld = await withheldRelations(ctx, site, view)
  return (name) => !withheld.has(name) && sees(name)
}

async function shownOn(
  ctx: HttpContext,
  view: ModelView,
  record: LucidRow | null
): Promise<ReadonlySet<string>> {
  const { key, projection } = view.resource
  const mixed = [...(projection?.mixed ?? [])]
  if (!record || mixed.length === 0) return new Set()
  const own = key.of(record)
  const reaches = mixed.map(([, scopes]) => scopes)
  const { client, ...options } = view.callOptions(ctx)
  const reached = await reachedOf(view.resource, [own], reaches, client, options)
  const responses = reached.get(identityOf(own)) ?? []
  return new Set(mixed.flatMap(([name], index) => (responses[index] ? [name] : [])))
}

/** The log has the keys of related records, whoever may see them. */
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

/** True if a user who sees the model does not see all of its records, or not all of their fields. */
export function isNarrowed({ resource }: ModelView): boolean {
  const { authorizesRecords, base, projection } = resource
  if (base.scope || authorizesRecords) return true
  if (!projection) return false
  return projection.reach('read') !== null || projection.mixed.size > 0
}

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
 * The history of a record for everybody who can see the record. No policy can be checked for a record that was deleted
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
  site: Site,
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
