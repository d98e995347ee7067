import type { KeyValue } from '#base/columns/key'
import type { Item } from '../types.js'

/* Apart from the items, as an item has only the fields that its model shows. */
const KEYS = new WeakMap<Item, KeyValue>()

/** Remembers an item's key, which may not be among its fields. */
export function noteKey(item: Item, key: KeyValue): Item {
  KEYS.set(item, key)
  return item
}

/** The key of an item that `create` returned, or `getMulti` with `keys`. */
export function keyOf(item: Item): KeyValue | undefined {
  return KEYS.get(item)
}

const UNREADABLE = new WeakSet<Item>()

/** Marks an item that the policy does not let its creator read. [P14] */
export function noteUnreadable(item: Item): Item {
  UNREADABLE.add(item)
  return item
}

/** True if the policy does not let its creator read an item that `create` returned. */
export function isUnreadable(item: Item): boolean {
  return typeof item === 'object' && item !== null && UNREADABLE.has(item)
}
