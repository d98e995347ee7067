import { MOST_RELATED } from '#crud/internals'
import { writeJson } from '#base/values/json'
import { TooManyValues } from '../../errors.js'
import { fieldName } from '../fields/input_name.js'

/**
 * A row of a many-to-many field whose pivot rows have columns of their own: texts, as the form has them. [R3]
 */
export interface SentPivotRow {
  /** Key of the related record; empty in a blank row */
  id: string
  /** Texts by column */
  cells: Record<string, string[]>
  /** Values in the API's form that the form began with; undefined for a new row */
  was?: Record<string, unknown>
  remove?: boolean
}

export interface SentPivotRows {
  rows: SentPivotRow[]
  /** True if they come from a submission, so that errors are shown */
  isTyped: boolean
  /** True if another blank row is wanted */
  wantsMore?: boolean
}

/** Suffix of the button that wants another blank row */
export const MORE = '.__more'

/* Before the text by which forms keep the rows */
const STATE = 'rows='

/* A form has one more for each new row. */
const MOST_NUMBER = 9999

/* More than a form with its blank rows ever has: each takes its part of the page that shows the error. */
const MOST_SENT = 2 * MOST_RELATED

/**
 * Reads the rows out of all that a form sent: `people.0.id`, `people.0.role`, `people.0.__remove`.
 *
 * @returns undefined if the form has none
 * @throws TooManyValues
 */
export function collectRows(
  name: string,
  sent: ReadonlyMap<string, readonly string[]>
): SentPivotRows | undefined {
  const rows = new Map<number, SentPivotRow>()
  const start = `${name}.`
  for (const [key, texts] of sent) {
    const [, number, part] =
      (key.startsWith(start) && /^(\d{1,4})\.(.+)$/.exec(key.slice(start.length))) || []
    if (number === undefined || Number(number) > MOST_NUMBER) continue
    const row = rows.get(Number(number)) ?? { id: '', cells: {} }
    rows.set(Number(number), row)
    if (rows.size > MOST_SENT) throw new TooManyValues()
    if (part === 'id') row.id = texts.at(-1)!.trim()
    else if (part === '__was') row.was = valuesIn(texts.at(-1)!)
    else if (part === '__remove') row.remove = texts.includes('1')
    else row.cells[fieldName(part)] = [...texts]
  }
  const isAsked = sent.has(name + MORE)
  if (rows.size === 0 && !isAsked) return undefined
  const inOrder = [...rows].toSorted(([one], [other]) => one - other).map(([, row]) => row)
  return { rows: inOrder, isTyped: true, wantsMore: isAsked }
}

export function textOfRows(rows: SentPivotRows): string {
  return STATE + writeJson(rows)
}

/** @returns undefined for texts that are keys alone */
export function rowsIn([text]: readonly string[]): SentPivotRows | undefined {
  return text?.startsWith(STATE)
    ? (JSON.parse(text.slice(STATE.length)) as SentPivotRows)
    : undefined
}

function valuesIn(json: string): Record<string, unknown> | undefined {
  try {
    const values: unknown = JSON.parse(json)
    return typeof values === 'object' && values !== null && !Array.isArray(values)
      ? (values as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
