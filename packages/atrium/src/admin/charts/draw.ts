import { scaleBand, scaleLinear } from 'd3-scale'
import { axisLabels, gridLines, painted, round } from './bar_chart.js'
import { escaped } from '../text/plain_text.js'

/** Data of a drawing: the labels of its axis, and the numbers at each label. */
export interface Drawing {
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
