import { median } from '../helpers/statistics.js'
import type { Turn } from './measure.js'
import type { OperationName } from './operations.js'
import type { DriverName } from './options.js'
import { targetOf } from './targets.js'

/**
 * How often as much of the processor another contender needs for a request: 2 is twice as much as
 * ours.
 */
export interface Ratio {
  /** An operation; with `, no events` behind it, ours is the one without event integration */
  operation: string
  driver: DriverName
  versus: string
  ratio: number
  /** What it ought to be at least */
  target?: number
}

/**
 * The ratios of one operation: each the median of those of the rounds.
 */
export function ratiosOf(
  operation: OperationName,
  driver: DriverName,
  turns: readonly Turn[]
): Ratio[] {
  const names = [...new Set(turns.map((turn) => turn.contender))]
  const ours = names.filter((name) => name.startsWith('ours'))
  const others = names.filter((name) => !ours.includes(name))
  return ours.flatMap((own) =>
    others.map((versus) => {
      const name = operation + own.slice('ours'.length)
      const ratio = round(median(perRound(turns, versus, own)))
      const target = targetOf(name, driver, versus)
      return { operation: name, driver, versus, ratio, ...(target !== undefined && { target }) }
    })
  )
}

function perRound(turns: readonly Turn[], versus: string, own: string): number[] {
  const cpuOf = (contender: string) =>
    turns.filter((turn) => turn.contender === contender).map(({ cpu }) => cpu)
  const owns = cpuOf(own)
  return cpuOf(versus).map((cpu, index) => cpu / owns[index])
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
