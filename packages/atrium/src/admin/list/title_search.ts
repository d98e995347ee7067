import type { HttpContext } from '@adonisjs/core/http'
import { LucidCrud, Problem, type Item } from '#crud'
import { fromQuery } from '#base/values/from_query'
import { keyOf } from '#base/items'
import { ListRequest, Records } from '#crud/internals'
import type { Column } from '#base/columns/column'
import type { Condition } from '#base/columns/condition'
import type { Site } from '../views/site.js'
import type { ModelView } from '../views/model_view.js'
import { followed, referencesOf, type Reference } from '../relations/references.js'
import {
  isSearchable,
  searchCondition,
  conditionsOfWords,
  searchedColumns,
} from '#base/columns/search_condition'

/**
 * Returns the condition that a column refers to a record whose title contains the text, ignoring case; null if no
 * title can contain it, `many` if too many records match.
 */
export type TitleSearch = (title: string) => Condition | 'many' | null

/** Title searches by API name of the column */
export type TitleSearches = Pick<ReadonlyMap<string, TitleSearch>, 'get'>

export const NO_TITLES: TitleSearches = new Map()

/* Maximum number of records in a condition, as databases limit the length of `in` lists. */
const MOST_RECORDS = 1000

/**
 * Returns title searches for the references of a view. They find only records that the signed-in user can see,
 * including deleted ones.
 *
 * @param titlesOf  returns the titles to search for in a column; empty if the column is not searched
 */
export async function titleSearches(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  titlesOf: (column: Column) => readonly string[]
): Promise<TitleSearches> {
  const searches = new Map<string, TitleSearch>()
  for (const reference of referencesOf(site, view)) {
    const titles = titlesOf(reference.column)
    if (titles.length === 0) continue
    const seen = await followed(ctx, reference)
    if (!seen) continue
    if (!seen.view.resource.isLoaded) await seen.view.resource.load(seen.view.client())
    const columns = seen.view.titleColumns.filter(isSearchable)
    if (columns.length === 0) continue
    const { apiName } = seen.column
    searches.set(
      apiName,
      isJoinable(view, seen)
        ? joinedSearch(seen, columns)
        : await listedSearch(ctx, seen, columns, titles)
    )
  }
  return searches
}

/** Returns true if a subquery can find the references, because no code checks single records. */
function isJoinable(view: ModelView, { column, target, view: other }: Reference): boolean {
  const { crud, resource } = other
  return (
    crud.getMulti === LucidCrud.prototype.getMulti &&
    !resource.authorizesRecords &&
    !resource.model.$hooks.has('before:fetch') &&
    !resource.model.$hooks.has('after:fetch') &&
    column.kind === target.kind &&
    view.client().connectionName === other.client().connectionName
  )
}

function joinedSearch(
  { column, target, view }: Reference,
  columns: readonly Column[]
): TitleSearch {
  const records = new Records(view.resource)
  return (text) => {
    const condition = inAny(columns, text)
    return condition && records.referred(column, target, condition)
  }
}

/** Returns the condition that one of the columns of a title contains the text; null if none of them can contain it. */
function inAny(columns: readonly Column[], text: string): Condition | null {
  const conditions = columns.flatMap((column) => searchCondition(column, text) ?? [])
  if (conditions.length <= 1) return conditions[0] ?? null
  return { type: 'or', conditions }
}

/** Reads the records with matching titles before the list's query, and returns a search in the result. */
async function listedSearch(
  ctx: HttpContext,
  { column, target, view }: Reference,
  columns: readonly Column[],
  texts: readonly string[]
): Promise<TitleSearch> {
  const options = { ...view.callOptions(ctx), keys: true }
  const find = async (condition: Condition): Promise<Condition | 'many'> => {
    const paging = { shape: 'offset', offset: 0, limit: MOST_RECORDS + 1 } as const
    const request = new ListRequest([condition], [], paging, 'include', { count: false })
    const items = await unlessRefused(async () => {
      const { data } = await view.crud.getMulti(request, options)
      return data
    })
    if (items.length > MOST_RECORDS) return 'many'
    const values = items.map((item) => fromQuery(column, valueOf(view, target, item)))
    const known = values.filter((value) => value !== null)
    return known.length === 0
      ? { type: 'or', conditions: [] }
      : { type: 'list', column, values: known, negate: false }
  }
  const found = new Map<string, Condition | 'many'>()
  for (const text of new Set(texts)) {
    const condition = inAny(columns, text)
    if (condition) found.set(text, await find(condition))
  }
  return (text) => found.get(text) ?? null
}

/**
 * Returns the value of the target column. This is usually the key, which is read separately as it may not be a field.
 */
function valueOf({ resource }: ModelView, target: Column, item: Item): string {
  const index = resource.key.columns.indexOf(target)
  return String(index < 0 ? item[target.apiName] : keyOf(item)![index])
}

async function unlessRefused(read: () => Promise<Item[]>): Promise<Item[]> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Problem && error.status === 403) return []
    throw error
  }
}

/** Returns the columns that the list can be searched by. */
export function searchableColumns({ resource, options }: ModelView): Column[] {
  return searchedColumns(
    resource.fields,
    options.searchableColumns && new Set(options.searchableColumns)
  )
}

/**
 * Returns conditions for records that contain each word in any searchable column, compared as in a search of that
 * column alone, or in the title of a referenced record.
 *
 * @param text  text, not empty
 * @returns null if the search is not possible: too many words or characters, or too many matching titles
 */
export function wordConditions(
  view: ModelView,
  text: string,
  titles: TitleSearches
): Condition[] | null {
  return conditionsOfWords(searchableColumns(view), text, (column, word) =>
    titles.get(column.apiName)?.(word)
  )
}
