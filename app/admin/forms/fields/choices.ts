import type { HttpContext } from '@adonisjs/core/http'
import { Problem, type Item } from '#crud'
import { keyOf } from '#crud/internals'
import { followed, titlesOf, type Reference } from '../../relations/references.js'
import { recordsByTitle } from '../../search/records_by_title.js'
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
  const limit = MOST_CHOICES + 1
  const items = await refusedIsEmpty(() => recordsByTitle(ctx, view, { q, limit, target }))
  return items.map((item) => ({ value: valueOf(seen, item), label: view.titleOf(item) }))
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
