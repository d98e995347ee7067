import type { HttpContext } from '@adonisjs/core/http'
import type { Item } from '#crud'
import type { Column } from '#base/columns/column'
import { type Condition, readCondition } from '#base/columns/condition'
import { isStorableText } from '#base/values/text'
import { keyOf } from '#base/items'
import { ListRequest } from '#crud/internals'
import { OutOfTime, withinTime } from '#base/database/time_limit'
import { UnreadableFilter } from '#base/errors'
import { textCondition } from '#base/columns/search_condition'
import type { ModelView } from '../views/model_view.js'

const LAST_CHARACTER = '\u{10FFFF}'

export interface TitleSearch {
  /** Search text; empty to return all records by title */
  q: string
  limit: number
  /** Column whose exact value identifies a record like the title does; default: the key */
  target?: Column
  /**
   * Milliseconds allowed for finding records whose title contains the text elsewhere than at the beginning; default: no
   * limit
   */
  timeLimit?: number
}

interface FoundByTitle {
  items: Item[]
  /** False if the time did not suffice to search titles that contain the text elsewhere than at the beginning */
  isComplete: boolean
}

/**
 * Finds records that the signed-in user is allowed to list, by title: first records whose title or target equals the
 * text, then titles that begin with it, then titles that contain it. Ignores case and leaves out deleted records.
 *
 * @param view  view with the permissions of the user
 * @throws Problem 403  if the policy does not allow listing the records
 */
export async function recordsByTitle(
  ctx: HttpContext,
  view: ModelView,
  { q, limit, target, timeLimit }: TitleSearch
): Promise<FoundByTitle> {
  if (!view.resource.isLoaded) await view.resource.load()
  const title = view.titleColumn
  const read = async (conditions: Condition[]) => {
    const isSortable = title && view.resource.sortable.has(title.apiName)
    const request = new ListRequest(
      conditions,
      isSortable ? [{ column: title, direction: 'asc' }] : [],
      { shape: 'offset', offset: 0, limit },
      'exclude',
      { count: false }
    )
    const options = { ...view.callOptions(ctx), keys: true }
    const { data } = await view.crud.getMulti(request, options)
    return data
  }
  if (q === '') return { items: await read([]), isComplete: true }

  const { first, others } = matches(view, target ? [target] : view.resource.key.columns, q)
  const found = first.length > 0 ? exactFirst(view, await read([anyOf(first)]), q) : []
  if (found.length >= limit || others.length === 0) return { items: found, isComplete: true }
  const rest = await inTime(timeLimit, () => read([anyOf(others)]))
  if (rest === null) return { items: found, isComplete: false }
  const known = new Set(found.map(idOf))
  const items = [...found, ...rest.filter((item) => !known.has(idOf(item)))].slice(0, limit)
  return { items, isComplete: true }
}

async function inTime(
  time: number | undefined,
  read: () => Promise<Item[]>
): Promise<Item[] | null> {
  if (time === undefined) return await read()
  if (time <= 0) return null
  try {
    return await withinTime(time, read)
  } catch (error) {
    if (error instanceof OutOfTime) return null
    throw error
  }
}

/**
 * Returns the conditions for the records to show first, and for the other matching records. A title of several columns
 * matches if each word is in one of them.
 */
function matches({ titleColumns }: ModelView, targets: readonly Column[], q: string) {
  if (!isStorableText(q)) return { first: [], others: [] }
  const [title] = titleColumns
  const text = textOfTitle(titleColumns, q)
  const exact = targets.length === 1 ? [title, ...targets] : [title]
  const first = [...new Set(exact)]
    .filter((column) => column !== undefined && !(column === title && column.kind === 'text'))
    .flatMap((column) => equalTo(column!, q))
  if (!text) return { first, others: [] }
  if (title.kind !== 'text') return { first, others: [text] }
  const begins = spellings(q).map((spelling): Condition => ({
    type: 'between',
    column: title,
    from: spelling,
    to: spelling + LAST_CHARACTER,
  }))
  return { first: [...begins, ...first], others: [text] }
}

function textOfTitle(columns: readonly Column[], q: string): Condition | null {
  const texts = columns.filter(({ kind }) => kind === 'text')
  if (columns.length <= 1 || texts.length === 0) return texts[0] ? textCondition(texts[0], q) : null
  const words = q.split(/[^\p{L}\p{N}]+/u).filter(Boolean)
  const each = words.map((word) => texts.flatMap((column) => textCondition(column, word) ?? []))
  if (each.length === 0 || each.some((some) => some.length === 0)) return null
  return { type: 'and', conditions: each.map(anyOf) }
}

/**
 * Returns the usual spellings of the text in titles. Comparisons with them can use an index of the column, unlike a
 * case-insensitive match.
 */
function spellings(q: string): string[] {
  const lower = q.toLowerCase()
  const inTitle = lower.replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase())
  const first = lower.replace(/^\p{L}/u, (letter) => letter.toUpperCase())
  return [...new Set([q, lower, q.toUpperCase(), inTitle, first])]
}

function equalTo(column: Column, q: string): Condition[] {
  try {
    return [readCondition(column, 'eq', q)]
  } catch (error) {
    if (error instanceof UnreadableFilter) return []
    throw error
  }
}

function anyOf(conditions: Condition[]): Condition {
  return { type: 'or', conditions }
}

function exactFirst(view: ModelView, items: Item[], q: string): Item[] {
  const text = q.toLowerCase()
  const isExact = (item: Item) => view.titleOf(item).toLowerCase() === text || idOf(item) === q
  return [...items.filter(isExact), ...items.filter((item) => !isExact(item))]
}

function idOf(item: Item): string {
  return (keyOf(item) ?? []).map(String).join('\n')
}
