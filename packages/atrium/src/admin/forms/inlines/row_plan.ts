import type { KeyValue } from '#base/columns/key'
import type { InlineRows, StoredRow } from './inline_rows.js'
import type { SentRow } from './rows.js'

/**
 * A row that a form adds, changes or removes.
 */
export interface RowChange {
  rows: InlineRows
  sent: SentRow
  kind: 'create' | 'update' | 'delete'
  /** Undefined for a new row */
  stored: StoredRow | undefined
  key: KeyValue | undefined
  /** Values by attribute name, without the foreign key */
  values: Record<string, unknown>
  /** True if the user changes more than its place */
  isTouched: boolean
}

/** A row that stays, with the number that was typed for its place. */
export interface PlacedRow {
  sent: SentRow
  stored: StoredRow | undefined
  typed: number | null
}

/**
 * Numbers for the order of the rows: 1, 2, 3, and so on, if rows were added, removed or moved. If the form does
 * not have all rows, the others keep theirs, new ones come after them, and what was typed is taken as it is. [R2]
 *
 * @param placed  rows that stay
 * @param named   rows that exist and that the form has, those to remove among them
 * @returns the number of each row that gets another one
 */
export function newPlaces(
  { inline, stored }: InlineRows,
  placed: readonly PlacedRow[],
  named: ReadonlySet<StoredRow>
): Map<SentRow, number> {
  const { attribute } = inline.sort!
  const placeOf = ({ record }: StoredRow) => {
    const value = (record as unknown as Record<string, unknown>)[attribute]
    return value === null || value === undefined || value === '' ? null : Number(value)
  }
  const inOrder = placed.toSorted(byNumber)
  if (stored.some((row) => !named.has(row))) {
    return literalPlaces(inOrder, stored.map(placeOf), placeOf)
  }
  const kept = inOrder.flatMap((row) => row.stored ?? [])
  const before = stored.filter((row) => kept.includes(row))
  const isMoved = kept.some((row, index) => row !== before[index])
  if (!isMoved && kept.length === stored.length && kept.length === placed.length) return new Map()
  return new Map(
    inOrder.flatMap((row, index): Array<[SentRow, number]> => {
      const place = index + 1
      return row.stored && placeOf(row.stored) === place ? [] : [[row.sent, place]]
    })
  )
}

function literalPlaces(
  inOrder: readonly PlacedRow[],
  known: ReadonlyArray<number | null>,
  placeOf: (row: StoredRow) => number | null
): Map<SentRow, number> {
  let last = Math.max(0, ...known.map((place) => place ?? 0))
  const places = new Map<SentRow, number>()
  for (const { sent, stored, typed } of inOrder) {
    if (!stored) places.set(sent, typed ?? ++last)
    else if (typed !== null && typed !== placeOf(stored)) places.set(sent, typed)
  }
  return places
}

/** A row without a number comes last. */
export function byNumber(
  one: Pick<PlacedRow, 'sent' | 'typed'>,
  other: Pick<PlacedRow, 'sent' | 'typed'>
): number {
  const [first, second] = [one, other].map(({ typed }) => typed ?? Infinity)
  if (first !== second) return first < second ? -1 : 1
  return one.sent.index - other.sent.index
}

/**
 * The number that was typed for the place of a row; null for none, NaN for what is not a number.
 */
export function typedPlace({ inline }: InlineRows, { texts }: SentRow): number | null {
  const text = inline.sort && texts.get(inline.sort.apiName)?.at(-1)?.trim()
  if (!text) return null
  return /^-?\d{1,9}$/.test(text) ? Number(text) : Number.NaN
}
