import type { KeyValue } from './resource/key.js'
import type { Item } from './types.js'

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
