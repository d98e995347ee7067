/** Maximum number of bound values in one statement. SQLite allows 32,766, PostgreSQL and MySQL 65,535. */
export const VALUES_PER_STATEMENT = 10_000

/**
 * Maximum number of alternatives in one condition. SQLite allows expressions with 1,000 levels, and each `or` is a
 * level.
 */
export const KEYS_PER_CONDITION = 200

/**
 * Maximum number of rows read by one statement: Lucid records need several times the memory of their rows, and creating
 * them blocks the event loop.
 */
export const ROWS_PER_READ = 500

/** Maximum number of rows written or deleted by one statement, because a long transaction blocks others. */
export const ROWS_PER_WRITE = 100

/** Yields consecutive parts of a list with `size` items each; the last one can be shorter. */
export function* chunks<Element>(items: readonly Element[], size: number): Generator<Element[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
