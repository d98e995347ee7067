import type { HttpContext } from '@adonisjs/core/http'
import { writeJson } from '#base/values/json'
import type { AdminSite } from '../../admin_site.js'
import type { ModelView } from '../../model_view.js'
import type { ManyToMany } from '../../relations/many_to_many.js'
import { fieldViews, type FieldView } from '../fields/field_view.js'
import type { FormField } from '../fields/form_field.js'
import { referenceField } from '../fields/reference_field.js'
import { readPivotCell, type PivotColumn } from './pivot_columns.js'
import { MORE, type SentPivotRow } from './sent_pivot_rows.js'

/* Each has the choices of its own */
const MOST_BLANK = 20

export interface PivotRowsState {
  /** Of the field */
  name: string
  columns: readonly PivotColumn[]
  rows: readonly SentPivotRow[]
  /** True to show errors */
  isTyped: boolean
  /** True for one blank row more than there were */
  wantsMore: boolean
  /** Titles of the related records, by key as text */
  titles: ReadonlyMap<string, string>
}

/** A row with its cells, for the template. */
export interface PivotRowView {
  number: number | string
  /** Title of the attached record; undefined in a row in which one is chosen */
  title: string | undefined
  hidden: Array<{ name: string; value: string }>
  /** In a row in which a record is chosen: that choice comes first */
  cells: FieldView[]
  remove: { name: string; checked: boolean } | undefined
}

/**
 * Variables of the template: rows of attached records, then new ones, the last of them blank.
 */
export async function pivotRowViews(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  many: ManyToMany,
  state: PivotRowsState
): Promise<{
  headings: FormField[]
  rows: PivotRowView[]
  /** A new row for the script, with `__index__` for its number */
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

/** True for a row in which nothing was chosen or typed but what it began with. */
export function isBlankRow(columns: readonly PivotColumn[], { cells, id, was }: SentPivotRow) {
  if (was || id !== '') return false
  return columns.every(({ field, name }) => {
    const texts = (cells[name] ?? []).filter((text) => text !== '' && text !== 'false')
    return texts.length === 0 || writeJson(texts) === writeJson(field.initial)
  })
}

async function rowView(
  ctx: HttpContext,
  site: AdminSite,
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
    if (read?.fault !== undefined) errors[column.name] = read.fault
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
