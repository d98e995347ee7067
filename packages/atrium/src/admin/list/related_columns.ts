import type { HttpContext } from '@adonisjs/core/http'
import { RelatedFields } from '#crud/internals'
import type { Column } from '#base/columns/column'
import { filterPlace } from '#base/columns/filter'
import type { ModelView } from '../views/model_view.js'
import type { Site } from '../views/site.js'
import { isRelated } from '../views/related_columns.js'
import { columnChoices } from './columns/column_choices.js'
import { lastIn, PREFIX } from './list_address.js'

/**
 * Returns the fields of related records that the filters and the order of a list's query name, and those that the list
 * can show; undefined if there are none. Models that the signed-in user cannot see in the site are left out.
 */
export async function relatedIn(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  query: string
): Promise<RelatedFields | undefined> {
  const given = new URLSearchParams(query)
  const filters = [...given.keys()].flatMap((name) =>
    name.startsWith(PREFIX) ? filterPlace(name.slice(PREFIX.length), () => false).name : []
  )
  const sorts = (lastIn(given, 'sort_by') ?? '').split(',')
  const names = [...filters, ...sorts, ...columnChoices(view).all.keys()]
  const related = [...new Set(names)].filter(isRelated)
  return related.length === 0 ? undefined : await relatedFields(ctx, site, view, related)
}

/**
 * Returns a column of related records by its name, such as `distributor.name`; undefined if the user cannot filter by
 * it.
 */
export async function relatedColumn(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  name: string
): Promise<Column | undefined> {
  if (!isRelated(name)) return undefined
  const fields = await relatedFields(ctx, site, view, [name])
  return fields.columns.get(name)
}

/** Returns the columns of all relations of a model that the signed-in user can filter by. */
export async function relatedColumns(
  ctx: HttpContext,
  site: Site,
  view: ModelView
): Promise<Column[]> {
  const names = [...columnChoices(view).all.keys()].filter(isRelated)
  for (const relation of view.model.$relationsDefinitions.values()) {
    if (!relation.serializeAs) continue
    relation.boot()
    const other = viewOf(site, relation.relatedModel())
    for (const { apiName } of other?.resource.fields ?? []) {
      names.push(`${relation.serializeAs}.${apiName}`)
    }
  }
  const fields = await relatedFields(ctx, site, view, [...new Set(names)])
  return [...fields.columns.values()]
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

function viewOf(site: Site, model: unknown): ModelView | undefined {
  return [...site.models.values()].find((one) => one.model === model)
}
