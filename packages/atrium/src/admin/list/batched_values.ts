import type { HttpContext } from '@adonisjs/core/http'

/**
 * Values for the cells of a column of one's own that come from another table: those that one list asks for
 * at once are read by one query.
 *
 * @param load  reads the values of the keys; those that have none are left out
 * @returns what a column's `value` asks for the value of one key
 */
export function batchedValues<Key, Value>(
  load: (keys: Key[]) => Promise<ReadonlyMap<Key, Value>>
): (ctx: HttpContext, key: Key) => Promise<Value | undefined> {
  const batches = new WeakMap<
    HttpContext,
    { keys: Key[]; values: Promise<ReadonlyMap<Key, Value>> }
  >()
  return async (ctx, key) => {
    let batch = batches.get(ctx)
    if (!batch) {
      const keys: Key[] = []
      const values = Promise.resolve().then(() => {
        batches.delete(ctx)
        return load(keys)
      })
      batches.set(ctx, (batch = { keys, values }))
    }
    batch.keys.push(key)
    const values = await batch.values
    return values.get(key)
  }
}
