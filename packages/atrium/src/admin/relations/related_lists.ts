import type { HttpContext } from '@adonisjs/core/http'
import string from '@adonisjs/core/helpers/string'
import type { Column } from '#base/columns/column'
import type { ModelView, ViewSite } from '../model_view.js'
import { personal } from '../permissions/may.js'
import { relatedNames } from './related_option.js'

/**
 * The records of another model that refer to one of the view's: a `hasMany` or `hasOne`. [R4]
 */
export interface RelatedList {
  /** Name of the relation */
  name: string
  label: string
  /** View of the records that refer */
  view: ModelView
  /** Their column that refers */
  column: Column
  /** Column of the view's own model that is referred to */
  target: Column
}

/**
 * The lists that refer to the view's records, of models on the site, whoever asks.
 */
export function relatedListsOf(site: ViewSite, view: ModelView): RelatedList[] {
  const relations = relatedNames(view.model, view.options.related).map((name) =>
    view.model.$relationsDefinitions.get(name)!
  )
  const models = relations.map((relation) => {
    relation.boot()
    return relation.relatedModel()
  })
  return relations.flatMap((relation, index): RelatedList[] => {
    if (relation.type !== 'hasMany' && relation.type !== 'hasOne') return []
    const other = [...site.models.values()].find(({ model }) => model === models[index])
    const column = other?.resource.columns.find(relation.foreignKey)
    const target = view.resource.columns.find(relation.localKey)
    if (!other || !column || !target || column.hidden || target.hidden) return []
    const isOnlyOne = models.filter((model) => model === other.model).length === 1
    const name = relation.relationName
    const label = isOnlyOne ? other.label : string.sentenceCase(name)
    return [{ name, label, view: other, column, target }]
  })
}

/**
 * The lists that refer to the view's records, as the signed-in user may see them. [U4]
 *
 * @param view  as their roles leave it
 */
export async function seenRelatedLists(
  ctx: HttpContext,
  site: ViewSite,
  view: ModelView
): Promise<RelatedList[]> {
  const lists = await Promise.all(
    relatedListsOf(site, view).map(async (list) => {
      if (!(await list.view.isVisibleTo(ctx))) return null
      if (!list.view.resource.isLoaded) await list.view.resource.load()
      const own = await personal(ctx, list.view)
      const column = own?.resource.columns.find(list.column.apiName)
      return own && column && !column.hidden ? { ...list, view: own, column } : null
    })
  )
  return lists.filter((list) => list !== null)
}
