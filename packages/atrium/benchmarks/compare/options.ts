import { parseArgs } from 'node:util'
import { driversOption, integerOption, type DriverName } from '../helpers/options.js'
import { OPERATIONS } from './operations.js'

export interface CompareOptions {
  drivers: DriverName[]
  /** Names of the operations */
  operations: readonly string[]
  /** Names of the contenders; undefined: the default ones */
  contenders: string[] | undefined
  /** Rounds per contender and operation */
  rounds: number
  /** Duration of a round in seconds */
  seconds: number
  /** Seconds of load on each contender before the first round of an operation */
  warmUp: number
  connections: number
  peers: boolean
  json: boolean
  quick: boolean
  profile: boolean
}

const READS = ['read one', 'list page', 'admin list page']
const WRITES = ['create', 'update']

/**
 * @param name  name of the benchmark: reads or writes; undefined for both
 * @throws Error  for an unknown option or an invalid value
 */
export function readOptions(args: string[], name: string | undefined): CompareOptions {
  const { values } = parseArgs({
    args,
    options: {
      'drivers': { type: 'string' },
      'operations': { type: 'string' },
      'contenders': { type: 'string' },
      'rounds': { type: 'string' },
      'seconds': { type: 'string' },
      'warm-up': { type: 'string' },
      'connections': { type: 'string' },
      'peers': { type: 'boolean', default: false },
      'json': { type: 'boolean', default: false },
      'quick': { type: 'boolean', default: false },
      'profile': { type: 'boolean', default: false },
    },
  })
  const { peers, json, quick, profile } = values
  const number = (
    option: 'rounds' | 'seconds' | 'warm-up' | 'connections',
    least: number,
    otherwise: number
  ) => integerOption(option, values[option], { least, otherwise })
  return {
    drivers: quick && !values.drivers ? ['sqlite3'] : driversOption(values.drivers),
    operations: operationsOption(values.operations) ?? operationsOf(name, quick),
    contenders: values.contenders?.split(';').map((one) => one.trim()),
    rounds: number('rounds', 3, 5),
    seconds: number('seconds', 1, 3),
    warmUp: number('warm-up', 0, 3),
    connections: number('connections', 1, 20),
    peers,
    json,
    quick,
    profile,
  }
}

function operationsOption(text: string | undefined): string[] | undefined {
  const names = text?.split(',')
  const known = OPERATIONS.map((operation) => operation.name as string)
  const unknown = names?.find((name) => !known.includes(name))
  if (unknown === undefined) return names
  throw new Error(`--operations names ${unknown}; operations are ${known.join(', ')}`)
}

function operationsOf(name: string | undefined, isQuick: boolean): readonly string[] {
  if (name === 'writes') return WRITES
  if (name === 'reads') return READS
  return isQuick ? ['read one', 'list page'] : [...READS, ...WRITES]
}
