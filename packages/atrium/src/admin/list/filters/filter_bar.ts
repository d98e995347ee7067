import type { HttpContext } from '@adonisjs/core/http'
import type { Column } from '#base/columns/column'
import { type ReadFilter, MOST_CONDITIONS, MOST_GROUPS } from '#base/columns/filter'
import { LucidCrud } from '#crud'
import { countsValues } from '#crud/internals'
import type { Site } from '../../views/site.js'
import { formFields } from '../../forms/fields/form_fields.js'
import type { ModelView } from '../../views/model_view.js'
import { referencesOf } from '../../relations/references.js'
import type { ListParameters } from '../list_parameters.js'
import { filterWords, groupInWords, type FilterWords } from './filter_words.js'
import { formOf } from './form_operators.js'
import { digest } from '#base/values/digest'
import { lastIn } from '../list_address.js'

const KNOWN_VALUES = new WeakMap<ModelView, Map<string, readonly string[]>>()

/**
 * Returns the possible values of a column if they are few and known: from its database type, a schema, or true and
 * false. The view's resource must be loaded.
 *
 * @returns undefined if any value is possible
 */
export function chosenValues(
  site: Site,
  view: ModelView,
  column: Column
): readonly string[] | undefined {
  let known = KNOWN_VALUES.get(view)
  if (!known) KNOWN_VALUES.set(view, (known = choicesOfForms(site, view)))
  if (column.kind === 'boolean') return ['true', 'false']
  return known.get(column.apiName) ?? column.choices ?? undefined
}

/** Returns the fields of the create form and those of the update form. */
export function fieldsOfForms(site: Site, view: ModelView) {
  return [...formFields(site, view, 'create'), ...formFields(site, view, 'update')]
}

/*
 * Returns the values that the create form or the update form offers, as one form may offer fewer values than are
 * stored.
 */
function choicesOfForms(site: Site, view: ModelView): Map<string, readonly string[]> {
  const choices = new Map<string, Set<string>>()
  for (const field of fieldsOfForms(site, view)) {
    if (!field.choices || field.multiple || field.hidden) continue
    const values = choices.get(field.name) ?? new Set<string>()
    for (const value of field.choices) values.add(String(value))
    choices.set(field.name, values)
  }
  return new Map([...choices].map(([name, values]) => [name, [...values]]))
}

const KNOWN = new WeakMap<ModelView, readonly Column[]>()

/**
 * Returns the columns with facets: those of the option `facets`, otherwise enums, booleans and references. Excludes
 * columns that the viewer cannot see on every record; empty if custom code selects the records. The view's resource
 * must be loaded.
 */
export function facetColumns(site: Site, view: ModelView): readonly Column[] {
  let columns = KNOWN.get(view)
  if (!columns) KNOWN.set(view, (columns = columnsOf(site, view)))
  return columns
}

function columnsOf(site: Site, view: ModelView): Column[] {
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

function isUsual(site: Site, view: ModelView, column: Column): boolean {
  const { softDelete } = view.resource
  if (column.isPrimary || column.apiName === softDelete?.flag?.apiName) return false
  const isReference = referencesOf(site, view).some(
    (reference) => reference.column.apiName === column.apiName
  )
  return isReference || chosenValues(site, view, column) !== undefined
}

/** A filter for display, with the URLs that change it. */
interface FilterChip extends FilterWords {
  /** URL of the form that edits the filter; null if the form cannot express it */
  edit: string | null
  /** URL of the list without the filter */
  url: string
}

/** A filter, or the alternatives of a group. */
interface FilterGroup {
  filters: FilterChip[]
  /** All filters of the group in words, such as `Any of: Major genre is Drama or IMDB rating is at least 8` */
  text: string
  isGroup: boolean
  /** URL of the form for an alternative; null if the maximum is reached */
  or: string | null
  /** URL of the list without the filter or the whole group */
  url: string
}

/** The bar of filters and facets above the table of a list. */
export interface FilterBar {
  /** Active filters for display */
  groups: FilterGroup[]
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
  site: Site,
  view: ModelView,
  parameters: ListParameters
): Promise<FilterBar> {
  const { filters } = parameters
  const passed = filters.filter(({ condition }) => condition)
  const words = passed.length > 0 ? await filterWords(ctx, site, view, passed) : []
  const chips = new Map(
    passed.map((filter, index) => [filter, chipOf(parameters, filter, words[index])])
  )
  const groups = Map.groupBy(passed, (filter) => filter.group ?? filter)
  return {
    groups: [...groups.values()].map((some) => ({
      filters: some.map((filter) => chips.get(filter)!),
      text: groupInWords(
        site,
        some.map((filter) => chips.get(filter)!)
      ),
      isGroup: some.length > 1,
      or: formUrl(parameters, { edited: undefined, first: some[0] }),
      url: parameters.without(some).url,
    })),
    clear: filters.length > 0 ? parameters.without(filters).url : null,
    add: formUrl(parameters, { edited: undefined, first: undefined }),
    facets: facetColumns(site, view).length > 0 ? parameters.urlBelow('/facets') : null,
  }
}

function chipOf(parameters: ListParameters, filter: ReadFilter, words: FilterWords): FilterChip {
  const isOfModel = parameters.view.resource.fields.includes(filter.column!)
  const isShown = isOfModel && formOf(filter, []) !== null
  const edit = isShown ? formUrl(parameters, { edited: filter, first: undefined }) : null
  return { ...words, edit, url: parameters.without(filter).url }
}

function formUrl(parameters: ListParameters, target: Target): string | null {
  if (isFull(parameters, target)) return null
  return parameters.urlBelow('/filter', Object.fromEntries(targetFields(target)))
}

/** The filter that a form edits, or to which it adds an alternative. */
export interface Target {
  /** The filter that is replaced */
  edited: ReadFilter | undefined
  /** The filter that gets an alternative: one of a group, or one that becomes the first of a new group */
  first: ReadFilter | undefined
}

/** Names of the form's parameters for the target. */
export const TARGET = { edited: 'add.at', first: 'add.or' } as const

/** Returns a short text that identifies a filter of a list, whatever its position. */
export function filterId({ name, text }: ReadFilter): string {
  return digest(`${name}=${text}`, 'base64url').slice(0, 12)
}

/** Returns the target that the parameters of the form name; filters that the list no longer has are undefined. */
export function targetIn({ filters }: ListParameters, given: URLSearchParams): Target {
  const find = (name: string) =>
    given.has(name) ? filters.find((one) => filterId(one) === lastIn(given, name)) : undefined
  return { edited: find(TARGET.edited), first: find(TARGET.first) }
}

/** Returns the target's parameters, for the form's fields and links. */
export function targetFields({ edited, first }: Target): Array<[name: string, text: string]> {
  return [
    ...(edited ? [[TARGET.edited, filterId(edited)] as [string, string]] : []),
    ...(first ? [[TARGET.first, filterId(first)] as [string, string]] : []),
  ]
}

/**
 * Returns true if the list has the maximum number of filters, or of groups if the target needs a new one; false for a
 * filter that is edited.
 */
export function isFull({ filters }: ListParameters, { edited, first }: Target): boolean {
  if (edited) return false
  const groups = new Set(filters.map(({ group }) => group).filter((group) => group !== null))
  const needsGroup = first?.group === null && groups.size >= MOST_GROUPS
  return filters.length >= MOST_CONDITIONS || needsGroup
}

/** Returns the first page of the list with a new filter: in the place of another one, in a group, or at the end. */
export function withFilter(
  parameters: ListParameters,
  filter: ReadFilter,
  { edited, first }: Target
): ListParameters {
  const { filters } = parameters
  if (edited) {
    const replaced = inGroup(filter, edited.group)
    return withAll(filters.map((one) => (one === edited ? replaced : one)))
  }
  if (!first) return withAll([...filters, filter])
  const group = first.group ?? 1 + Math.max(0, ...filters.map((one) => one.group ?? 0))
  const grouped = filters.map((one) => (one === first ? inGroup(one, group) : one))
  const last = grouped.findLastIndex((one) => one.group === group)
  return withAll(grouped.toSpliced(last + 1, 0, inGroup(filter, group)))

  function withAll(all: ReadFilter[]): ListParameters {
    return parameters.with({ page: 1, filters: all })
  }
}

function inGroup(filter: ReadFilter, group: number | null): ReadFilter {
  const name = filter.group === null ? filter.name : filter.name.replace(/^any\.\d+\./, '')
  return { ...filter, group, name: group === null ? name : `any.${group}.${name}` }
}
