import type { Condition } from '#base/columns/condition'
import type { SortInput } from '#base/columns/sort'
import { conditionsOfWords, searchedColumns, searchedNames } from '#base/columns/search_condition'
import { shown } from '#base/errors'
import { fromQuery } from '#base/values/from_query'
import { invalidParameter } from '#base/http/problems'
import type { CrudConfig } from '../define_config.js'
import type { Resource } from '../resource/resource.js'
import { countIn } from '#base/values/numbers'
import { PAGING, type PagingInput } from './list_grammar.js'
import type { QueryString } from './query_string.js'

/** Parameters of json-server, in addition to those of the list. */
const PARAMETERS = ['_start', '_end', '_page', '_limit', '_sort', '_order', 'q'] as const

/** Operators of refine's parameters, such as `price_gte` */
const OPERATORS: Readonly<Record<string, string>> = {
  ne: 'ne',
  gt: 'gt',
  gte: 'gte',
  lt: 'lt',
  lte: 'lte',
  like: 'contains',
}

/** Items of a page when `_page` is given without `_limit`, as in json-server */
const PER_PAGE = 10

/** Maximum number of values of the key, as in a filter with `in` */
const MOST_VALUES = 1000

/** Name and value of a declared filter */
type FilterInput = readonly [name: string, text: string]

/**
 * The input of a list in the dialect of json-server; undefined parts are read as in the engine's own grammar.
 */
interface JsonServerInput {
  filters: FilterInput[]
  conditions: Condition[]
  sort: SortInput[] | undefined
  paging: PagingInput | undefined
}

/**
 * Translates the parameters of json-server into the input of a list. Only declared filters of the model apply.
 *
 * @throws Problem 422  for an invalid value, or parameters that cannot be combined
 */
export function jsonServerInput(
  resource: Resource,
  query: QueryString,
  pagination: CrudConfig['pagination']
): JsonServerInput {
  const keys = keysIn(resource, query)
  return {
    filters: refineFilters(resource, query),
    conditions: [...keys.conditions, ...searchConditions(resource, query)],
    sort: sortIn(query),
    paging:
      pagingIn(query) ?? (keys.number > pagination.limit ? ofAllKeys(query, keys) : undefined),
  }
}

/** Returns the known parameters, for `strictQuery`. */
export function jsonServerParameters(resource: Resource, query: QueryString): string[] {
  const refined = refineFilters(resource, query, ({ sent }) => sent).map(([name]) => name)
  return [...PARAMETERS, ...refined, ...keyNames(resource)]
}

/**
 * True if a filter is read as a list of keys: it has the name of the key, and was sent more than once or is not
 * declared.
 */
export function isKeyList(resource: Resource, query: QueryString, name: string): boolean {
  if (!keyNames(resource).includes(name) || !query.has(name)) return false
  return !resource.filters.get(name) || query.all(name).length > 1
}

/** Returns the API name of the key, by which the list can be filtered; none for a composite or a hidden key. */
function keyNames({ key, fields }: Resource): string[] {
  const [column, ...others] = key.columns
  const isShown = fields.some(({ apiName }) => apiName === column.apiName)
  return others.length === 0 && isShown ? [column.apiName] : []
}

function keysIn(resource: Resource, query: QueryString) {
  const name = keyNames(resource).find((one) => isKeyList(resource, query, one))
  if (name === undefined) return { number: 0, conditions: [] }
  const texts = query.all(name)
  if (texts.length > MOST_VALUES) {
    throw invalidParameter(name, 'in', `must be given ${MOST_VALUES} times at most`)
  }
  const [column] = resource.key.columns
  const values = texts.map((text) => {
    const value = fromQuery(column, text)
    if (value === null) throw invalidParameter(name, 'in', `has the invalid value ${shown(text)}`)
    return value
  })
  const condition: Condition = { type: 'list', column, values, negate: false }
  return { number: texts.length, conditions: [condition] }
}

/** Returns the paging of a list of keys without paging parameters: all of its records. */
function ofAllKeys(query: QueryString, { number }: { number: number }): PagingInput | undefined {
  return PAGING.some((name) => query.has(name)) ? undefined : { limit: String(number) }
}

/**
 * Returns the conditions of the search `q`.
 *
 * @throws Problem 422  for more words or characters than a search can have
 */
function searchConditions(resource: Resource, query: QueryString): Condition[] {
  const text = resource.filters.get('q') ? '' : (query.get('q') ?? '').trim()
  if (text === '') return []
  const columns = searchedColumns(resource.fields, searchedNames(resource.model))
  const conditions = conditionsOfWords(columns, text)
  if (conditions) return conditions
  throw invalidParameter('q', 'search', 'must have 10 words and 200 characters at most')
}

function sortIn(query: QueryString): SortInput[] | undefined {
  const names = query.get('_sort') ?? ''
  if (names === '') return undefined
  if (query.has('sort')) throw conflict('_sort', 'sort')
  const orders = (query.get('_order') ?? '').toLowerCase().split(',')
  return names.split(',').map((part, index) => {
    const order = orders[index] ?? ''
    if (!['', 'asc', 'desc'].includes(order)) {
      throw invalidParameter('_order', 'enum', 'must be asc or desc, for each name of _sort')
    }
    const isMinus = part.startsWith('-')
    const isDescending = order === '' ? isMinus : order === 'desc'
    return { name: isMinus ? part.slice(1) : part, direction: isDescending ? 'desc' : 'asc' }
  })
}

/** Returns the paging; undefined without parameters of json-server */
function pagingIn(query: QueryString): PagingInput | undefined {
  const start = numberIn(query, '_start', 0)
  const end = numberIn(query, '_end', 0)
  const page = numberIn(query, '_page', 1)
  const limit = numberIn(query, '_limit', 0)
  const sent = Object.entries({ _start: start, _end: end, _page: page, _limit: limit })
  const first = sent.find(([, value]) => value !== undefined)?.[0]
  if (first === undefined) return undefined

  const own = PAGING.find((name) => query.has(name))
  if (own) throw conflict(first, own)
  if (page !== undefined) {
    if (start !== undefined || end !== undefined) throw conflict('_page', first)
    const size = limit ?? PER_PAGE
    return pagingInput(Math.min((page - 1) * size, Number.MAX_SAFE_INTEGER), size)
  }
  const offset = start ?? 0
  if (end === undefined) return pagingInput(offset, limit)
  if (end < offset) throw invalidParameter('_end', 'min', 'must not be less than _start')
  return pagingInput(offset, end - offset)
}

function pagingInput(offset: number, limit: number | undefined): PagingInput {
  return { offset: String(offset), ...(limit !== undefined && { limit: String(limit) }) }
}

function numberIn(query: QueryString, name: string, least: number): number | undefined {
  const text = query.get(name)
  if (text === undefined || text === '') return undefined
  const value = countIn(text)
  if (value !== null && value >= least) return value
  throw invalidParameter(name, 'integer', `must be an integer of ${least} or more`)
}

function conflict(name: string, other: string) {
  return invalidParameter(name, 'conflict', `cannot be combined with ${other}`)
}

/** Returns the declared filters that parameters such as `price_gte` represent. */
function refineFilters(
  { filters }: Resource,
  query: QueryString,
  nameOf: (names: { sent: string; declared: string }) => string = ({ declared }) => declared
): FilterInput[] {
  const found: FilterInput[] = []
  for (const sent of query.names) {
    if (filters.get(sent)) continue
    const [, column, suffix] = /^(.+)_([a-z]+)$/.exec(sent) ?? []
    const operator = suffix === undefined ? undefined : OPERATORS[suffix]
    const declared = `${column}__${operator}`
    if (operator === undefined || !filters.get(declared)) continue
    if (query.has(declared)) throw conflict(sent, declared)
    found.push([nameOf({ sent, declared }), query.get(sent)!])
  }
  return found
}
