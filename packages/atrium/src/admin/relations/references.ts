import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { LucidCrud } from '#crud'
import type { Fields } from '#base/columns/fields'
import { ListRequest } from '#crud/internals'
import type { Column } from '#base/columns/column'
import type { Site } from '../views/site.js'
import type { ModelView } from '../views/model_view.js'

/** A column that refers to a record of another model of the site. */
export interface Reference {
  /** Foreign key, in the model's table */
  column: Column
  /** View of the related model */
  view: ModelView
  /** Column of the related model whose value the foreign key contains */
  target: Column
}

/**
 * Returns the belongs-to relations of the model to other models of the site, without those with a hidden column. A
 * foreign key without such a relation is shown as its plain value.
 */
export function referencesOf(site: Site, view: ModelView): Reference[] {
  const references: Reference[] = []
  for (const relation of view.model.$relationsDefinitions.values()) {
    if (relation.type !== 'belongsTo') continue
    relation.boot()
    const other = [...site.models.values()].find(({ model }) => model === relation.relatedModel())
    const column = view.resource.columns.find(relation.foreignKey)
    const target = other?.resource.columns.find(relation.localKey)
    if (other && column && target && !column.hidden && !target.hidden) {
      references.push({ column, view: other, target })
    }
  }
  return references
}

/**
 * Returns a reference with the permissions of the signed-in user.
 *
 * @returns null if the user is not allowed to see the referenced records
 */
export async function followed(ctx: HttpContext, reference: Reference): Promise<Reference | null> {
  if (!(await reference.view.isVisibleTo(ctx))) return null
  const view = await reference.view.for(ctx)
  const target = view.resource.columns.find(reference.target.apiName)
  return target && !target.hidden ? { ...reference, view, target } : null
}

/**
 * Returns the titles of referenced records, by foreign key as text, without records that the viewer is not allowed to
 * see. Runs one query.
 *
 * @param client  default: the client of the view
 */
export async function titlesOf(
  ctx: HttpContext,
  reference: Reference,
  values: readonly unknown[],
  client?: QueryClientContract
): Promise<Map<string, string>> {
  const titles = new Map<string, string>()
  const wanted = [...new Set(values.filter((value) => value !== null && value !== undefined))]
  const seen = wanted.length > 0 ? await followed(ctx, reference) : null
  if (!seen) return titles
  const { view, target } = seen
  const request = new ListRequest(
    [{ type: 'list', column: target, values: wanted, negate: false }],
    [],
    { shape: 'offset', offset: 0, limit: wanted.length },
    'include',
    { count: false, fields: titleFields(view, target) }
  )
  const options = { ...view.callOptions(ctx), ...(client && { client }), keys: true }
  const { data } = await view.crud.getMulti(request, options)
  for (const item of data) titles.set(String(item[target.apiName]), view.titleOf(item))
  return titles
}

/**
 * Returns the titles like `titlesOf`, for pages that can be shown without titles: if the titles cannot be read, returns
 * none, and logs the error unless the policy denied it.
 *
 * @param referring  view of the model that has the reference
 */
export async function titlesIfReadable(
  ctx: HttpContext,
  referring: ModelView,
  reference: Reference,
  values: readonly unknown[]
): Promise<Map<string, string>> {
  try {
    return await titlesOf(ctx, reference, values)
  } catch (error) {
    if ((error as { status?: number }).status !== 403) {
      const { view, column } = reference
      ctx.logger.error(
        { err: error },
        `${referring.name}: the titles of ${view.name} for ${column.apiName} could not be read`
      )
    }
    return new Map()
  }
}

const FIELDS = new WeakMap<ModelView, Map<Column, Fields>>()

/**
 * Returns the fields to read for a title; undefined, for all fields, if custom code reads the record or returns the
 * title.
 */
function titleFields(view: ModelView, target: Column): Fields | undefined {
  const { crud, options, resource } = view
  const isOwn =
    typeof options.title === 'function' || crud.getMulti !== LucidCrud.prototype.getMulti
  /* The title column is only known after the resource is loaded. */
  if (isOwn || !resource.isLoaded) return undefined
  let known = FIELDS.get(view)
  if (!known) FIELDS.set(view, (known = new Map()))
  let fields = known.get(target)
  if (!fields) {
    const { titleColumns } = view
    const columns = resource.fields.filter((one) => one === target || titleColumns.includes(one))
    fields = { columns, computed: new Map() }
    known.set(target, fields)
  }
  return fields
}
