import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { profileTimes, type ProfiledTime } from '../helpers/cpu_profile.js'
import { putLoad } from '../helpers/load.js'
import { tableOf } from '../helpers/table.js'
import type { Entrant } from './entrants.js'
import { loadOf, warm, type MeasureOptions } from './measure.js'
import { PRODUCTS, type Operation } from './operations.js'
import type { DriverName } from '../helpers/options.js'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

/**
 * Profiles an operation: prints the packages and functions with the most time per request, and
 * writes the profile to a file for the browser's developer tools.
 */
export async function profileEntrant(
  operation: Operation,
  entrant: Entrant,
  {
    driver,
    folder,
    warmUp,
    seconds,
    connections,
  }: MeasureOptions & { driver: DriverName; folder: string }
): Promise<string> {
  const { contender, server, database } = entrant
  if (warmUp > 0) await warm(operation, entrant, warmUp, connections)
  const before = await server.usage()
  await server.startProfile()
  const started = await server.usage()
  const { responded: responded } = await putLoad(loadOf(operation, entrant, seconds, connections))
  const after = await server.usage()
  const profile = await server.stopProfile()
  if (!operation.isRead) await database.shrink(PRODUCTS)

  const title = `${operation.name}, ${driver}, ${contender.name}`
  const file = join(folder, `${title.replaceAll(/\W+/g, '_')}.cpuprofile`)
  writeFileSync(file, JSON.stringify(profile))
  const { functions, packages, busy } = profileTimes(profile, ROOT)
  const [own, all] = [busy, after.cpu - Math.max(before.cpu, started.cpu)].map((time) =>
    (time / responded).toFixed(0)
  )
  return [
    `${title}: ${own} µs a request in JavaScript's thread, ${all} µs of the processor in all, while profiled`,
    `(${file})`,
    most('package', packages, 'self', responded, 22),
    most('function', functions, 'total', responded, 45),
    most('function', functions, 'self', responded, 30),
    '',
  ].join('\n\n')
}

function most(
  what: string,
  times: ProfiledTime[],
  by: 'self' | 'total',
  requests: number,
  shown: number
): string {
  const rows = times
    .toSorted((one, other) => other[by] - one[by])
    .slice(0, shown)
    .map(({ name, self, total }) => [
      name,
      ...[total, self].map((time) => (time / requests).toFixed(1)),
    ])
  return tableOf([`${what}s by ${by}, µs a request`, 'total', 'self'], rows)
}
