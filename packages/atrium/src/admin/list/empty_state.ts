import type { Site } from '../views/site.js'
import {
  MOST_CONDITIONS,
  MOST_GROUPS,
  type FilterError,
  type ReadFilter,
} from '#base/columns/filter'
import type { ModelView } from '../views/model_view.js'
import { cutText } from './cell.js'
import type { ListParameters } from './list_parameters.js'
import { filterParameter, searchIn } from './list_address.js'

/** Message of a list without records: the reason, and a link to the next step. */
export interface EmptyState {
  heading: string
  text: string
  /** `isPage`: leads to another page, not to this list with another query */
  link: { url: string; label: string; isPage?: boolean } | null
  /** Link to the import, next to the link that creates the first record */
  importLink: { url: string; label: string } | null
}

interface EmptyStateOptions {
  failed: boolean
  /** True if the viewer can see only some records of the model */
  isScoped: boolean
  /** True for the list of access tokens, which are created on the page of the account */
  isOfTokens: boolean
  /** Singular and plural of the model for use in a sentence */
  words: { one: string; many: string }
  /** Label of the column that was searched */
  label: string
  links: { create: string | null; import: string | null; all: string; unfiltered: string }
}

export function emptyState(
  site: Site,
  parameters: ListParameters,
  { failed, isScoped, isOfTokens, words, label: column, links }: EmptyStateOptions
): EmptyState {
  const say = (key: string, link: EmptyState['link'], data: Record<string, string> = {}) => ({
    heading: site.text(`list.${key.split('.')[0]}.heading`, words),
    text: site.text(`list.${key}`, { ...words, ...data }),
    link,
    importLink: null,
  })
  if (failed) {
    return say('failed.text', { url: parameters.url, label: site.text('list.failed.retry') })
  }
  if (parameters.filters.some(({ condition }) => condition)) {
    const clear = { url: links.unfiltered, label: site.text('list.filters.clear') }
    return say('none.filtered', clear)
  }
  if (parameters.q !== '') {
    const clear = { url: links.all, label: site.text('list.search.clear') }
    return say('none.words', clear, { text: cutText(parameters.q) })
  }
  if (parameters.condition) {
    const clear = { url: links.all, label: site.text('list.search.clear') }
    return say('none.text', clear, { text: cutText(parameters.search), label: column })
  }
  if (parameters.deleted === 'only') {
    const url = parameters.with({ page: 1, deleted: 'exclude' }).url
    return say('none.deleted', { url, label: site.text('list.none.active', words) })
  }
  if (isOfTokens) {
    const text = site.text('accessTokens.empty')
    const label = site.text('accessTokens.create')
    const link = { url: `${site.url('/account')}#tokens`, label, isPage: true }
    return { ...say('empty.text', link), text }
  }
  const importLink = links.import && { url: links.import, label: site.text('import.open') }
  const group = isScoped ? 'unseen' : 'empty'
  const label = site.text(`list.${group}.add`, words)
  const add = links.create && { url: links.create, label, isPage: true }
  const key = isScoped ? 'text' : emptyText(add, importLink)
  return { ...say(`${group}.${key}`, add || null), importLink: importLink || null }
}

function emptyText(add: unknown, importLink: unknown): string {
  if (add) return importLink ? 'createOrImport' : 'create'
  return importLink ? 'import' : 'text'
}

/** A filter that is ignored, and the reason. */
export interface FilterNote {
  text: string
  /** URL of the list without the filter; null if the URL would reveal something that the viewer cannot see */
  url: string | null
}

/** Returns notes about the ignored filters of a list. */
export function filterNotes(site: Site, view: ModelView, parameters: ListParameters): FilterNote[] {
  const ofOthers = parameters.errors.filter((filter) => parameters.isWithheld(filter))
  const tooMany = parameters.errors.filter(({ error }) => error!.reason === 'number')
  if (tooMany.length > 0) {
    const limits = { conditions: MOST_CONDITIONS, groups: MOST_GROUPS }
    const { url } = parameters.without(parameters.filters)
    return [{ text: site.text('list.filters.tooMany', limits), url }]
  }
  const own = parameters.errors.filter((filter) => !ofOthers.includes(filter))
  const notes = own.map((filter) => ({
    text: site.text('list.filters.ignored', { ...namedOf(filter), why: why(site, view, filter) }),
    url: parameters.without(filter).url,
  }))
  if (ofOthers.length === 0) return notes
  return [
    { text: site.text('list.filters.withheld', { count: ofOthers.length }), url: null },
    ...notes,
  ]
}

function namedOf(filter: ReadFilter) {
  return { name: cutText(filterParameter(filter.name)), text: cutText(filter.text) }
}

/** Returns the reason why a filter is ignored, as a phrase that continues "it ..." or as a sentence. */
export function why(site: Site, { label, resource }: ModelView, filter: ReadFilter): string {
  const { column, error } = filter
  const reason = error!
  const say = (data: Record<string, string> = {}) =>
    site.text(`list.filters.${reason.reason}`, { column: column?.apiName ?? '', label, ...data })
  switch (reason.reason) {
    case 'operator':
      return say({ operators: reason.operators.join(', ') })
    case 'value':
      return say({ message: valueError(site, reason.value) })
    case 'unknown':
      return resource.projection ? site.text('list.filters.unknownOrUnseen') : say()
    default:
      return say()
  }
}

function valueError(site: Site, error: Extract<FilterError, { reason: 'value' }>['value']): string {
  const key = error.reason === 'kind' ? `kinds.${error.kind}` : error.reason
  const given = Object.entries(error).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? cutText(value) : value,
  ])
  return site.text(`list.filters.values.${key}`, Object.fromEntries(given))
}

/** A part of a list's query that is ignored, so that the list contains more records than requested. */
type UnreadPart = { filter: string } | { search: string } | { view: true }

/**
 * Returns the first part of a list's query that is ignored. Actions on all records of such a list are refused.
 *
 * @param query  original query string
 * @returns null if no part is ignored
 */
export function unreadPart(
  site: Site,
  view: ModelView,
  parameters: ListParameters,
  query: string
): UnreadPart | null {
  const [error] = filterNotes(site, view, parameters)
  if (error) return { filter: error.text }
  if (parameters.isUnsearchable || missesColumn(parameters, query)) {
    return { search: cutText(parameters.search || parameters.q || query) }
  }
  return parameters.settings.isGone ? { view: true } : null
}

/** Returns true if the search column does not exist for the user, so that the list is not filtered. */
function missesColumn({ column, q }: ListParameters, query: string): boolean {
  const { text } = searchIn(new URLSearchParams(query))
  return text !== '' && column === null && q === ''
}
