/*
 * How fast the endpoints and the admin's list are beside the same written by hand, beside the least
 * that a server can do, and beside others. `npm run bench [-- --help]`
 */
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Contender } from './bench/contender.js'
import { FLOOR, HAND_WRITTEN, OURS, OURS_WITHOUT_EVENTS, RAW } from './bench/contenders.js'
import { startEntrants, stopEntrants, type Entrant } from './bench/entrants.js'
import { measure } from './bench/measure.js'
import { installNestCrud } from './bench/nest_crud.js'
import { OPERATIONS, type Operation } from './bench/operations.js'
import { readOptions, USAGE, type BenchOptions, type DriverName } from './bench/options.js'
import { profileEntrant } from './bench/profile.js'
import { ratiosOf, type Ratio } from './bench/ratios.js'
import { reportOf } from './bench/report.js'
import { checkSameAnswers } from './bench/same_answers.js'
import { scratchFolder } from './helpers/application.js'
import { loadGenerator } from './helpers/load.js'

if (process.argv.includes('--help')) {
  console.log(USAGE)
} else {
  try {
    await main(readOptions(process.argv.slice(2)))
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
}

async function main(options: BenchOptions) {
  /* Nothing but the result goes to standard output with --json. */
  const tell = options.json ? console.error : console.log
  const { rounds, seconds, connections } = options
  tell(
    `${rounds} rounds of ${seconds} s, ${connections} connections by ${loadGenerator()}, Node.js ${process.version}\n`
  )
  const ratios: Ratio[] = []
  for (const driver of options.drivers) ratios.push(...(await benchDriver(driver, options, tell)))

  if (options.json) console.log(JSON.stringify({ ratios }, null, 2))
  if (options.quick) guard(ratios)
}

async function benchDriver(
  driver: DriverName,
  options: BenchOptions,
  tell: (text: string) => void
): Promise<Ratio[]> {
  const folder = scratchFolder()
  let entrants: Entrant[] = []
  try {
    entrants = await startEntrants(driver, await contendersFor(options), folder.path)
    await checkSameAnswers(entrants)
    tell(`${driver}: ${entrants.length} contenders give the same answers\n`)

    const ratios: Ratio[] = []
    for (const operation of operationsFor(options)) {
      if (options.profile) {
        for (const entrant of entrants) {
          if (!entrant.contender.operations.includes(operation.name)) continue
          const profileOptions = { ...options, driver, folder: profileFolder() }
          tell(await profileEntrant(operation, entrant, profileOptions))
        }
        continue
      }
      const turns = await measure(operation, entrants, options)
      const some = ratiosOf(operation.name, driver, turns)
      tell(reportOf(`${operation.name}, ${driver}`, turns, some))
      ratios.push(...some)
    }
    return ratios
  } finally {
    await stopEntrants(entrants)
    folder.remove()
  }
}

async function contendersFor(options: BenchOptions): Promise<Contender[]> {
  const { contenders: wanted, peers, profile, quick } = options
  const own = [OURS, OURS_WITHOUT_EVENTS, HAND_WRITTEN, FLOOR, RAW]
  const all = peers ? [...own, installNestCrud()] : own
  if (wanted) return all.filter(({ name }) => wanted.includes(name))
  if (profile) return [OURS]
  return quick ? [OURS, HAND_WRITTEN] : all
}

function operationsFor({ operations, quick }: BenchOptions): readonly Operation[] {
  const wanted = operations ?? (quick ? ['read one', 'list page'] : undefined)
  return wanted ? OPERATIONS.filter(({ name }) => wanted.includes(name)) : OPERATIONS
}

/** A ratio that is only a little lower may be the machine's; half of the target is not. */
function guard(ratios: readonly Ratio[]) {
  for (const { operation, driver, versus, ratio, target } of ratios) {
    if (target === undefined || ratio >= target / 2) continue
    console.error(
      `${operation} on ${driver} is ${ratio} times as fast as ${versus}: less than half of the target, ${target}`
    )
    process.exitCode = 1
  }
}

function profileFolder(): string {
  const folder = fileURLToPath(new URL('../tmp/bench/', import.meta.url))
  mkdirSync(folder, { recursive: true })
  return folder
}
