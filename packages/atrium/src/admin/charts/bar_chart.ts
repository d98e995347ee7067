import { scaleBand, scaleLinear } from 'd3-scale'
import { escaped } from '../text/plain_text.js'

const HEIGHT = 180
const AXIS_HEIGHT = 24
const MOST_LABELS = 6
/* Maximum number of bars that all get a label, and maximum length of their labels in characters */
const FEW_BARS = 10
const SHORT_LABEL = 10
/* Number of labels that fit on a phone */
const FITTING_LABELS = 3
/* Maximum percentage of the width for one bar with its gap */
const WIDEST = 16
/* Minimum height of a bar, so that one record stays visible next to thousands on another day. */
const LEAST_BAR = 2

/** The texts of a chart, in the viewer's language. */
export interface ChartTexts {
  title: string
  /** Description for screen readers, in addition to the title */
  description: string
  /** Locale of dates and numbers. Default: en */
  locale?: string
}

/** A bar: the number of records of a day. */
export interface Bar {
  label: string
  count: number
}

/**
 * Renders bars as an SVG chart.
 *
 * Horizontal lengths are percentages and vertical ones pixels: the bars grow with the page while the text keeps its
 * size. The stylesheet sets colours by class, and the space for the axis labels on the left as padding.
 *
 * @param id  prefix of the ids in the chart, unique on its page
 */
export function barChart(
  all: readonly Bar[],
  { title, description, locale = 'en' }: ChartTexts,
  id: string
): string {
  const numbers = new Intl.NumberFormat(locale)
  const ticks = new Intl.NumberFormat(locale, { notation: 'compact' })

  const across = scaleBand<number>()
    .domain(all.map((_, index) => index))
    .range([0, Math.min(100, all.length * WIDEST)])
    .paddingInner(0.25)
  const up = scaleLinear()
    .domain([0, Math.max(1, ...all.map(({ count }) => count))])
    .nice(4)
    .range([HEIGHT, 0])

  const lines = gridLines(up, up.ticks(4).filter(Number.isInteger), ticks)

  const bars = all.map(({ label, count }, index) => {
    const x = across(index)!
    const height = count === 0 ? 0 : Math.max(LEAST_BAR, HEIGHT - up(count))
    const text = escaped(`${label}: ${numbers.format(count)}`)
    const bar = `<rect class="chart-bar" ${place(x, across.bandwidth(), height)} rx="2"/>`
    /* The hover target has the full height, because low bars would be hard to hit. */
    const target = `<rect class="chart-target" ${place(x - (across.step() - across.bandwidth()) / 2, across.step(), HEIGHT)}/>`
    return `<g class="chart-day"><title>${text}</title>${target}${height ? bar : ''}</g>`
  })

  const fit = all.length <= FEW_BARS && all.every(({ label }) => label.length <= SHORT_LABEL)
  const names = all.map(({ label }) => label)
  const labels = axisLabels(names, {
    y: HEIGHT + AXIS_HEIGHT - 6,
    xOf: (index) => across(index)! + across.bandwidth() / 2,
    most: fit ? all.length : MOST_LABELS,
    fitting: FITTING_LABELS,
  })

  return (
    `<svg class="records-chart" role="img" aria-labelledby="${id}-title" ` +
    `aria-describedby="${id}-description" width="100%" height="${HEIGHT + AXIS_HEIGHT}">` +
    `<title id="${id}-title">${escaped(title)}</title>` +
    `<desc id="${id}-description">${escaped(description)}</desc>` +
    [...lines, ...bars, ...labels].join('') +
    `</svg>`
  )
}

/** Formats a day such as `2026-11-21` as `21 Nov`. */
export function formatDay(day: string, months: readonly string[]): string {
  const [, month, date] = /^\d{4}-(\d\d)-(\d\d)$/.exec(day) ?? []
  return month === undefined ? day : `${Number(date)} ${months[Number(month) - 1]}`
}

/** Returns horizontal lines at the ticks of a vertical scale, with their numbers. */
export function gridLines(
  up: (value: number) => number,
  ticks: readonly number[],
  format: Intl.NumberFormat
): string[] {
  return ticks.map((value) => {
    const y = round(up(value))
    return (
      `<line class="chart-line" x1="0" x2="100%" y1="${y}" y2="${y}"/>` +
      `<text class="chart-label" x="-8" y="${y}" dy="0.32em" text-anchor="end">` +
      `${escaped(format.format(value))}</text>`
    )
  })
}

/**
 * Returns labels below the bars. They are counted back from the last bar, so that the last bar always has a label.
 *
 * @param options.most     maximum number of labels
 * @param options.fitting  number of labels that fit on a phone; with more, every other label is hidden there
 */
export function axisLabels(
  labels: readonly string[],
  options: { y: number; xOf: (index: number) => number; most: number; fitting: number }
): string[] {
  const { fitting, most, xOf, y } = options
  const every = Math.max(1, Math.ceil(labels.length / most))
  return labels.flatMap((label, index) => {
    const fromEnd = labels.length - 1 - index
    if (fromEnd % every !== 0) return []
    const isMinor = labels.length > fitting && (fromEnd / every) % 2 === 1
    const style = isMinor ? 'chart-label chart-label-minor' : 'chart-label'
    return `<text class="${style}" x="${round(xOf(index))}%" y="${y}" text-anchor="middle">${escaped(label)}</text>`
  })
}

function place(x: number, width: number, height: number): string {
  return `x="${round(x)}%" y="${round(HEIGHT - height)}" width="${round(width)}%" height="${round(height)}"`
}

/** Returns the attributes of a shape: its class, and the colour of the value that it stands for. */
export function painted(style: string, color: string | undefined): string {
  return color === undefined ? `class="${style}"` : `class="${style}" data-color="${color}"`
}

/** Rounds a length to two decimals. */
export function round(value: number): number {
  return Math.round(value * 100) / 100
}
