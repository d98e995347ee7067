import type { HttpContext } from '@adonisjs/core/http'
import { LucidCrud } from '#crud'
import type { Column } from '#base/columns/column'
import { OutOfTime, withinTime } from '#base/database/time_limit'
import type { ModelView } from '../../views/model_view.js'
import type { Site } from '../../views/site.js'
import type { ShownCell } from '../cell.js'
import { figureCell } from '../list_table.js'
import type { ListParameters } from '../list_parameters.js'
import type { Summary } from './summaries.js'

/* Milliseconds after which the database ends an aggregation, so that it does not delay the page for long */
const TIMEOUT = 5000

/** The summaries of one column, as shown under the list. */
interface ShownSummary {
  column: Column
  label: string
  figures: Array<{ of: string; label: string; cell: ShownCell }>
}

/** Summaries of all matching records, or the reason why they are missing. */
export interface ListSummary {
  columns: ShownSummary[]
  failure: 'slow' | 'tooMany' | 'failed' | null
}

/**
 * Returns the summaries under a list; null if none are chosen or the list can't be aggregated.
 *
 * @param totals  their values, by the names of `nameOf`, if they are known
 * @throws Problem 403  if the policy refuses listing
 */
export async function listSummary(
  ctx: HttpContext,
  site: Site,
  parameters: ListParameters,
  totals?: Record<string, unknown>
): Promise<ListSummary | null> {
  const { view } = parameters
  const summaries = parameters.shownSummaries
  if (summaries.length === 0 || !canAggregate(view)) return null
  const found = totals
    ? [totals]
    : await aggregated(ctx, parameters, { select: summaries.map(nameOf) })
  if (!Array.isArray(found)) return { columns: [], failure: found }
  return { columns: shownSummaries(site, view, summaries, found[0]), failure: null }
}

/**
 * Returns figures by column.
 *
 * @param row  figures by the names of `nameOf`
 */
export function shownSummaries(
  site: Site,
  view: ModelView,
  summaries: readonly Summary[],
  row: Record<string, unknown>
): ShownSummary[] {
  const columns = Map.groupBy(summaries, ({ column }) => column)
  return [...columns].map(([column, some]) => ({
    column,
    label: view.labelOf(column.apiName),
    figures: some.map((one) => ({
      of: one.of,
      label: site.text(`list.summaries.${one.of}`),
      cell: figureCell(site, view, one, row[nameOf(one)]),
    })),
  }))
}

/**
 * Returns false if application code reads the lists but not the aggregations: it may leave out records that an
 * aggregation would count.
 */
export function canAggregate({ crud }: ModelView): boolean {
  const { aggregate, getMulti } = LucidCrud.prototype
  return crud.getMulti === getMulti || crud.aggregate !== aggregate
}

/**
 * Aggregates the records of a list, within a time limit.
 *
 * @returns the groups, or the reason why there are none
 * @throws Problem 403  if the policy refuses listing
 */
export async function aggregated(
  ctx: HttpContext,
  parameters: ListParameters,
  words: {
    select: readonly string[]
    groupBy?: string
    zone?: string
    limit?: number
    sort?: string
    totals?: (row: Record<string, unknown>) => void
  }
): Promise<Array<Record<string, unknown>> | 'slow' | 'tooMany' | 'failed'> {
  const { view } = parameters
  try {
    return await withinTime(TIMEOUT, () =>
      view.crud.aggregate(parameters.toRequest(), { ...view.callOptions(ctx), ...words })
    )
  } catch (error) {
    if (error instanceof OutOfTime) return 'slow'
    const { status } = error as { status?: number }
    if (status === 403) throw error
    if (status === 422) return 'tooMany'
    ctx.logger.error({ err: error }, `${view.name} could not be aggregated`)
    return 'failed'
  }
}

/** Returns the name of a summary in an aggregation. */
export function nameOf({ column, of }: Summary): string {
  return `${of}:${column.apiName}`
}
