import type { HttpContext } from '@adonisjs/core/http'
import { Problem, type Item } from '#crud'
import {
  ANY_CHARACTERS,
  keyOf,
  readCondition,
  UnreadableFilter,
  type Condition,
  ListRequest,
  type Column,
  isStorableText,
} from '#crud/internals'
import { textCondition } from '../../list/search_condition.js'
import { followed, titlesOf, type Reference } from '../../relations/references.js'
import type { Choice } from './choice.js'

/** Number of choices shown at once; a longer list is searched. */
export const MOST_CHOICES = 50

/**
 * Records that a reference field may refer to: by part of the title, or by key. Titles that begin with
 * the text come first. Soft-deleted records are not offered. [B17]
 *
 * @param q        search text; empty: all records
 * @param current  current value of the field: always the first choice, even if deleted
 * @returns up to `MOST_CHOICES` + 1 choices, the last of which indicates that there are more; only
 *   `current` for a viewer who may not list the records
 */
export async function choicesOf(
  ctx: HttpContext,
  reference: Reference,
  { q = '', current }: { q?: string; current?: unknown } = {}
): Promise<Choice[]> {
  const found = await search(ctx, reference, q.trim())
  const choices = [...(await currentChoice(ctx, reference, current, found)), ...found]
  return disambiguate(choices)
}

async function search(ctx: HttpContext, reference: Reference, q: string): Promise<Choice[]> {
  const seen = await followed(ctx, reference)
  if (!seen) return []
  const { view, target } = seen
  if (!view.resource.isLoaded) await view.resource.load()
  const title = view.titleColumn
  const read = async (conditions: Condition[]) => {
    const request = new ListRequest(
      conditions,
      title && view.resource.sortable.has(title.apiName)
        ? [{ column: title, direction: 'asc' }]
        : [],
      { shape: 'offset', offset: 0, limit: MOST_CHOICES + 1 },
      'exclude',
      { count: false }
    )
    const options = { ...view.callOptions(ctx), keys: true }
    const { data } = await view.crud.getMulti(request, options)
    return data.map((item) => ({ value: valueOf(seen, item), label: view.titleOf(item) }))
  }
  return await refusedIsEmpty(async () => {
    if (q === '') return await read([])
    const { first, others } = matches(title, target, q)
    const found = first.length > 0 ? exactFirst(await read([anyOf(first)]), q) : []
    if (found.length > MOST_CHOICES || others.length === 0) return found
    const known = new Set(found.map(({ value }) => value))
    const rest = await read([anyOf(others)])
    return [...found, ...rest.filter(({ value }) => !known.has(value))].slice(0, MOST_CHOICES + 1)
  })
}

/**
 * Conditions of a search: for the records to show first, whose title begins with the text or whose key
 * it is, and for the others, whose title contains it.
 */
function matches(
  title: Column | undefined,
  target: Column,
  q: string
): { first: Condition[]; others: Condition[] } {
  if (!isStorableText(q)) return { first: [], others: [] }
  const text = title?.kind === 'text' ? textCondition(title, q) : null
  const exact = [...new Set([title, target])].filter(
    (column) => column && !(text && column === title)
  )
  const first = exact.flatMap((column) => equalTo(column!, q))
  if (!text) return { first, others: [] }
  const begins: Condition = { ...text, pattern: [q, ANY_CHARACTERS] }
  return { first: [begins, ...first], others: [text] }
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

function exactFirst(choices: Choice[], q: string): Choice[] {
  const isExact = ({ label, value }: Choice) =>
    label.toLowerCase() === q.toLowerCase() || value === q
  return [...choices.filter(isExact), ...choices.filter((choice) => !isExact(choice))]
}

/** Value of the target column, which is mostly the key; the item may leave that out. */
function valueOf({ view, target }: Reference, item: Item): string {
  const index = view.resource.key.columns.indexOf(target)
  return String(index < 0 ? item[target.apiName] : keyOf(item)![index])
}

async function currentChoice(
  ctx: HttpContext,
  reference: Reference,
  current: unknown,
  found: Choice[]
): Promise<Choice[]> {
  if (current === undefined || current === null || current === '') return []
  const value = String(current)
  if (found.some((choice) => choice.value === value)) return []
  const titles = await refusedIsEmpty(async () => [...(await titlesOf(ctx, reference, [current]))])
  return [{ value, label: new Map(titles).get(value) ?? value }]
}

async function refusedIsEmpty<Value>(read: () => Promise<Value[]>): Promise<Value[]> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Problem && error.status === 403) return []
    throw error
  }
}

/** Tells apart choices with the same title by their keys. */
function disambiguate(choices: Choice[]): Choice[] {
  const byLabel = Map.groupBy(choices, ({ label }) => label)
  return choices.map(({ value, label }) => ({
    value,
    label: byLabel.get(label)!.length > 1 && label !== value ? `${label} (${value})` : label,
  }))
}
