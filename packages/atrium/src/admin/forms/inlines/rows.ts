import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { isObject, TEXTS } from '#base/checks'
import type { FieldError } from '#base/errors'
import { readCondition } from '#base/columns/condition'
import { Records } from '#crud/internals'
import { attributeValue } from '#base/values/to_api'
import type { ModelView } from '../../views/model_view.js'
import { TooManyValues } from '../../http/errors.js'
import type { Inline } from './inline.js'

/** Maximum number of rows in a form; more rows are edited in their list. */
export const MOST_ROWS = 500

/** Returns the value with which rows refer to their parent, in the format of the API; null if it is empty. */
export function referredValue({ target }: Inline, parent: LucidRow): string | null {
  const value = attributeValue(target, parent)
  return value === null || value === undefined ? null : String(value)
}

/**
 * Returns the rows of a parent that the signed-in user can see, in order, with one query. If there are more than
 * `MOST_ROWS`, the first `MOST_ROWS` + 1 rows are returned, whether or not the user can see them.
 */
export async function storedRows(
  ctx: HttpContext,
  inline: Inline,
  parent: LucidRow
): Promise<LucidRow[]> {
  const { view, column, sort } = inline
  const value = referredValue(inline, parent)
  if (value === null) return []
  const { client, ...options } = view.callOptions(ctx)
  const records = new Records(view.resource)
  const conditions = [readCondition(column, 'eq', value)]
  const selection = records.byConditions({ conditions, deleted: 'exclude' }, client, options)
  const found = await records.reader.records(client, { ...selection, limit: MOST_ROWS + 1 })
  /* Further rows are not read, so the rows that the policy allows would be incomplete. */
  if (found.length > MOST_ROWS) return found
  const seen: LucidRow[] = []
  for (const record of found) {
    const isSeen =
      !records.authorizesRecords(options) || (await records.allows('read', options, record))
    if (isSeen) seen.push(record)
  }
  const order = orderOf(view, sort?.attribute)
  return seen.toSorted((one, other) => compare(order(one), order(other)))
}

/**
 * Returns the function that creates the sort key of a row: rows without a number come last, rows with the same number
 * are ordered by key.
 */
function orderOf({ resource }: ModelView, attribute: string | undefined) {
  return (record: LucidRow): unknown[] => {
    const sort = attribute && (record as unknown as Record<string, unknown>)[attribute]
    const isNumber = sort !== undefined && sort !== null && sort !== ''
    return [isNumber ? Number(sort) : Infinity, ...resource.key.of(record)]
  }
}

function compare(one: readonly unknown[], other: readonly unknown[]): number {
  for (const [index, value] of one.entries()) {
    const difference = compareValues(value, other[index])
    if (difference !== 0) return difference
  }
  return 0
}

function compareValues(one: unknown, other: unknown): number {
  if (one === other) return 0
  const [first, second] = [one, other].map((value) =>
    typeof value === 'number' || typeof value === 'bigint' ? value : String(value)
  )
  if (typeof first === 'string' || typeof second === 'string') {
    return String(first) < String(second) ? -1 : String(first) > String(second) ? 1 : 0
  }
  return first < second ? -1 : first > second ? 1 : 0
}

/** A submitted row. */
export interface SentRow {
  /** Number of the row in input names: 2 in `items.2.quantity` */
  index: number
  /** Key of an existing row in the format of URL paths; null for a new row */
  id: string | null
  version: string | undefined
  isRemoved: boolean
  /** Texts that the blank row was shown with, by API name; only of fields whose defaults change with the time */
  begin?: Record<string, string[]>
  /** Texts by input name within the row: `quantity` */
  texts: Map<string, readonly string[]>
  /** Errors of files that are refused */
  errors: FieldError[]
}

/** The submitted rows of one relation. */
export interface SentRows {
  rows: SentRow[]
  /** True if a button was pressed that adds blank rows */
  wantsMore: boolean
}

/** Names of a row's additional inputs */
export const ID = 'id'
export const VERSION = '__version'
export const REMOVE = '__remove'
export const BEGIN = '__begin'
/** Suffix of the button that adds blank rows: `items.__more` */
export const MORE = '__more'

/*
 * Maximum number of submitted rows, as each row enlarges the page that shows the error. It exceeds the number of rows
 * of any form, including blank ones.
 */
const MOST_SENT = 2 * MOST_ROWS

const PLACE = /^(\d{1,6})\.(.+)$/s

/**
 * Reads the submitted rows in the order of their numbers: `items.0.quantity=2`.
 *
 * @param relation  prefix of the input names
 * @throws TooManyValues  for more than `MOST_SENT` rows
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
    begin: textsIn(take(BEGIN)),
    texts,
    errors: [],
  }
}

/** Parses a JSON object of lists of texts by field name; undefined if the JSON is anything else. */
function textsIn(json: string | undefined): SentRow['begin'] {
  try {
    const texts: unknown = JSON.parse(json ?? 'null')
    const isRead = isObject(texts) && Object.values(texts).every((one) => TEXTS[0](one))
    return isRead ? (texts as SentRow['begin']) : undefined
  } catch {
    return undefined
  }
}
