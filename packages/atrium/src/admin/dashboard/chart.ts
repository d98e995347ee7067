import { Info, DateTime } from 'luxon'
import { scaleBand, scaleLinear } from 'd3-scale'
import type { HttpContext } from '@adonisjs/core/http'
import type { ModelView } from '../views/model_view.js'
import { presentZone } from '../time/time_zone.js'
import { barChart, formatDay, round, type ChartTexts } from '../charts/charts.js'

/**
 * Renders the number of records created per day as an SVG chart.
 *
 * @param days  days without gaps, oldest first; each day formatted as `2026-11-21`
 */
export function recordsChart(
  days: Array<{ day: string; count: number }>,
  texts: ChartTexts
): string {
  const months = Info.months('short', { locale: texts.locale ?? 'en' })
  const bars = days.map(({ day, count }) => ({ label: formatDay(day, months), count }))
  return barChart(bars, texts, 'records-chart')
}

const DAYS = 30

/** Numbers of records created on each of the last 30 days, oldest first. */
export interface CreatedPerDay {
  /** Of all models together; each day formatted as `2026-11-21` */
  all: Array<{ day: string; count: number }>
  /** By the name of the model; models that could not be counted are missing */
  ofModel: ReadonlyMap<string, number[]>
}

/**
 * Counts the records created on each of the last 30 days, in the current time zone, of all models with a `created_at`
 * column, limited to records that the viewer is allowed to see. Runs one statement for each model.
 *
 * @param report    called for a model whose query failed; the records of the model are not counted
 * @param leaveOut  called for a model with too many records to authorize one by one
 * @returns null if no model has a `created_at` column
 */
export async function createdPerDay(
  ctx: HttpContext,
  views: ModelView[],
  report: (error: unknown) => void,
  leaveOut: (view: ModelView) => void = () => {}
): Promise<CreatedPerDay | null> {
  const noting = views.filter((view) => createdAt(view))
  if (noting.length === 0) return null

  const zone = presentZone()
  const today = DateTime.now().setZone(zone).startOf('day')
  const days = Array.from({ length: DAYS }, (_, index) =>
    today.minus({ days: DAYS - 1 - index }).toFormat('yyyy-MM-dd')
  )
  const ofModel = new Map<string, number[]>()
  await Promise.all(
    noting.map(async (view) => {
      try {
        const { apiName } = createdAt(view)!
        const options = { ...view.callOptions(ctx), zone }
        const counted = await view.crud.countByDay(apiName, days[0], options)
        if (!counted) return leaveOut(view)
        const counts = new Map(counted.map(({ day, count }) => [day, count]))
        ofModel.set(
          view.name,
          days.map((day) => counts.get(day) ?? 0)
        )
      } catch (error) {
        report(error)
      }
    })
  )
  const numbers = [...ofModel.values()]
  const all = days.map((day, index) => ({
    day,
    count: numbers.reduce((sum, one) => sum + one[index], 0),
  }))
  return { all, ofModel }
}

/*
 * Minimum number of records that count as an import; fewer records can be the first ones that a user entered
 */
const IMPORTED = 10

/**
 * Returns the names of models whose records were all created on one day, as by an import. In the chart, they would
 * make the numbers of all other models too small to see.
 */
export function importedModels(
  { ofModel }: CreatedPerDay,
  counted: ReadonlyArray<{ name: string; count: number | null }>
): string[] {
  return counted.flatMap(({ name, count }) => {
    const isOneDay = (ofModel.get(name) ?? []).includes(count ?? -1)
    return count !== null && count >= IMPORTED && isOneDay ? [name] : []
  })
}

/** Returns the numbers of all models together, except the given models. */
export function withoutModels({ all, ofModel }: CreatedPerDay, names: readonly string[]) {
  return all.map(({ day, count }, at) => ({
    day,
    count: names.reduce((left, name) => left - (ofModel.get(name)?.[at] ?? 0), count),
  }))
}

function createdAt(view: ModelView) {
  const { resource } = view
  return resource.columns.all.find(
    (column) => column.name === 'created_at' && !resource.conceals(column)
  )
}

const TREND_HEIGHT = 24
/*
 * Minimum height of a bar: a day without records is drawn as a thin line, so that the days can be counted.
 */
const LEAST = 1.5

/**
 * Draws numbers as a row of small bars, which decorate a text with the same numbers. Widths are percentages, heights
 * pixels; the stylesheet sets the colours.
 *
 * @param counts  one number a day, oldest first
 */
export function trend(counts: readonly number[]): string {
  const across = scaleBand<number>()
    .domain(counts.map((_, index) => index))
    .range([0, 100])
    .paddingInner(0.3)
  const up = scaleLinear()
    .domain([0, Math.max(1, ...counts)])
    .range([LEAST, TREND_HEIGHT])
  const bars = counts.map((count, index) => {
    const height = round(up(count))
    const x = round(across(index)!)
    const kind = count === 0 ? ' class="trend-none"' : ''
    return `<rect${kind} x="${x}%" y="${round(TREND_HEIGHT - height)}" width="${round(across.bandwidth())}%" height="${height}" rx="1"/>`
  })
  return `<svg class="trend" aria-hidden="true" height="${TREND_HEIGHT}">${bars.join('')}</svg>`
}
