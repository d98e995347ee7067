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
