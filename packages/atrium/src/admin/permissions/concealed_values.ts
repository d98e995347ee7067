import type { Item, Resource } from '#crud'
import { keyOf, noteKey } from '#base/items'

const NAMES = new WeakMap<Resource, ReadonlySet<string>>()

/**
 * The names in the API of what the resource's reader does not see, on all records or on some.
 */
export function concealedIn(resource: Resource): ReadonlySet<string> {
  let known = NAMES.get(resource)
  if (!known) NAMES.set(resource, (known = namesIn(resource)))
  return known
}

/**
 * Has own code make of an item what is shown, without what the reader does not see of it.
 *
 * @returns undefined where the code requested such a value, which has none here
 */
export async function shownOf<Result>(
  resource: Resource,
  item: Item,
  make: (item: Item) => Result
): Promise<Awaited<Result> | undefined> {
  const concealed = concealedIn(resource)
  if (concealed.size === 0) return await make(item)
  const watched = watchedItem(item, concealed)
  try {
    const result = await make(watched.item)
    return watched.isComplete() ? result : undefined
  } catch (error) {
    if (watched.isComplete()) throw error
    return undefined
  }
}

/**
 * An item that knows whether what it was asked for was there.
 */
export function watchedItem(item: Item, concealed: ReadonlySet<string>) {
  let isComplete = true
  const watched = new Proxy(item, {
    get(target, name, receiver) {
      const value = Reflect.get(target, name, receiver)
      if ((value ?? null) === null && concealed.has(name as string)) isComplete = false
      return value
    },
  })
  const key = keyOf(item)
  if (key) noteKey(watched, key)
  return { item: watched, isComplete: () => isComplete }
}

function namesIn(resource: Resource): Set<string> {
  const { base, computed } = resource
  if (base === resource) return new Set()
  const names = base.columns.all
    .filter((column) => resource.conceals(column))
    .map(({ apiName }) => apiName)
  const left = new Set(computed.values())
  const gone = [...base.computed.values()].filter((name) => !left.has(name))
  return new Set([...names, ...gone])
}
