import { Info, DateTime } from 'luxon'
import { scaleBand, scaleLinear } from 'd3-scale'
import type { HttpContext } from '@adonisjs/core/http'
import type { ModelView } from '../views/model_view.js'
import { presentZone } from '../time/time_zone.js'
import { escaped } from '../text/plain_text.js'

const HEIGHT = 180
const AXIS_HEIGHT = 24
const MOST_LABELS = 6
/*
 * Minimum height of a bar, so that a day with one record stays visible next to a day with thousands.
 */
const LEAST_BAR = 2

/**
 * The texts of the chart, in the viewer's language. [B1]
 */
export interface ChartTexts {
  title: string
  /** Description for screen readers, in addition to the title */
  description: string
  /** Locale of dates and numbers. Default: en */
  locale?: string
}

/**
 * Renders the number of records created per day as an SVG chart. [B23]
 *
 * Horizontal lengths are percentages and vertical ones pixels: the bars grow with the page while the text keeps its
 * size. The stylesheet sets colours by class, and the space for the axis labels on the left as padding.
 *
 * @param days  days without gaps, oldest first; each day formatted as `2026-11-21`
 */
export function recordsChart(
  days: Array<{ day: string; count: number }>,
  { title, description, locale = 'en' }: ChartTexts
): string {
  const numbers = new Intl.NumberFormat(locale)
  const ticks = new Intl.NumberFormat(locale, { notation: 'compact' })
  const months = Info.months('short', { locale })

  const across = scaleBand<number>()
    .domain(days.map((_, index) => index))
    .range([0, 100])
    .paddingInner(0.25)
  const up = scaleLinear()
    .domain([0, Math.max(1, ...days.map(({ count }) => count))])
    .nice(4)
    .range([HEIGHT, 0])

  const lines = up
    .ticks(4)
    .filter(Number.isInteger)
    .map((value) => {
      const y = round(up(value))
      return (
        `<line class="chart-line" x1="0" x2="100%" y1="${y}" y2="${y}"/>` +
        `<text class="chart-label" x="-8" y="${y}" dy="0.32em" text-anchor="end">` +
        `${escaped(ticks.format(value))}</text>`
      )
    })

  const bars = days.map(({ day, count }, index) => {
    const x = across(index)!
    const height = count === 0 ? 0 : Math.max(LEAST_BAR, HEIGHT - up(count))
    const text = escaped(`${formatDay(day, months)}: ${numbers.format(count)}`)
    const bar = `<rect class="chart-bar" ${place(x, across.bandwidth(), height)} rx="2"/>`
    /* The hover target has the full height, because low bars would be hard to hit. */
    const target = `<rect class="chart-target" ${place(x - (across.step() - across.bandwidth()) / 2, across.step(), HEIGHT)}/>`
    return `<g class="chart-day"><title>${text}</title>${target}${height ? bar : ''}</g>`
  })

  /* Labels are counted back from the last day, so that the last day always has a label. */
  const every = Math.max(1, Math.ceil(days.length / MOST_LABELS))
  const labels = days.flatMap(({ day }, index) => {
    if ((days.length - 1 - index) % every !== 0) return []
    const x = round(across(index)! + across.bandwidth() / 2)
    const y = HEIGHT + AXIS_HEIGHT - 6
    const text = escaped(formatDay(day, months))
    /* Every other label is hidden on narrow screens. */
    const isMinor = ((days.length - 1 - index) / every) % 2 === 1
    const kind = isMinor ? 'chart-label chart-label-minor' : 'chart-label'
    return `<text class="${kind}" x="${x}%" y="${y}" text-anchor="middle">${text}</text>`
  })

  return (
    `<svg class="records-chart" role="img" aria-labelledby="records-chart-title" ` +
    `aria-describedby="records-chart-description" width="100%" height="${HEIGHT + AXIS_HEIGHT}">` +
    `<title id="records-chart-title">${escaped(title)}</title>` +
    `<desc id="records-chart-description">${escaped(description)}</desc>` +
    [...lines, ...bars, ...labels].join('') +
    `</svg>`
  )
}

function place(x: number, width: number, height: number): string {
  return `x="${round(x)}%" y="${round(HEIGHT - height)}" width="${round(width)}%" height="${round(height)}"`
}

function formatDay(day: string, months: readonly string[]): string {
  const [, month, date] = /^\d{4}-(\d\d)-(\d\d)$/.exec(day) ?? []
  return month === undefined ? day : `${Number(date)} ${months[Number(month) - 1]}`
}

function round(value: number): number {
  return Math.round(value * 100) / 100
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
 * column, limited to records that the viewer is allowed to see. Runs one statement for each model. [B23, P14]
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

function createdAt(view: ModelView) {
  const { resource } = view
  return resource.columns.all.find(
    (column) => column.name === 'created_at' && !resource.conceals(column)
  )
}

const TREND_HEIGHT = 24
/*
 * Minimum height of a bar: a day without records is drawn as a line, so that the days can be counted.
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
