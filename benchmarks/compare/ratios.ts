import { median } from '../helpers/statistics.js'
import type { Turn } from './measure.js'
import type { OperationName } from './operations.js'
import type { DriverName } from '../helpers/options.js'
import { targetOf } from './targets.js'

/**
 * CPU time per request of another contender, divided by ours: 2 is twice as much.
 */
export interface Ratio {
  /** Name of the operation; with the suffix `, no events`, ours has no event integration */
  operation: string
  driver: DriverName
  versus: string
  ratio: number
  /** Minimum that is aimed at */
  target?: number
}

/**
 * Ratios of one operation, each the median over the rounds.
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
