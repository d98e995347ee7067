import type { HttpContext } from '@adonisjs/core/http'
import type { RelationshipsContract } from '@adonisjs/lucid/types/relations'
import type { Column } from '#base/columns/column'
import type { ModelView, ViewSite } from '../../views/model_view.js'
import { personal } from '../../permissions/may.js'
import {
  inlineOptions,
  DEFAULT_UNUSED_ROWS,
  type InlineOptions,
} from '../../views/relation_options.js'

/** A relation whose rows are in the form of their parent. */
export interface Inline {
  /** Name of the relation, and prefix of the names of inputs: `items` in `items.0.quantity` */
  name: string
  label: string
  /** View of the rows */
  view: ModelView
  /** Foreign key of the rows */
  column: Column
  /** Column of the parent that the foreign key refers to */
  target: Column
  /** API names in the option `fields`; undefined without the option */
  fields: readonly string[] | undefined
  /** Column that stores the order of the rows */
  sort: Column | undefined
  /** Number of blank rows without JavaScript */
  spare: number
  /** Figures below the rows, such as `amount:sum` */
  summaries: readonly string[]
  /** True for a `hasOne` relation */
  isOne: boolean
}

/**
 * Returns all inlines of a view, regardless of permissions. Invalid ones, which the check at boot reports, are left
 * out.
 */
export function inlinesOf(site: ViewSite, view: ModelView): Inline[] {
  return inlineOptions(view.options.inlines).flatMap((options) => {
    const relation = view.model.$relationsDefinitions.get(options.relation)
    return (relation && inlineOf(site, view, relation, options)) ?? []
  })
}

/**
 * Returns the inlines of a view that the signed-in user can see.
 *
 * @param view  the view, limited by the user's roles
 */
export async function seenInlines(
  ctx: HttpContext,
  site: ViewSite,
  view: ModelView
): Promise<Inline[]> {
  const inlines = inlinesOf(site, view)
  if (inlines.length === 0) return []
  const seen = await Promise.all(
    inlines.map(async (inline) => {
      if (!(await inline.view.isVisibleTo(ctx))) return null
      if (!inline.view.resource.isLoaded) await inline.view.resource.load()
      const own = await personal(ctx, inline.view)
      return own && seenAs(inline, own)
    })
  )
  return seen.filter((inline) => inline !== null)
}

function inlineOf(
  site: ViewSite,
  view: ModelView,
  relation: RelationshipsContract,
  options: InlineOptions
): Inline | null {
  if (relation.type !== 'hasMany' && relation.type !== 'hasOne') return null
  relation.boot()
  const model = relation.relatedModel()
  const other = [...site.models.values()].find((one) => one.model === model)
  const column = other?.resource.columns.find(relation.foreignKey)
  const target = view.resource.base.columns.find(relation.localKey)
  if (!other || !column || !target) return null
  const isOne = relation.type === 'hasOne'
  const sortName = options.sort ?? (isOne ? undefined : other.options.orderBy)
  return {
    name: relation.relationName,
    label: options.label ?? (isOne ? other.singular : other.label),
    view: other,
    column,
    target,
    fields: options.fields && [...options.fields],
    sort: sortName === undefined ? undefined : other.resource.columns.find(sortName),
    spare: options.spare ?? DEFAULT_UNUSED_ROWS,
    summaries: isOne ? [] : [...(options.summaries ?? other.options.summaries ?? [])],
    isOne,
  }
}

/** Returns the inline with the user's limited view of the rows; null if the user cannot see the foreign key. */
function seenAs(inline: Inline, view: ModelView): Inline | null {
  const { columns } = view.resource
  const column = columns.find(inline.column.apiName)
  if (!column || column.hidden) return null
  const sort = inline.sort && columns.find(inline.sort.apiName)
  return { ...inline, view, column, sort: sort?.hidden ? undefined : sort }
}
