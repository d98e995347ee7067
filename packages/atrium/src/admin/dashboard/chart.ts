import { Info } from 'luxon'
import { scaleBand, scaleLinear } from 'd3-scale'

const HEIGHT = 180
const AXIS_HEIGHT = 24
const MOST_LABELS = 6
/* Keeps a day of one record visible next to a day of thousands. */
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
 * Horizontal lengths are percentages and vertical ones pixels: the bars grow with the page while
 * the text keeps its size. The stylesheet sets colours by class; the space for the axis labels on
 * the left is its padding.
 *
 * @param days  days without gaps, oldest first; each as in `2026-11-21`
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
        `${escapeMarkup(ticks.format(value))}</text>`
      )
    })

  const bars = days.map(({ day, count }, index) => {
    const x = across(index)!
    const height = count === 0 ? 0 : Math.max(LEAST_BAR, HEIGHT - up(count))
    const text = escapeMarkup(`${formatDay(day, months)}: ${numbers.format(count)}`)
    const bar = `<rect class="chart-bar" ${place(x, across.bandwidth(), height)} rx="2"/>`
    /* The hover target has the full height, as low bars would be hard to hit. */
    const target = `<rect class="chart-target" ${place(x - (across.step() - across.bandwidth()) / 2, across.step(), HEIGHT)}/>`
    return `<g class="chart-day"><title>${text}</title>${target}${height ? bar : ''}</g>`
  })

  /* Counted back from the last day, so that it always has a label. */
  const every = Math.max(1, Math.ceil(days.length / MOST_LABELS))
  const labels = days.flatMap(({ day }, index) => {
    if ((days.length - 1 - index) % every !== 0) return []
    const x = round(across(index)! + across.bandwidth() / 2)
    const y = HEIGHT + AXIS_HEIGHT - 6
    const text = escapeMarkup(formatDay(day, months))
    /* Every other label is hidden on narrow screens. */
    const isMinor = ((days.length - 1 - index) / every) % 2 === 1
    const kind = isMinor ? 'chart-label chart-label-minor' : 'chart-label'
    return `<text class="${kind}" x="${x}%" y="${y}" text-anchor="middle">${text}</text>`
  })

  return (
    `<svg class="records-chart" role="img" aria-labelledby="records-chart-title" ` +
    `aria-describedby="records-chart-description" width="100%" height="${HEIGHT + AXIS_HEIGHT}">` +
    `<title id="records-chart-title">${escapeMarkup(title)}</title>` +
    `<desc id="records-chart-description">${escapeMarkup(description)}</desc>` +
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

function escapeMarkup(text: string): string {
  const entities: Record<string, string> = {
    '&': 'amp',
    '<': 'lt',
    '>': 'gt',
    '"': 'quot',
    "'": '#39',
  }
  return text.replace(/[&<>"']/g, (character) => `&${entities[character]};`)
}
