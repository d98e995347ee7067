import type { KeyValue } from '../resource/key.js'
import type { Item } from '../types.js'

/* Beside the items, as an item holds only what its model shows. */
const KEYS = new WeakMap<Item, KeyValue>()

/**
 * Remembers an item's key, which its own fields may leave out.
 */
export function noteKey(item: Item, key: KeyValue): Item {
  KEYS.set(item, key)
  return item
}

/**
 * The key of an item that `create` returned, or `getMulti` with `keys`.
 */
export function keyOf(item: Item): KeyValue | undefined {
  return KEYS.get(item)
}

const UNREADABLE = new WeakSet<Item>()

/**
 * Remembers that the policy lets its creator not read an item. [P14]
 */
export function noteUnreadable(item: Item): Item {
  UNREADABLE.add(item)
  return item
}

/**
 * Whether the policy lets its creator not read an item that `create` returned.
 */
export function isUnreadable(item: Item): boolean {
  return typeof item === 'object' && item !== null && UNREADABLE.has(item)
}
