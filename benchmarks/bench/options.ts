import { parseArgs } from 'node:util'

export type DriverName = 'sqlite3' | 'better-sqlite3' | 'postgres'

export interface BenchOptions {
  drivers: DriverName[]
  operations: string[] | undefined
  contenders: string[] | undefined
  /** Of each contender for each operation */
  rounds: number
  /** How long each turn lasts */
  seconds: number
  /** How long each contender warms up for each operation before the first round */
  warmUp: number
  connections: number
  peers: boolean
  json: boolean
  quick: boolean
  profile: boolean
}

export const USAGE = `npm run bench [-- OPTIONS]

  --drivers=NAMES    of sqlite3, better-sqlite3, postgres, with commas between. Default: both of
                     SQLite, and postgres if BENCH_POSTGRES_URL names a server on which databases
                     may be made (postgres://user:password@host:5432/postgres)
  --operations=NAMES of read one, list page, create, update, admin list page. Default: all
  --contenders=NAMES of ours; ours, no events; hand-written; floor; raw; NestJS crud. Default: all.
                     With semicolons between
  --rounds=NUMBER    how often each contender has its turn (default 5, at least 3)
  --seconds=NUMBER   how long a turn lasts (default 3)
  --warm-up=NUMBER   how long each contender warms up for each operation (default 3), and again until
                     it has answered 3,000 requests, five times at the most
  --connections=NUMBER  default 20
  --peers            NestJS with @dataui/crud and TypeORM, too; npm installs it, into its own folder
  --json             prints the results as JSON alone
  --quick            the guard of CI: read one and list page beside the hand-written ones, on sqlite3
                     alone; fails where a ratio is under half of its target
  --profile          where our own time goes for each operation; profiles are left in tmp/bench`

/**
 * @throws Error  for what is no option, or can't be its value
 */
export function readOptions(args: string[]): BenchOptions {
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
    name: 'rounds' | 'seconds' | 'warm-up' | 'connections',
    least: number,
    otherwise: number
  ) => {
    const value = values[name] === undefined ? otherwise : Number(values[name])
    if (!Number.isInteger(value) || value < least) {
      throw new Error(`--${name} is ${values[name]}, and must be an integer of ${least} or more`)
    }
    return value
  }
  return {
    drivers: quick && !values.drivers ? ['sqlite3'] : driversOf(values.drivers),
    operations: values.operations?.split(','),
    contenders: values.contenders?.split(';'),
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

const DRIVERS: readonly string[] = ['sqlite3', 'better-sqlite3', 'postgres']

function driversOf(text: string | undefined): DriverName[] {
  if (text === undefined) {
    return DRIVERS.filter(
      (name) => name !== 'postgres' || process.env.BENCH_POSTGRES_URL
    ) as DriverName[]
  }
  const names = text.split(',')
  for (const name of names) {
    if (!DRIVERS.includes(name)) {
      throw new Error(`--drivers names ${name}; drivers are ${DRIVERS.join(', ')}`)
    }
    if (name === 'postgres' && !process.env.BENCH_POSTGRES_URL) {
      throw new Error('BENCH_POSTGRES_URL must name the server of PostgreSQL')
    }
  }
  return names as DriverName[]
}
