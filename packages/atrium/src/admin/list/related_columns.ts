import type { HttpContext } from '@adonisjs/core/http'
import { RelatedFields } from '#crud/internals'
import type { Column } from '#base/columns/column'
import { filterPlace } from '#base/columns/filter'
import type { ModelView } from '../views/model_view.js'
import type { Site } from '../views/site.js'
import { PREFIX } from './list_address.js'

/**
 * Returns the fields of related records that the filters of a list's query name. The signed-in user has to see the
 * related model in the site. [W8]
 */
export async function relatedIn(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  query: string
): Promise<RelatedFields | undefined> {
  const names = [...new URLSearchParams(query).keys()].flatMap((name) =>
    name.startsWith(PREFIX) ? filterPlace(name.slice(PREFIX.length), () => false).name : []
  )
  const related = names.filter((name) => name.includes('.'))
  return related.length === 0 ? undefined : await relatedFields(ctx, site, view, related)
}

/** Returns a column of related records by its name, such as `distributor.name`. */
export async function relatedColumn(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  name: string
): Promise<Column | undefined> {
  if (!name.includes('.')) return undefined
  const fields = await relatedFields(ctx, site, view, [name])
  return fields.columns.get(name)
}

/** Returns the columns of all relations of a model that the signed-in user can filter by. */
export async function relatedColumns(
  ctx: HttpContext,
  site: Site,
  view: ModelView
): Promise<Column[]> {
  const names: string[] = []
  for (const relation of view.model.$relationsDefinitions.values()) {
    if (!relation.serializeAs) continue
    relation.boot()
    const other = viewOf(site, relation.relatedModel())
    for (const { apiName } of other?.resource.fields ?? []) {
      names.push(`${relation.serializeAs}.${apiName}`)
    }
  }
  const fields = await relatedFields(ctx, site, view, names)
  return [...fields.columns.values()]
}

/** Returns the label of a column, with those of its relations: `Distributor: Name`. */
export function columnLabel(site: Site, view: ModelView, apiName: string): string {
  const [field, ...relations] = apiName.split('.').reverse()
  const labels: string[] = []
  let from: ModelView | undefined = view
  for (const name of relations.reverse()) {
    labels.push(from?.labelOf(name) ?? name)
    from = from && relatedView(site, from, name)
  }
  return [...labels, from?.labelOf(field) ?? field].join(': ')
}

async function relatedFields(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  names: readonly string[]
): Promise<RelatedFields> {
  const { actor, client } = view.callOptions(ctx)
  return await RelatedFields.of(view.resource, names, {
    actor,
    client,
    admits: async ({ resource }) => {
      const other = viewOf(site, resource.model)
      return other !== undefined && (await other.isVisibleTo(ctx))
    },
  })
}

function relatedView(site: Site, view: ModelView, name: string): ModelView | undefined {
  const all = [...view.model.$relationsDefinitions.values()]
  const relation = all.find(({ serializeAs }) => serializeAs === name)
  relation?.boot()
  return relation && viewOf(site, relation.relatedModel())
}

function viewOf(site: Site, model: unknown): ModelView | undefined {
  return [...site.models.values()].find((one) => one.model === model)
}
