import type { KeyValue } from './columns/key.js'
import type { Item } from './types.js'

/* Stored separately, because an item contains only the fields that its model shows. */
const KEYS = new WeakMap<Item, KeyValue>()

/** Stores the key of an item, which is not necessarily among the item's fields. */
export function noteKey(item: Item, key: KeyValue): Item {
  KEYS.set(item, key)
  return item
}

/** Returns the key of an item that `create` returned, or `getMulti` with `keys`; undefined for other items. */
export function keyOf(item: Item): KeyValue | undefined {
  return KEYS.get(item)
}

const UNREADABLE = new WeakSet<Item>()

/** Marks an item that the policy does not allow its creator to read. */
export function noteUnreadable(item: Item): Item {
  UNREADABLE.add(item)
  return item
}

/** True for an item from `create` that the policy does not allow its creator to read. */
export function isUnreadable(item: Item): boolean {
  return typeof item === 'object' && item !== null && UNREADABLE.has(item)
}

/* Stored separately, because only the selected fields are sent. */
const FULL_ITEMS = new WeakMap<object, Item>()
const WITH_INCLUDES = new WeakSet<object>()

/** Stores the whole item for a selection of its fields. */
export function notePart(part: Item, whole: Item): Item {
  FULL_ITEMS.set(part, whole)
  return part
}

/** Returns the whole item if the response contains only some of its fields, otherwise undefined. */
export function fullItemOf(part: unknown): Item | undefined {
  return typeof part === 'object' && part !== null ? FULL_ITEMS.get(part) : undefined
}

/** Marks a response that contains included items. */
export function noteIncludes(response: Item): Item {
  WITH_INCLUDES.add(response)
  return response
}

/** True if a response contains included items. */
export function hasIncludes(response: unknown): boolean {
  return typeof response === 'object' && response !== null && WITH_INCLUDES.has(response)
}
