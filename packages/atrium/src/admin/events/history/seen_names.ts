import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { identityOf } from '#base/columns/key'
import { reachedOf } from '#crud/internals'
import type { AdminSite } from '../../admin_site.js'
import type { ModelView } from '../../model_view.js'
import { concealedIn } from '../../permissions/concealed_values.js'
import { personal } from '../../permissions/may.js'
import { isSuperuser } from '../pages/event_access.js'

/** True for the name of a logged field that the viewer may see. */
export type SeesName = (name: string) => boolean

/**
 * The logged names that the viewer of a model may see. Without a record, those that their roles show on some
 * records only are left out, as the log does not tell which those were. A name that the model does not have any
 * more is left out for everybody from whom something is hidden. [R9, U4]
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
export async function namesSeenOf(
  ctx: HttpContext,
  site: AdminSite,
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
  const answers = reached.get(identityOf(own)) ?? []
  return new Set(mixed.flatMap(([name], index) => (answers[index] ? [name] : [])))
}

/** The log has the keys of related records, whoever may see them. */
async function withheldRelations(
  ctx: HttpContext,
  site: AdminSite,
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

/** True if somebody who sees the model does not see all of its records, or not all of their fields. */
export function isNarrowed({ resource }: ModelView): boolean {
  const { authorizesRecords, base, projection } = resource
  if (base.scope || authorizesRecords) return true
  if (!projection) return false
  return projection.reach('read') !== null || projection.mixed.size > 0
}
