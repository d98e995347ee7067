import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { fromQuery } from '#base/values/from_query'
import { MOST_RELATED, type PivotValues, type WantedRelated } from '#crud/internals'
import type { PivotTable } from '#base/database/pivot_table'
import { writeJson } from '#base/values/json'
import type { Site } from '../../views/site.js'
import type { ModelView } from '../../views/model_view.js'
import type { AttachedRecord, ManyToMany } from '../../relations/many_to_many.js'
import { titlesOf } from '../../relations/references.js'
import { collectKeys, keysIn, ManyToManyWidget } from './many_to_many_widget.js'
import { pivotTexts, readPivotCell, type PivotColumn } from './pivot_columns.js'
import { TooManyValues } from '../../http/errors.js'
import { fieldName, type FormField } from '../fields/form_field.js'
import { fieldViews } from '../fields/field_view.js'
import type { FieldView } from '../fields/shown_field.js'
import { referenceField } from '../fields/form_fields.js'

/**
 * The records that are attached to a record, as rows with the pivot columns as cells. Works without JavaScript: there
 * is a blank row, and a button to add another one.
 */
export class PivotRowsWidget extends ManyToManyWidget {
  override readonly template = 'admin/partials/fields/pivot_rows'

  constructor(
    ctx: HttpContext,
    site: Site,
    view: ModelView,
    many: ManyToMany,
    readonly columns: readonly PivotColumn[],
    private readonly table: PivotTable
  ) {
    super(ctx, site, view, many)
  }

  override collect(name: string, sent: ReadonlyMap<string, readonly string[]>) {
    const rows = collectRows(name, sent)
    return rows ? [textOfRows(rows)] : collectKeys(name, sent)
  }

  rerenders(name: string, sent: ReadonlyMap<string, readonly string[]>): boolean {
    return sent.has(name + MORE)
  }

  /** Also returns false if the same record is attached twice, as its rows can't be distinguished. */
  override async takes(record: LucidRow): Promise<boolean> {
    const { hasDuplicates } = await this.attachedTo(record)
    return !hasDuplicates && (await super.takes(record))
  }

  /**
   * Parses the rows. Records whose rows were not submitted stay attached.
   *
   * @throws Error  with the first error
   */
  override read(texts: string[]): WantedRelated {
    const sent = rowsIn(texts)
    if (!sent) return super.read(texts)
    const { label, reference } = this.many
    const rows = sent.rows.filter((row) => !isBlankRow(this.columns, row))
    if (rows.length > MOST_RELATED) {
      const data = { label, count: rows.length, most: MOST_RELATED }
      throw new Error(this.site.text('manyToMany.tooMany', data))
    }
    const keys: unknown[] = []
    const shown: unknown[] = []
    const values = new Map<string, PivotValues>()
    for (const row of rows) {
      if (row.remove && !row.was) continue
      const key = fromQuery(reference.target, row.id)
      if (key === null) throw new Error(this.#noKey(row.id))
      if (row.was) shown.push(key)
      if (row.remove) continue
      if (values.has(String(key)))
        throw new Error(this.site.text('manyToMany.twice', { label, key }))
      keys.push(key)
      values.set(String(key), this.#valuesOf(row))
    }
    return { keys, shown, values }
  }

  override async stored(record: LucidRow): Promise<string[]> {
    const { records } = await this.attachedTo(record)
    const rows = records.map((one) => ({ ...this.#rowOf(one), was: this.#valuesIn(one) }))
    return [textOfRows({ rows, isTyped: false })]
  }

  override async copied(record: LucidRow): Promise<string[]> {
    const { records } = await this.attachedTo(record)
    return [textOfRows({ rows: records.map((one) => this.#rowOf(one)), isTyped: false })]
  }

  override async data(ctx: HttpContext, name: string, texts: string[]): Promise<any> {
    const sent: SentPivotRows = rowsIn(texts) ?? {
      rows: keysIn(texts).chosen.map((id): SentPivotRow => ({ id, cells: {} })),
      isTyped: false,
    }
    const ids = sent.rows.flatMap(({ id }) => (id === '' ? [] : [id]))
    const titles = await titlesOf(ctx, this.many.reference, this.#readable(ids))
    return await pivotRowViews(ctx, this.site, this.view, this.many, {
      name,
      columns: this.columns,
      rows: sent.rows,
      isTyped: sent.isTyped,
      wantsMore: sent.wantsMore === true,
      titles,
    })
  }

  #readable(ids: readonly string[]): unknown[] {
    const { target } = this.many.reference
    return ids.map((id) => fromQuery(target, id)).filter((key) => key !== null)
  }

  /** Returns the values of a row; for an existing row only the changed ones. */
  #valuesOf({ cells, was }: SentPivotRow): PivotValues {
    const values: Record<string, unknown> = {}
    const begun: Record<string, unknown> = {}
    for (const column of this.columns) {
      const texts = cells[column.name]
      if (!texts) continue
      const read = readPivotCell(this.site, column, texts)
      if (read.error !== undefined) throw new Error(read.error)
      if (read.value === undefined) continue
      const before = was?.[column.name] ?? null
      const isSame = writeJson(this.table.toApi(column.name, read.value)) === writeJson(before)
      if (was && isSame) continue
      values[column.name] = read.value
      begun[column.name] = before
    }
    return was ? { values, begun } : { values }
  }

  #rowOf(record: AttachedRecord): SentPivotRow {
    const values = this.#valuesIn(record)
    const cells = this.columns.map((column) => [
      column.name,
      pivotTexts(column, values[column.name]),
    ])
    return { id: record.value, cells: Object.fromEntries(cells) }
  }

  #valuesIn({ row }: AttachedRecord): Record<string, unknown> {
    const values = this.columns.map(({ name }) => [name, this.table.toApi(name, row[name])])
    return Object.fromEntries(values)
  }

  #noKey(key: string): string {
    const { label } = this.many
    return key === ''
      ? this.site.text('manyToMany.choose', { label })
      : this.site.text('manyToMany.noKey', { label, key: key.slice(0, 80) })
  }
}

/** A submitted row of a many-to-many field with pivot columns. */
interface SentPivotRow {
  /** Key of the related record; empty in a blank row */
  id: string
  /** Texts by column */
  cells: Record<string, string[]>
  /** Initial values of the row in the form, in the format of the API; undefined for a new row */
  was?: Record<string, unknown>
  remove?: boolean
}

interface SentPivotRows {
  rows: SentPivotRow[]
  /** True if the rows were submitted, so that errors are shown */
  isTyped: boolean
  /** True if another blank row is requested */
  wantsMore?: boolean
}

/** Suffix of the button that adds a blank row */
const MORE = '.__more'

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
function collectRows(
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

function textOfRows(rows: SentPivotRows): string {
  return STATE + writeJson(rows)
}

/**
 * Parses serialized rows.
 *
 * @returns undefined for texts that only contain keys
 */
function rowsIn([text]: readonly string[]): SentPivotRows | undefined {
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

interface PivotRowsState {
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
interface PivotRowView {
  number: number | string
  /** Title of the attached record; undefined in a new row, in which the record is selected */
  title: string | undefined
  hidden: Array<{ name: string; value: string }>
  /** Fields of the row; in a new row, the first one selects the record */
  cells: FieldView[]
  remove: { name: string; checked: boolean } | undefined
}

/** Returns the template variables: rows of attached records, then new rows, the last of which are blank. */
async function pivotRowViews(
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
function isBlankRow(columns: readonly PivotColumn[], { cells, id, was }: SentPivotRow) {
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
