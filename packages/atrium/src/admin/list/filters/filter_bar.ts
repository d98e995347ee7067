import type { HttpContext } from '@adonisjs/core/http'
import type { Column } from '#base/columns/column'
import { MOST_CONDITIONS, type ReadFilter } from '#base/columns/filter'
import { LucidCrud } from '#crud'
import { countsValues } from '#crud/internals'
import type { AdminSite } from '../../admin_site.js'
import { formFields } from '../../forms/fields/form_fields.js'
import type { ModelView } from '../../views/model_view.js'
import { referencesOf } from '../../relations/references.js'
import type { ListParameters } from '../list_parameters.js'
import { filterWords, type FilterWords } from './filter_words.js'

const KNOWN_VALUES = new WeakMap<ModelView, Map<string, readonly string[]>>()

/**
 * Returns the possible values of a column if they are few and known: from its database type, a schema, or true and
 * false. The view's resource must be loaded.
 *
 * @returns undefined if any value is possible
 */
export function chosenValues(
  site: AdminSite,
  view: ModelView,
  column: Column
): readonly string[] | undefined {
  let known = KNOWN_VALUES.get(view)
  if (!known) KNOWN_VALUES.set(view, (known = choicesOfForms(site, view)))
  if (column.kind === 'boolean') return ['true', 'false']
  return known.get(column.apiName) ?? column.choices ?? undefined
}

/* Joins the values of the create and update form, as a form may offer fewer values than are stored. */
function choicesOfForms(site: AdminSite, view: ModelView): Map<string, readonly string[]> {
  const choices = new Map<string, Set<string>>()
  for (const mode of ['create', 'update'] as const) {
    for (const field of formFields(site, view, mode)) {
      if (!field.choices || field.multiple || field.hidden) continue
      const values = choices.get(field.name) ?? new Set<string>()
      for (const value of field.choices) values.add(String(value))
      choices.set(field.name, values)
    }
  }
  return new Map([...choices].map(([name, values]) => [name, [...values]]))
}

const KNOWN = new WeakMap<ModelView, readonly Column[]>()

/**
 * Returns the columns with facets: those of the option `facets`, otherwise enums, booleans and references. Excludes
 * columns that the viewer cannot see on every record; empty if custom code decides about single records. The view's
 * resource must be loaded. [L3]
 */
export function facetColumns(site: AdminSite, view: ModelView): readonly Column[] {
  let columns = KNOWN.get(view)
  if (!columns) KNOWN.set(view, (columns = columnsOf(site, view)))
  return columns
}

function columnsOf(site: AdminSite, view: ModelView): Column[] {
  const { crud, options, resource } = view
  /* A custom `getMulti` may omit items, so counts would be wrong. */
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

/**
 * The bar of filters and facets above the table of a list. [L2, L3]
 */
export interface FilterBar {
  /** Active filters for display, each with the URL of the list without the filter */
  filters: Array<FilterWords & { url: string }>
  /** URL of the list without filters; null if there are none */
  clear: string | null
  /** URL of the form to add a filter; null if the maximum is reached */
  add: string | null
  /** URL of the facets; null if the list has none */
  facets: string | null
}

/** Returns the filter bar of a list. */
export async function filterBar(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  parameters: ListParameters
): Promise<FilterBar> {
  const { filters } = parameters
  const passed = filters.filter(({ condition }) => condition)
  const words = passed.length > 0 ? await filterWords(ctx, site, view, passed) : []
  const said = new Map(passed.map((filter, index) => [filter, words[index]]))
  return {
    filters: chipsOf(passed).map((chip) => ({
      ...chipWords(
        site,
        chip.map((filter) => said.get(filter)!),
        chip[0].group !== null
      ),
      url: parameters.without(chip).url,
    })),
    clear: filters.length > 0 ? parameters.without(filters).url : null,
    add: filters.length < MOST_CONDITIONS ? parameters.urlBelow('/filter') : null,
    facets: facetColumns(site, view).length > 0 ? parameters.urlBelow('/facets') : null,
  }
}

/** Returns the filters of each chip: all of a group, or a single one. */
function chipsOf(filters: readonly ReadFilter[]): ReadFilter[][] {
  return [...Map.groupBy(filters, (filter) => filter.group ?? filter).values()]
}

function chipWords(site: AdminSite, words: FilterWords[], isGroup: boolean): FilterWords {
  if (!isGroup) return words[0]
  const alternatives = words.map(({ label, text }) => `${label} ${text}`)
  const or = site.text('list.filters.says.or')
  return { label: site.text('list.filters.says.anyOf'), text: alternatives.join(` ${or} `) }
}
