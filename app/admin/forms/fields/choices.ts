import type { HttpContext } from '@adonisjs/core/http'
import { Problem } from '#crud'
import { keyOf } from '#crud/operations/item_keys'
import { readCondition, UnreadableFilter, type Condition } from '#crud/request/condition'
import { ListRequest } from '#crud/request/list_request'
import type { Column } from '#crud/resource/column'
import type { Item } from '#crud/types'
import { isStorableText } from '#crud/values/text'
import { textCondition } from '../../list/search_condition.js'
import { titlesOf, type Reference } from '../../relations/references.js'

/**
 * A record that a field may refer to.
 */
export interface Choice {
  /** What the foreign key holds then, as text */
  value: string
  label: string
}

/** More than these are not shown at once: a longer list is searched. */
export const MOST_CHOICES = 50

/**
 * What a reference may refer to, by title: the records whose title contains the text, or whose key it
 * is. Deleted ones are not to choose. [B17]
 *
 * @param q        what to look for; empty: everything
 * @param current  what the field holds: it comes first, whatever else there is, also if it is deleted
 * @returns one more than `MOST_CHOICES` where there are more; nothing but `current` for those who may
 *   not list the records
 */
export async function choicesOf(
  ctx: HttpContext,
  reference: Reference,
  { q = '', current }: { q?: string; current?: unknown } = {}
): Promise<Choice[]> {
  const found = await search(ctx, reference, q.trim())
  const choices = [...(await currentChoice(ctx, reference, current, found)), ...found]
  return tellApart(choices)
}

async function search(ctx: HttpContext, reference: Reference, q: string): Promise<Choice[]> {
  const { view, target } = reference
  if (!(await view.isVisibleTo(ctx))) return []
  if (!view.resource.isLoaded) await view.resource.load()
  const title = view.titleColumn
  const conditions = q === '' ? [] : alternatives([title, target], q)
  if (q !== '' && conditions.length === 0) return []

  const request = new ListRequest(
    q === '' ? [] : [{ type: 'or', conditions }],
    title && view.resource.sortable.has(title.wire) ? [{ column: title, direction: 'asc' }] : [],
    { shape: 'offset', offset: 0, limit: MOST_CHOICES + 1 },
    'exclude',
    { count: false }
  )
  const items = await refusedIsEmpty(async () => {
    const options = { ...view.callOptions(ctx), keys: true }
    const { data } = await view.crud.getMulti(request, options)
    return data
  })
  return items.map((item) => ({ value: valueOf(reference, item), label: view.titleOf(item) }))
}

/** The title by a part of it, letters big or small; anything else only as it is. */
function alternatives(columns: Array<Column | undefined>, q: string): Condition[] {
  if (!isStorableText(q)) return []
  return [...new Set(columns)].flatMap((column, index): Condition[] => {
    if (!column) return []
    if (index === 0 && column.kind === 'text') {
      const found = textCondition(column, q)
      return found ? [found] : []
    }
    try {
      return [readCondition(column, 'eq', q)]
    } catch (error) {
      if (error instanceof UnreadableFilter) return []
      throw error
    }
  })
}

/** The item may leave its key out, and what it refers to by is mostly that. */
function valueOf({ view, target }: Reference, item: Item): string {
  const index = view.resource.key.columns.indexOf(target)
  return String(index < 0 ? item[target.wire] : keyOf(item)![index])
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

/** Two records of one name would be the same to whoever chooses. */
function tellApart(choices: Choice[]): Choice[] {
  const byLabel = Map.groupBy(choices, ({ label }) => label)
  return choices.map(({ value, label }) => ({
    value,
    label: byLabel.get(label)!.length > 1 && label !== value ? `${label} (${value})` : label,
  }))
}
