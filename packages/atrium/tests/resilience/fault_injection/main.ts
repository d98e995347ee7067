/*
 * Fault injection: causes failures, and checks the promises that must hold in spite of them.
 * `npm run faults [-- --help]`
 */
import { parseArgs } from 'node:util'
import { tableOf } from '../../../benchmarks/helpers/table.js'
import { KINDS, type DatabaseKind } from './helpers/databases.js'
import { MissingProgram } from './helpers/programs.js'
import { loggedErrors } from './helpers/server.js'
import { NotHere, type Scenario } from './scenario.js'
import { SCENARIOS } from './scenarios.js'

const USAGE = `npm run faults -- [OPTIONS]

  --only=NAME          one scenario alone; may be given several times
  --database=KIND      on one database alone: ${KINDS.join(', ')}; may be given several times
  --writes=5000        acknowledged writes of the scenario kill
  --rows=135233        rows of each file of the scenario others, records of bulk-others

Everything runs on servers and files of its own, made for it and removed afterwards. PostgreSQL and
MariaDB need their programs on this machine; what is left out is named. Exit status 1: a promise was broken.

${SCENARIOS.map(({ name, promise }) => `  ${name.padEnd(12)} ${promise}`).join('\n')}`

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    database: { type: 'string', multiple: true },
    writes: { type: 'string', default: '5000' },
    rows: { type: 'string', default: '135233' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(USAGE)
else await main()

async function main() {
  const wrong = [
    ...unknown(
      values.only,
      SCENARIOS.map(({ name }) => name)
    ),
    ...unknown(values.database, KINDS),
  ]
  if (wrong.length > 0) {
    console.error(`There is no ${wrong.join(', ')}\n\n${USAGE}`)
    process.exitCode = 1
    return
  }

  const rows: string[][] = []
  const broken: string[] = []
  for (const scenario of SCENARIOS) {
    if (values.only && !values.only.includes(scenario.name)) continue
    for (const kind of scenario.databases) {
      if (values.database && !values.database.includes(kind)) continue
      const [row, errors] = await tryOut(scenario, kind)
      rows.push(row)
      broken.push(...errors.map((error) => `${scenario.name}, ${kind}: ${error}`))
    }
  }
  console.log(`\n${tableOf(['scenario', 'database', 'seconds', 'outcome', 'figures'], rows)}`)
  for (const error of broken) console.error(`\nBROKEN: ${error}`)
  if (broken.length > 0) process.exitCode = 1
}

async function tryOut(scenario: Scenario, kind: DatabaseKind): Promise<[string[], string[]]> {
  console.error(`${scenario.name}, ${kind} ...`)
  const begun = performance.now()
  const row = (outcome: string, figures: string) => {
    const seconds = ((performance.now() - begun) / 1000).toFixed(0)
    console.error(`  ${outcome}: ${figures}`)
    return [scenario.name, kind, seconds, outcome, figures]
  }
  try {
    const { figures, broken } = await scenario.run(kind, {
      writes: Number(values.writes),
      rows: Number(values.rows),
    })
    const logged = loggedErrors()
    if (broken.length > 0) console.error(logged.join('\n'))
    return [row(broken.length > 0 ? 'BROKEN' : 'holds', figures), broken]
  } catch (error) {
    const { message } = error as Error
    if (error instanceof MissingProgram || error instanceof NotHere) {
      return [row('left out', message), []]
    }
    return [row('BROKEN', 'did not come to an end'), [(error as Error).stack ?? message]]
  }
}

function unknown(given: string[] | undefined, known: readonly string[]): string[] {
  return (given ?? []).filter((name) => !known.includes(name))
}
