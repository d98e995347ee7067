/**
 * Values bound in one statement. SQLite takes 32,766, PostgreSQL and MySQL 65,535.
 */
export const VALUES_PER_STATEMENT = 10_000

/**
 * Alternatives of one condition. SQLite takes an expression of 1,000 levels, and each `or` is one.
 */
export const KEYS_PER_CONDITION = 200

/**
 * Rows read by one statement: records of Lucid take several times the memory of their rows, and the event loop
 * is busy while they are made.
 */
export const ROWS_PER_READ = 500

/**
 * Rows written or removed by one statement: a long transaction blocks others.
 */
export const ROWS_PER_WRITE = 100

/**
 * Parts of a list, in its order, each of `size` items; the last one may be shorter.
 */
export function* chunks<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
