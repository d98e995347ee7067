/** Distance between the numbers of two rows, so that a row can be moved between them without another one changing. */
export const GAP = 100

/** Returns the number after the last one, within the column's range. */
export function numberAfter(last: number | null, most: number = Number.MAX_SAFE_INTEGER): number {
  return Math.min((last ?? 0) + GAP, most)
}

/**
 * Returns increasing whole numbers between two others.
 *
 * @param low   null without a row before
 * @param high  null without a row after
 * @returns null if there are too few numbers between the two
 */
export function numbersBetween(
  low: number | null,
  high: number | null,
  count: number
): number[] | null {
  const each = (place: (index: number) => number) =>
    Array.from({ length: count }, (_, i) => place(i))
  if (high === null) return each((index) => (low ?? 0) + GAP * (index + 1))
  if (low === null) return each((index) => high - GAP * (count - index))
  if (high - low <= count) return null
  const step = (high - low) / (count + 1)
  return each((index) => low + Math.floor(step * (index + 1)))
}

/**
 * Returns the numbers of rows in their new order. As few numbers as possible change.
 *
 * @param places  current numbers in the new order; null for rows without a number
 */
export function reordered(places: ReadonlyArray<number | null>): number[] {
  const unchanged = longestIncrease(places)
  const result: number[] = []
  let begin = 0
  for (const end of [...unchanged, places.length]) {
    const low = result.at(-1) ?? null
    const high = end < places.length ? places[end] : null
    const between = numbersBetween(low, high, end - begin)
    if (!between) return places.map((_, index) => GAP * (index + 1))
    result.push(...between)
    if (high !== null) result.push(high)
    begin = end + 1
  }
  return result
}

/** Returns the indexes of a longest increasing subsequence. */
function longestIncrease(places: ReadonlyArray<number | null>): number[] {
  /* Index of the smallest last number of the subsequences of each length */
  const lasts: number[] = []
  const before = new Map<number, number | undefined>()
  for (const [index, place] of places.entries()) {
    if (place === null) continue
    let length = lasts.findIndex((last) => places[last]! >= place)
    if (length < 0) length = lasts.length
    before.set(index, lasts[length - 1])
    lasts[length] = index
  }
  const unchanged: number[] = []
  for (let index = lasts.at(-1); index !== undefined; index = before.get(index))
    unchanged.unshift(index)
  return unchanged
}
