import type { HttpContext } from '@adonisjs/core/http'
import { MOST_RELATED } from '#crud/internals'
import { writeJson } from '#base/values/json'
import { TooManyValues } from '../../http/errors.js'
import { fieldName, type FormField } from '../fields/form_field.js'
import type { Site } from '../../views/site.js'
import type { ModelView } from '../../views/model_view.js'
import type { ManyToMany } from '../../relations/many_to_many.js'
import { fieldViews } from '../fields/field_view.js'
import type { FieldView } from '../fields/shown_field.js'
import { referenceField } from '../fields/form_fields.js'
import { readPivotCell, type PivotColumn } from './pivot_columns.js'

/** A submitted row of a many-to-many field with pivot columns. */
export interface SentPivotRow {
  /** Key of the related record; empty in a blank row */
  id: string
  /** Texts by column */
  cells: Record<string, string[]>
  /** Initial values of the row in the form, in the format of the API; undefined for a new row */
  was?: Record<string, unknown>
  remove?: boolean
}

export interface SentPivotRows {
  rows: SentPivotRow[]
  /** True if the rows were submitted, so that errors are shown */
  isTyped: boolean
  /** True if another blank row is requested */
  wantsMore?: boolean
}

/** Suffix of the button that adds a blank row */
export const MORE = '.__more'

/* Prefix of the text that contains the serialized rows */
const STATE = 'rows='

/* Maximum row number; numbers grow with each new row. */
const MOST_NUMBER = 9999

/*
 * Maximum number of submitted rows, as each row enlarges the page that shows the error. It exceeds the number of rows
 * of any form, including blank ones.
 */
const MOST_SENT = 2 * MOST_RELATED

/**
 * Reads the rows from all submitted inputs: `people.0.id`, `people.0.role`, `people.0.__remove`.
 *
 * @returns undefined if the form contains none
 * @throws TooManyValues  for more than `MOST_SENT` rows
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
  const isRequested = sent.has(name + MORE)
  if (rows.size === 0 && !isRequested) return undefined
  const inOrder = [...rows].toSorted(([one], [other]) => one - other).map(([, row]) => row)
  return { rows: inOrder, isTyped: true, wantsMore: isRequested }
}

export function textOfRows(rows: SentPivotRows): string {
  return STATE + writeJson(rows)
}

/**
 * Parses serialized rows.
 *
 * @returns undefined for texts that only contain keys
 */
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

/* Maximum number of blank rows, as each contains a list of choices */
const MOST_BLANK = 20

export interface PivotRowsState {
  /** Name of the field */
  name: string
  columns: readonly PivotColumn[]
  rows: readonly SentPivotRow[]
  /** True to show errors */
  isTyped: boolean
  /** True to add a blank row */
  wantsMore: boolean
  /** Titles of the related records, by key as text */
  titles: ReadonlyMap<string, string>
}

/** A row with its cells, for the template. */
export interface PivotRowView {
  number: number | string
  /** Title of the attached record; undefined in a new row, in which the record is selected */
  title: string | undefined
  hidden: Array<{ name: string; value: string }>
  /** Fields of the row; in a new row, the first one selects the record */
  cells: FieldView[]
  remove: { name: string; checked: boolean } | undefined
}

/** Returns the template variables: rows of attached records, then new rows, the last of which are blank. */
export async function pivotRowViews(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  many: ManyToMany,
  state: PivotRowsState
): Promise<{
  headings: FormField[]
  rows: PivotRowView[]
  /** Template of a new row for the script, with `__index__` instead of the number */
  blank: PivotRowView
  more: string
}> {
  const { columns, name, rows, wantsMore } = state
  const blank: SentPivotRow = { id: '', cells: {} }
  const filled = rows.filter((row) => !isBlankRow(columns, row))
  const blanks = wantsMore ? rows.length - filled.length + 1 : 1
  const all = [...filled, ...Array.from({ length: Math.min(blanks, MOST_BLANK) }, () => blank)]
  const views: PivotRowView[] = []
  for (const [index, row] of all.entries()) {
    views.push(await rowView(ctx, site, view, many, state, row, index))
  }
  return {
    headings: columns.map(({ field }) => field),
    rows: views,
    blank: await rowView(ctx, site, view, many, state, blank, '__index__'),
    more: name + MORE,
  }
}

/** Returns true for a new row that has only initial values. */
export function isBlankRow(columns: readonly PivotColumn[], { cells, id, was }: SentPivotRow) {
  if (was || id !== '') return false
  return columns.every(({ field, name }) => {
    const texts = (cells[name] ?? []).filter((text) => text !== '' && text !== 'false')
    return texts.length === 0 || writeJson(texts) === writeJson(field.initial)
  })
}

async function rowView(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  many: ManyToMany,
  { columns, isTyped, name, titles }: PivotRowsState,
  row: SentPivotRow,
  index: number | string
): Promise<PivotRowView> {
  const prefix = `${name}.${index}.`
  const isBlank = isBlankRow(columns, row)
  const isNew = row.was === undefined
  const shown: Record<string, string[]> = { id: row.id === '' ? [] : [row.id] }
  const errors: Record<string, string> = {}
  const fields: FormField[] = isNew
    ? [referenceField('id', site.text('manyToMany.add', { label: many.label }), many.reference)]
    : []
  for (const column of columns) {
    const texts = row.cells[column.name] ?? (isBlank ? [...column.field.initial] : [])
    shown[column.name] = texts
    fields.push({ ...column.field, required: false })
    const read = isTyped && !isBlank && !row.remove ? readPivotCell(site, column, texts) : undefined
    if (read?.error !== undefined) errors[column.name] = read.error
  }
  const cells = await fieldViews(ctx, site, view, fields, {
    shown,
    stored: undefined,
    errors,
    cleared: new Set(),
    prefix,
  })
  for (const cell of cells) {
    if (cell.search) cell.search.url = view.url(`/choices/${encodeURIComponent(many.name)}`)
    delete cell.attributes.autofocus
  }
  const was = { name: `${prefix}__was`, value: writeJson(row.was) }
  return {
    number: typeof index === 'number' ? index + 1 : index,
    title: isNew ? undefined : (titles.get(row.id) ?? row.id),
    hidden: isNew ? [] : [{ name: `${prefix}id`, value: row.id }, was],
    cells,
    remove: isBlank ? undefined : { name: `${prefix}__remove`, checked: row.remove === true },
  }
}
