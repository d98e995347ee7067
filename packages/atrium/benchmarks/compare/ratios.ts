import { median } from '../helpers/statistics.js'
import type { Turn } from './measure.js'
import type { OperationName } from './operations.js'
import type { DriverName } from '../helpers/options.js'
import { targetOf } from './targets.js'

/**
 * CPU time per request of another contender, divided by ours: 2 is twice as much. Of an operation with a
 * number of connections: our requests a second, divided by theirs.
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

/** Ratios of one operation's CPU time, each the median over the rounds. */
export function ratiosOf(
  operation: OperationName,
  driver: DriverName,
  turns: readonly Turn[]
): Ratio[] {
  return ratios(operation, driver, turns, (ours, theirs) => theirs.cpu / ours.cpu)
}

/** Ratios of the requests a second that are served over several concurrent connections. */
export function throughputRatiosOf(
  operation: OperationName,
  driver: DriverName,
  turns: readonly Turn[],
  connections: number
): Ratio[] {
  const name = `${operation}, ${connections} connections`
  return ratios(name, driver, turns, (ours, theirs) => ours.perSecond / theirs.perSecond)
}

function ratios(
  operation: string,
  driver: DriverName,
  turns: readonly Turn[],
  compare: (ours: Turn, theirs: Turn) => number
): Ratio[] {
  const names = [...new Set(turns.map((turn) => turn.contender))]
  const turnsOf = (name: string) => turns.filter(({ contender }) => contender === name)
  const ours = names.filter((name) => name.startsWith('ours'))
  const others = names.filter((name) => !ours.includes(name))
  return ours.flatMap((own) =>
    others.map((versus) => {
      const name = operation + own.slice('ours'.length)
      const owns = turnsOf(own)
      const ratio = round(median(turnsOf(versus).map((turn, index) => compare(owns[index], turn))))
      const target = targetOf(name, driver, versus)
      return { operation: name, driver, versus, ratio, ...(target !== undefined && { target }) }
    })
  )
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
