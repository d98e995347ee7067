import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Column } from '#base/columns/column'
import { readCondition } from '#base/columns/condition'
import type { Site } from '../../views/site.js'
import { ListParameters } from '../../list/list_parameters.js'
import { figureCell } from '../../list/list_table.js'
import { listSummary, shownSummaries, type ListSummary } from '../../list/summaries/list_summary.js'
import { readSummaries, type Summary } from '../../list/summaries/summaries.js'
import { inputName, type FormField } from '../fields/form_field.js'
import { MoneyWidget } from '../fields/widgets/money_widget.js'
import { isForbidden } from '../submission/form_failure.js'
import type { InlineRows } from './inline_rows.js'
import { referredValue } from './rows.js'

/* Sample number: its text shows the script the units, decimals and separators of a figure */
const SAMPLE = 1_000_000

/** A figure that the script computes from the inputs of the rows. */
interface LiveFigure {
  /** Name of the input in a row */
  input: string
  /** Text of a figure, in which the script replaces the number */
  sample: string
}

type Figure = ListSummary['columns'][number]['figures'][number] & { live: LiveFigure | null }

/** Figures of the saved rows. */
export interface InlineTotals {
  columns: Array<{ label: string; figures: Figure[] }>
  failure: ListSummary['failure']
  /** True if no rows are saved, so that only the script has figures */
  isNew: boolean
}

/**
 * Returns the figures below the rows of a form, computed from the saved rows that the signed-in user can see; null if
 * there are none.
 *
 * @param record  parent record; undefined in a create form
 */
export async function inlineTotals(
  ctx: HttpContext,
  site: Site,
  rows: InlineRows,
  record: LucidRow | undefined
): Promise<InlineTotals | null> {
  const { view, summaries: words } = rows.inline
  const summaries = readSummaries(view, words.join())
  const found = summaries.length > 0 && (await savedTotals(ctx, site, rows, record, summaries))
  if (!found) return null
  const columns = found.columns.map(({ column, label, figures }) => ({
    label,
    figures: figures.map((one) => ({ ...one, live: liveFigure(site, rows, column, one.of) })),
  }))
  const all = columns.flatMap(({ figures }) => figures)
  const hasLive = all.some(({ live }) => live)
  for (const one of hasLive ? all.filter(({ live }) => !live) : []) {
    one.label = site.text('inlines.totals.saved', { of: one.label })
  }
  return record || hasLive ? { columns, failure: found.failure, isNew: !record } : null
}

async function savedTotals(
  ctx: HttpContext,
  site: Site,
  { inline }: InlineRows,
  record: LucidRow | undefined,
  summaries: readonly Summary[]
): Promise<ListSummary | null> {
  const value = record && referredValue(inline, record)
  if (!value) return { columns: shownSummaries(site, inline.view, summaries, {}), failure: null }
  const fixed = [readCondition(inline.column, 'eq', value)]
  try {
    return await listSummary(ctx, site, new ListParameters(inline.view, { fixed, summaries }))
  } catch (error) {
    if (isForbidden(error)) return null
    throw error
  }
}

/** Returns null for averages, and if the form does not contain the value of each row as a number. */
function liveFigure(site: Site, rows: InlineRows, column: Column, of: string): LiveFigure | null {
  const { fields, inline, isTooLong, mayCreate, stored } = rows
  const isNumber = (all: readonly FormField[]) =>
    all.some((field) => field.column?.apiName === column.apiName && isNumeric(field))
  const isWhole = stored.every((row) => row.mayUpdate && !row.readOnly.has(column.apiName))
  const isLive =
    of !== 'avg' &&
    !isTooLong &&
    isWhole &&
    (stored.length === 0 || isNumber(fields.update)) &&
    (!mayCreate || isNumber(fields.create))
  if (!isLive) return null
  const { text } = figureCell(site, inline.view, { column, of: 'sum' }, SAMPLE)
  return { input: inputName(column.apiName), sample: text }
}

function isNumeric({ widget }: FormField): boolean {
  return widget === 'number' || widget instanceof MoneyWidget
}
