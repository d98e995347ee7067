import type { Item } from './types.js'

/** Maximum number of records in an export that is read completely before it is sent */
const SMALL_EXPORT = 1000

/** The first batches of a list, and whether there are more. */
export interface BatchesStart {
  batches: Item[][]
  /** True if there are no more batches */
  isWhole: boolean
}

/** Reads the first batches of a list, until they have more records than a small export. */
export async function batchesStart(all: AsyncGenerator<Item[], void>): Promise<BatchesStart> {
  const batches: Item[][] = []
  let count = 0
  while (count <= SMALL_EXPORT) {
    const { done, value } = await all.next()
    if (done) return { batches, isWhole: true }
    batches.push(value)
    count += value.length
  }
  return { batches, isWhole: false }
}

/** Yields all batches of a list, beginning with those that were already read. */
export async function* withStart(
  { batches }: BatchesStart,
  others: AsyncGenerator<Item[], void>
): AsyncGenerator<Item[], void> {
  try {
    yield* batches
    yield* others
  } finally {
    await others.return()
  }
}

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
