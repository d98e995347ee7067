import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { SYNCHRONOUS } from '../contenders/bare/driver.js'
import { scratchFolder } from '../helpers/application.js'
import { loadGenerator } from '../helpers/load.js'
import type { DriverName } from '../helpers/options.js'
import type { Contender } from './contender.js'
import {
  FLOOR,
  HAND_WRITTEN,
  HAND_WRITTEN_SAME_PROMISES,
  OURS,
  OURS_WITHOUT_EVENTS,
  RAW,
} from './contenders.js'
import { startEntrants, stopEntrants, type Entrant } from './entrants.js'
import { measure } from './measure.js'
import { installPeers } from './peers.js'
import { OPERATIONS } from './operations.js'
import { readOptions, type CompareOptions } from './options.js'
import { profileEntrant } from './profile.js'
import { ratiosOf, throughputRatiosOf, type Ratio } from './ratios.js'
import { reportOf } from './report.js'
import { checkSameResponses } from './same_responses.js'

/**
 * Compares the endpoints and the admin site's list with hand-written ones, with the least work that
 * a server can do, and optionally with another framework.
 *
 * @param name  reads or writes; undefined for both
 */
export async function compareContenders(args: string[], name: string | undefined): Promise<void> {
  const options = readOptions(args, name)
  /* With --json, standard output has the result only. */
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
  options: CompareOptions,
  tell: (text: string) => void
): Promise<Ratio[]> {
  const folder = scratchFolder()
  let entrants: Entrant[] = []
  try {
    entrants = await startEntrants(driver, await contendersFor(options), folder.path)
    await checkSameResponses(entrants)
    const durability = driver === 'postgres' ? '' : `, all with synchronous = ${SYNCHRONOUS}`
    tell(`${driver}: ${entrants.length} contenders give the same answers${durability}\n`)

    const ratios: Ratio[] = []
    const operations = OPERATIONS.filter(({ name }) => options.operations.includes(name))
    for (const operation of operations) {
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
      if (operation.name === 'create') {
        some.push(...throughputRatiosOf(operation.name, driver, turns, options.connections))
      }
      tell(reportOf(`${operation.name}, ${driver}`, turns, some))
      ratios.push(...some)
    }
    return ratios
  } finally {
    await stopEntrants(entrants)
    folder.remove()
  }
}

async function contendersFor(options: CompareOptions): Promise<Contender[]> {
  const { contenders: wanted, peers, profile, quick } = options
  const byHand = [HAND_WRITTEN, HAND_WRITTEN_SAME_PROMISES]
  const own = [OURS, OURS_WITHOUT_EVENTS, ...byHand, FLOOR, RAW]
  const all = peers ? [...own, ...installPeers()] : own
  const unknown = wanted?.find((one) => all.every(({ name }) => name !== one))
  if (unknown !== undefined) {
    const names = all.map(({ name }) => name).join('; ')
    throw new Error(
      `--contenders names ${unknown}; contenders are ${names} (NestJS crud, Fastify and Hono: with --peers)`
    )
  }
  if (wanted) return all.filter(({ name }) => wanted.includes(name))
  if (profile) return [OURS]
  return quick ? [OURS, HAND_WRITTEN] : all
}

/** A different machine may lower a ratio a little, but not to half of its target. */
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
  const folder = fileURLToPath(new URL('../../../../tmp/bench/', import.meta.url))
  mkdirSync(folder, { recursive: true })
  return folder
}
