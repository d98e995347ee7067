import type { Item } from '../types.js'

/* Beside the items, as what is sent holds the part alone. */
const WHOLES = new WeakMap<object, Item>()
const MIXTURES = new WeakSet<object>()

/**
 * Remembers which whole item a part was taken of.
 */
export function notePart(part: Item, whole: Item): Item {
  WHOLES.set(part, whole)
  return part
}

/**
 * The whole item, if this is a part of one.
 */
export function wholeOf(part: unknown): Item | undefined {
  return typeof part === 'object' && part !== null ? WHOLES.get(part) : undefined
}

/**
 * Remembers that an answer holds more than its one item.
 */
export function noteMixture(answer: Item): Item {
  MIXTURES.add(answer)
  return answer
}

/**
 * Whether an answer holds more than one item.
 */
export function isMixture(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && MIXTURES.has(answer)
}
