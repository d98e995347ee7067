import { median } from '../helpers/statistics.js'
import { tableOf } from '../helpers/table.js'
import type { Turn } from './measure.js'
import type { Ratio } from './ratios.js'

/**
 * Formats the measurements of an operation and its ratios.
 */
export function reportOf(title: string, turns: readonly Turn[], ratios: readonly Ratio[]): string {
  const names = [...new Set(turns.map((turn) => turn.contender))].toSorted()
  const rows = names.map((name) => {
    const own = turns.filter((turn) => turn.contender === name)
    const middle = (value: (turn: Turn) => number) => median(own.map(value))
    return [
      name,
      middle(({ cpu }) => cpu).toFixed(3),
      middle(({ perSecond }) => perSecond).toFixed(0),
      middle(({ p99 }) => p99).toFixed(1),
      ...['ours', 'ours, no events'].map((ours) => comparison(ours, name, ratios)),
    ]
  })
  const head = ['', 'CPU ms', 'requests/s', 'p99 ms', 'ours is better by', 'without events']
  const shown = names.includes('ours, no events') ? head.length : head.length - 1
  return `${title}\n${tableOf(
    head.slice(0, shown),
    rows.map((row) => row.slice(0, shown))
  )}\n`
}

function comparison(ours: string, name: string, ratios: readonly Ratio[]): string {
  const isWithoutEvents = ours !== 'ours'
  const found = ratios.find(
    ({ operation, versus }) =>
      versus === name && operation.endsWith(', no events') === isWithoutEvents
  )
  if (!found) return ''
  const { ratio, target } = found
  if (target === undefined) return `${ratio.toFixed(2)}x`
  return `${ratio.toFixed(2)}x (target ${target}${ratio < target ? ', missed' : ''})`
}
