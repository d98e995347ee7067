import { scaleBand, scaleLinear } from 'd3-scale'

const HEIGHT = 24
/* A day without a record is a line, so that the days can be counted. */
const LEAST = 1.5

/**
 * Draws numbers as a row of small bars: decoration next to a text that says them. Widths are percentages,
 * heights pixels; the stylesheet sets the colours.
 *
 * @param counts  one a day, oldest first
 */
export function trend(counts: readonly number[]): string {
  const across = scaleBand<number>()
    .domain(counts.map((_, index) => index))
    .range([0, 100])
    .paddingInner(0.3)
  const up = scaleLinear()
    .domain([0, Math.max(1, ...counts)])
    .range([LEAST, HEIGHT])
  const bars = counts.map((count, index) => {
    const height = round(up(count))
    const x = round(across(index)!)
    const kind = count === 0 ? ' class="trend-none"' : ''
    return `<rect${kind} x="${x}%" y="${round(HEIGHT - height)}" width="${round(across.bandwidth())}%" height="${height}" rx="1"/>`
  })
  return `<svg class="trend" aria-hidden="true" height="${HEIGHT}">${bars.join('')}</svg>`
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
