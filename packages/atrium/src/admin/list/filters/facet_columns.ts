import { LucidCrud } from '#crud'
import { countsValues } from '#crud/internals'
import type { Column } from '#base/columns/column'
import type { AdminSite } from '../../admin_site.js'
import type { ModelView } from '../../model_view.js'
import { referencesOf } from '../../relations/references.js'
import { chosenValues } from './chosen_values.js'

const KNOWN = new WeakMap<ModelView, readonly Column[]>()

/**
 * The columns whose values a list counts: those of the option `facets`, else enums, booleans and references. None
 * that the viewer does not see on every record, nor where code decides about single records. The view's resource
 * must be loaded. [L3]
 */
export function facetColumns(site: AdminSite, view: ModelView): readonly Column[] {
  let columns = KNOWN.get(view)
  if (!columns) KNOWN.set(view, (columns = columnsOf(site, view)))
  return columns
}

function columnsOf(site: AdminSite, view: ModelView): Column[] {
  const { crud, options, resource } = view
  /* An overridden `getMulti` may leave out items. */
  if (crud.getMulti !== LucidCrud.prototype.getMulti) return []
  const wanted = options.facets
    ? [...options.facets].map((name) => resource.fields.find(({ apiName }) => apiName === name))
    : resource.fields.filter((column) => isUsual(site, view, column))
  return wanted.filter(
    (column): column is Column => column !== undefined && countsValues(resource, column)
  )
}

function isUsual(site: AdminSite, view: ModelView, column: Column): boolean {
  const { softDelete } = view.resource
  if (column.isPrimary || column.apiName === softDelete?.flag?.apiName) return false
  const isReference = referencesOf(site, view).some(
    (reference) => reference.column.apiName === column.apiName
  )
  return isReference || chosenValues(site, view, column) !== undefined
}
