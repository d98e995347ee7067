import type { Item } from '../types.js'

/* Apart from the items, as only the selected fields are sent. */
const FULL_ITEMS = new WeakMap<object, Item>()
const WITH_INCLUDES = new WeakSet<object>()

/** Remembers the whole item of a selection of its fields. */
export function notePart(part: Item, whole: Item): Item {
  FULL_ITEMS.set(part, whole)
  return part
}

/** The whole item, if the response has only some of its fields. */
export function fullItemOf(part: unknown): Item | undefined {
  return typeof part === 'object' && part !== null ? FULL_ITEMS.get(part) : undefined
}

/** Marks a response that has included items. */
export function noteIncludes(answer: Item): Item {
  WITH_INCLUDES.add(answer)
  return answer
}

/** True if a response has included items. */
export function hasIncludes(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && WITH_INCLUDES.has(answer)
}
