import { median } from '../helpers/statistics.js'
import { tableOf } from '../helpers/table.js'
import type { Turn } from './measure.js'
import type { Ratio } from './ratios.js'

/** Formats the measurements of an operation, and by how much ours is better. */
export function reportOf(title: string, turns: readonly Turn[], ratios: readonly Ratio[]): string {
  const names = [...new Set(turns.map((turn) => turn.contender))].toSorted()
  /* Of CPU time, without events, then of requests a second. */
  const columns = [...new Set(ratios.map(({ operation }) => operation))]
  const rows = names.map((name) => {
    const own = turns.filter((turn) => turn.contender === name)
    const middle = (value: (turn: Turn) => number) => median(own.map(value))
    return [
      name,
      middle(({ cpu }) => cpu).toFixed(3),
      middle(({ perSecond }) => perSecond).toFixed(0),
      middle(({ p99 }) => p99).toFixed(1),
      ...columns.map((operation) => comparison(operation, name, ratios)),
    ]
  })
  return `${title}\n${tableOf(['', 'CPU ms', 'requests/s', 'p99 ms', ...columns], rows)}\n`
}

function comparison(operation: string, name: string, ratios: readonly Ratio[]): string {
  const found = ratios.find((one) => one.versus === name && one.operation === operation)
  if (!found) return ''
  const { ratio, target } = found
  if (target === undefined) return `${ratio.toFixed(2)}x`
  return `${ratio.toFixed(2)}x (target ${target}${ratio < target ? ', missed' : ''})`
}
