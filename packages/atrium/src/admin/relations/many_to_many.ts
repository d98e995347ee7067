import type { HttpContext } from '@adonisjs/core/http'
import type { Column } from '#base/columns/column'
import type { PivotRelation } from '#base/lucid/pivot_relation'
import type { ModelView, ViewSite } from '../model_view.js'
import { personal } from '../permissions/may.js'
import type { Reference } from './references.js'

/**
 * A many-to-many relation of a view to another model of the site. [R3]
 */
export interface ManyToMany {
  /** Name in the API, and of the field */
  name: string
  label: string
  relation: PivotRelation
  /** Choices and titles are those of a reference to the other model. */
  reference: Reference
}

/**
 * The many-to-many relations of a view, whoever asks.
 */
export function manyToManyOf(site: ViewSite, view: ModelView): ManyToMany[] {
  return view.manyToMany.flatMap((relation): ManyToMany[] => {
    const other = [...site.models.values()].find(({ model }) => model === relation.relatedModel)
    const [own, target] = [view, other].map((one, index) => {
      const attribute = relation.attributes[index]
      return one?.resource.columns.all.find((column) => column.attribute === attribute)
    })
    if (!other || !own || !target || isHidden(own) || isHidden(target)) return []
    const { name } = relation
    const reference = { column: own, view: other, target }
    return [{ name, label: view.labelOf(name), relation, reference }]
  })
}

/**
 * The many-to-many relations of a view, as the signed-in user may see them: without those whose other model they may
 * not view, or whose field their roles hide on any record. [U4]
 *
 * @param view  as their roles leave it
 */
export async function seenManyToMany(
  ctx: HttpContext,
  site: ViewSite,
  view: ModelView
): Promise<ManyToMany[]> {
  const { projection } = view.resource
  const relations = manyToManyOf(site, view).filter(
    ({ name }) => !projection?.hidden.has(name) && !projection?.mixed.has(name)
  )
  const seen = await Promise.all(
    relations.map(async (one) => {
      const { column, target, view: other } = one.reference
      if (!(await other.isVisibleTo(ctx))) return null
      if (!other.resource.isLoaded) await other.resource.load()
      const own = await personal(ctx, other)
      const found = own?.resource.columns.find(target.apiName)
      if (!own || !found || isHidden(found)) return null
      return { ...one, reference: { column, view: own, target: found } }
    })
  )
  return seen.filter((one) => one !== null)
}

/** A key is shown by every link. */
function isHidden({ hidden, isPrimary }: Column): boolean {
  return hidden && !isPrimary
}
