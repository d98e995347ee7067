import { scaleBand, scaleLinear } from 'd3-scale'
import { escaped } from '../text/plain_text.js'

/** Data of a drawing: the labels of its axis, and the numbers at each label. */
interface Drawing {
  kind: 'bars' | 'lines' | 'stacked'
  isTime: boolean
  title: string
  labels: readonly string[]
  /** Maximum length of a name to the left of horizontal bars, in characters. Default: that of a card */
  longestName?: number
  /** Colours of the values on the axis, if there is only one series */
  colors: ReadonlyArray<string | undefined>
  series: ReadonlyArray<{
    label: string
    color?: string
    values: readonly number[]
    texts: readonly string[]
  }>
}

const HEIGHT = 160
const AXIS = 22
const MOST_LABELS = 6
const ROW = 28
const BAR = 14
/*
 * Width in percent of the names to the left of horizontal bars, which are cut off there, and maximum length of a name in
 * the characters of a card
 */
const NAMES = 36
const LONGEST_NAME = 16
/* Space to the right of horizontal bars for the number, in percent */
const NUMBERS = 18

/**
 * Draws the numbers as SVG, on the server. Horizontal lengths are percentages and vertical ones pixels, so that the
 * drawing is as wide as the card while texts keep their size. The stylesheet sets the colours.
 */
export function draw(drawing: Drawing): string {
  const isRows = !drawing.isTime && drawing.kind !== 'lines'
  const [height, content] = isRows ? rows(drawing) : columns(drawing)
  const style = isRows ? 'card-chart card-chart-rows' : 'card-chart'
  return `<svg class="${style}" role="img" aria-label="${escaped(drawing.title)}" width="100%" height="${height}">${content}</svg>`
}

/** Draws horizontal bars, for names that need space. */
function rows({ colors, labels, longestName, series }: Drawing): [height: number, content: string] {
  const [low, high] = extent(series, labels.length)
  const across = scaleLinear()
    .domain([low, high])
    .range([NAMES, 100 - NUMBERS])
  const content = labels.map((label, row) => {
    const y = row * ROW
    const stack = stackOf(series, row)
    const bars = stack.map(({ from, to, at }) => {
      const [x, end] = [across(Math.min(from, to)), across(Math.max(from, to))]
      return `<rect ${painted(`bar-${at}`, series[at].color ?? colors[row])} x="${round(x)}%" y="${y + (ROW - BAR) / 2}" width="${round(Math.max(end - x, 0.4))}%" height="${BAR}" rx="2"/>`
    })
    const text = series.length === 1 ? compact(series[0].texts[row], series[0].values[row]) : ''
    const middle = y + ROW / 2
    return (
      `<g><title>${escaped(titleOf(label, series, row))}</title>${bars.join('')}` +
      `<svg width="${NAMES - 1}%" y="${row * ROW}" height="${ROW}"><text class="chart-label" x="0" y="${ROW / 2}" dy="0.32em">${escaped(shortened(label, longestName))}</text></svg>` +
      `<text class="chart-label chart-value" x="100%" y="${middle}" dy="0.32em" text-anchor="end">${escaped(text)}</text></g>`
    )
  })
  return [labels.length * ROW, content.join('')]
}

function columns(drawing: Drawing): [height: number, content: string] {
  const { colors, kind, labels, series } = drawing
  const [low, high] = extent(series, labels.length, kind !== 'lines')
  const up = scaleLinear().domain([low, high]).nice(4).range([HEIGHT, 0])
  const across = scaleBand<number>()
    .domain(labels.map((_, at) => at))
    .range([0, 100])
    .paddingInner(0.25)
  const isWhole = series.every(({ values }) => values.every(Number.isInteger))
  const ticks = up.ticks(4).filter((tick) => !isWhole || Number.isInteger(tick))
  const lines = gridLines(up, ticks, COMPACT)
  const shapes = kind === 'lines' ? curves(drawing, across, up) : ''
  const marks = labels.map((label, at) => {
    const stack = kind === 'lines' ? [] : stackOf(series, at)
    const bars = stack.map(({ from, to, at: index }) => {
      const [top, bottom] = [up(Math.max(from, to)), up(Math.min(from, to))]
      return `<rect ${painted(`bar-${index}`, series[index].color ?? colors[at])} x="${round(across(at)!)}%" y="${round(top)}" width="${round(across.bandwidth())}%" height="${round(Math.max(bottom - top, 1))}" rx="2"/>`
    })
    const x = round(across(at)! - (across.step() - across.bandwidth()) / 2)
    return (
      `<g class="chart-day"><title>${escaped(titleOf(label, series, at))}</title>` +
      `<rect class="chart-target" x="${x}%" y="0" width="${round(across.step())}%" height="${HEIGHT}"/>${bars.join('')}</g>`
    )
  })
  const short = labels.map((label) => shortened(label, 12))
  const names = axisLabels(short, {
    y: HEIGHT + AXIS - 5,
    xOf: (at) => across(at)! + across.bandwidth() / 2,
    most: MOST_LABELS,
    fitting: 0,
  })
  return [HEIGHT + AXIS, [...lines, ...marks, shapes, ...names].join('')]
}

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact' })

/*
 * Maximum length of a number next to a bar. Longer numbers are shortened; the table shows all digits.
 */
const LONGEST_NUMBER = 9

/** Shortens the text of a long number, with its units: `$60,435,609,765` is `$60B`. */
function compact(text: string, value: number): string {
  if (text.length <= LONGEST_NUMBER || !Number.isFinite(value)) return text
  const [, before, after] = /^(\D*)[\d.,\s]*(.*)$/s.exec(text.replace('-', ''))!
  return `${value < 0 ? '-' : ''}${before}${COMPACT.format(Math.abs(value))}${after}`
}

/**
 * Draws lines in an inner SVG element that is stretched to the width of the card, because paths cannot contain
 * percentages.
 */
function curves(
  { series }: Drawing,
  across: ReturnType<typeof scaleBand<number>>,
  up: (value: number) => number
): string {
  const paths = series.map(({ color, values }, index) => {
    const points = values.map(
      (value, at) => `${round(across(at)! + across.bandwidth() / 2)},${round(up(value))}`
    )
    return `<polyline ${painted(`line-${index}`, color)} points="${points.join(' ')}" vector-effect="non-scaling-stroke"/>`
  })
  return `<svg viewBox="0 0 100 ${HEIGHT}" preserveAspectRatio="none" width="100%" height="${HEIGHT}">${paths.join('')}</svg>`
}

interface Piece {
  from: number
  to: number
  /** Index of the series */
  at: number
}

/** Returns the pieces of a bar: positive values upwards, negative ones downwards. */
function stackOf(series: Drawing['series'], at: number): Piece[] {
  let [above, below] = [0, 0]
  return series.flatMap(({ values }, index) => {
    const value = values[at]
    if (value === 0) return []
    const from = value > 0 ? above : below
    if (value > 0) above += value
    else below += value
    return { from, to: from + value, at: index }
  })
}

function extent(series: Drawing['series'], count: number, isStacked = true): [number, number] {
  const all = isStacked
    ? Array.from({ length: count }, (_, at) =>
        stackOf(series, at).flatMap(({ from, to }) => [from, to])
      ).flat()
    : series.flatMap(({ values }) => [...values])
  const [low, high] = [Math.min(0, ...all), Math.max(0, ...all)]
  return low === high ? [0, 1] : [low, high]
}

function titleOf(label: string, series: Drawing['series'], at: number): string {
  const values = series.map(({ label: name, texts }) => (name ? `${name} ${texts[at]}` : texts[at]))
  return `${label}: ${values.join(', ')}`
}

function shortened(text: string, longest = LONGEST_NAME): string {
  const characters = [...text]
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : text
}

const BARS_HEIGHT = 180
const BARS_AXIS_HEIGHT = 24
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
interface Bar {
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
    .range([BARS_HEIGHT, 0])

  const lines = gridLines(up, up.ticks(4).filter(Number.isInteger), ticks)

  const bars = all.map(({ label, count }, index) => {
    const x = across(index)!
    const height = count === 0 ? 0 : Math.max(LEAST_BAR, BARS_HEIGHT - up(count))
    const text = escaped(`${label}: ${numbers.format(count)}`)
    const bar = `<rect class="chart-bar" ${place(x, across.bandwidth(), height)} rx="2"/>`
    /* The hover target has the full height, because low bars would be hard to hit. */
    const target = `<rect class="chart-target" ${place(x - (across.step() - across.bandwidth()) / 2, across.step(), BARS_HEIGHT)}/>`
    return `<g class="chart-day"><title>${text}</title>${target}${height ? bar : ''}</g>`
  })

  const fit = all.length <= FEW_BARS && all.every(({ label }) => label.length <= SHORT_LABEL)
  const names = all.map(({ label }) => label)
  const labels = axisLabels(names, {
    y: BARS_HEIGHT + BARS_AXIS_HEIGHT - 6,
    xOf: (index) => across(index)! + across.bandwidth() / 2,
    most: fit ? all.length : MOST_LABELS,
    fitting: FITTING_LABELS,
  })

  return (
    `<svg class="records-chart" role="img" aria-labelledby="${id}-title" ` +
    `aria-describedby="${id}-description" width="100%" height="${BARS_HEIGHT + BARS_AXIS_HEIGHT}">` +
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
function gridLines(
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
function axisLabels(
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
  return `x="${round(x)}%" y="${round(BARS_HEIGHT - height)}" width="${round(width)}%" height="${round(height)}"`
}

/** Returns the attributes of a shape: its class, and the colour of the value that it stands for. */
function painted(style: string, color: string | undefined): string {
  return color === undefined ? `class="${style}"` : `class="${style}" data-color="${color}"`
}

/** Rounds a length to two decimals. */
export function round(value: number): number {
  return Math.round(value * 100) / 100
}
