import type { HttpContext } from '@adonisjs/core/http'
import { LucidCrud } from '#crud'
import type { Fields } from '#crud/request/fields'
import { ListRequest } from '#crud/request/list_request'
import type { Column } from '#crud/resource/column'
import type { AdminSite } from '../admin_site.js'
import type { ModelView } from '../model_view.js'

/**
 * A column that refers to a record of another model of the site.
 */
export interface Reference {
  /** The foreign key, on the model itself */
  column: Column
  /** The other model */
  view: ModelView
  /** What the foreign key holds, on the other model */
  target: Column
}

/**
 * The model's belongs-to relations whose other side stands in the site. What is not in the site is
 * nobody's to see here, so such a column stays the number it is.
 */
export function referencesOf(site: AdminSite, view: ModelView): Reference[] {
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
 * What the records that the values refer to are called, by value as text; those that the viewer may
 * not see are left out. One query.
 */
export async function titlesOf(
  ctx: HttpContext,
  { view, target }: Reference,
  values: readonly unknown[]
): Promise<Map<string, string>> {
  const titles = new Map<string, string>()
  const wanted = [...new Set(values.filter((value) => value !== null && value !== undefined))]
  if (wanted.length === 0 || !(await view.isVisibleTo(ctx))) return titles
  const request = new ListRequest(
    [{ type: 'list', column: target, values: wanted, negate: false }],
    [],
    { shape: 'offset', offset: 0, limit: wanted.length },
    'include',
    { count: false, fields: titleFields(view, target) }
  )
  const options = { ...view.callOptions(ctx), keys: true }
  const { data } = await view.crud.getMulti(request, options)
  for (const item of data) titles.set(String(item[target.wire]), view.titleOf(item))
  return titles
}

const FIELDS = new WeakMap<Column, Fields>()

/** Of a record that is only to be named no more is read, unless code of one's own reads or names it. */
function titleFields(view: ModelView, target: Column): Fields | undefined {
  const { crud, options, resource } = view
  const isOwn =
    typeof options.title === 'function' || crud.getMulti !== LucidCrud.prototype.getMulti
  /* Which column it is named by is known only then. */
  if (isOwn || !resource.isLoaded) return undefined
  let fields = FIELDS.get(target)
  if (!fields) {
    const { titleColumn } = view
    const columns = resource.fields.filter((one) => one === target || one === titleColumn)
    fields = { columns, computed: new Map() }
    FIELDS.set(target, fields)
  }
  return fields
}
