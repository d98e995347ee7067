import { TooManyValues } from '../../errors.js'
import { MOST_ROWS } from './stored_rows.js'

/**
 * A row as a form sent it.
 */
export interface SentRow {
  /** Its number in the names of its fields: 2 in `items.2.quantity` */
  index: number
  /** Key as in paths, of a row that exists */
  id: string | null
  version: string | undefined
  isRemoved: boolean
  /** Texts by the names of the inputs in the row: `quantity` */
  texts: ReadonlyMap<string, readonly string[]>
}

/**
 * The rows of one relation.
 */
export interface SentRows {
  rows: SentRow[]
  /** True if a button only wants the form again, with more blank rows */
  wantsMore: boolean
}

/** Names of what a row has in addition to its fields */
export const ID = 'id'
export const VERSION = '__version'
export const REMOVE = '__remove'
/** Name of the button for more blank rows, after the relation's: `items.__more` */
export const MORE = '__more'

/* More than a form with its blank rows ever has: each takes its part of the page that shows the error. */
const MOST_SENT = 2 * MOST_ROWS

const PLACE = /^(\d{1,6})\.(.+)$/s

/**
 * Reads the rows that a form sent, in the order of their numbers: `items.0.quantity=2`. [R2]
 *
 * @param relation  first part of the names
 * @throws TooManyValues
 */
export function sentRows(sent: ReadonlyMap<string, readonly string[]>, relation: string): SentRows {
  const prefix = `${relation}.`
  const found = new Map<number, Map<string, readonly string[]>>()
  for (const [name, texts] of sent) {
    if (!name.startsWith(prefix)) continue
    const [, number, field] = PLACE.exec(name.slice(prefix.length)) ?? []
    if (field === undefined) continue
    const index = Number(number)
    const row = found.get(index)
    if (row) row.set(field, texts)
    else found.set(index, new Map([[field, texts]]))
    if (found.size > MOST_SENT) throw new TooManyValues()
  }
  const rows = [...found]
    .toSorted(([one], [other]) => one - other)
    .map(([index, texts]) => rowOf(index, texts))
  return { rows, wantsMore: sent.has(prefix + MORE) }
}

function rowOf(index: number, texts: Map<string, readonly string[]>): SentRow {
  const take = (name: string) => {
    const value = texts.get(name)?.at(-1)?.trim()
    texts.delete(name)
    return value === '' ? undefined : value
  }
  return {
    index,
    id: take(ID) ?? null,
    version: take(VERSION),
    isRemoved: take(REMOVE) === '1',
    texts,
  }
}
