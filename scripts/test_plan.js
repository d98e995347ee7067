/*
 * The plan of a test run: processes of about the same length, each with some of the files and its own database.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'

const ENGINE = 'packages/atrium/tests/'

export const SUITES = ['process', 'functional', 'browser', 'unit']

/** The owners of tests with their folders. The engine's demo is tested with the application's models and tables. */
const OWNERS = { engine: [ENGINE], app: ['tests/', `${ENGINE}demo/`] }

/**
 * The databases next to SQLite, with the variable that names a server and the tag of their tests in CI: of what depends
 * on the database, or on the driver alone. `npm run test:all` runs those of `TAGS` on each.
 */
const DATABASES = {
  'better-sqlite3': { tag: '@driver' },
  'postgres': { tag: '@dialect', variable: 'TEST_POSTGRES_URL' },
  'mysql': { tag: '@dialect', variable: 'TEST_MYSQL_URL' },
}
const TAGS = ['@driver', '@dialect', '@database']

/**
 * What is known of a file, a line each: `SECONDS PATH [RUNS]`. It is there if it takes longer than `SHORT`, or if not
 * every whole run includes it: `ci` is for CI, `all` for `npm run test:all` alone.
 */
const LINES_FILE = new URL('test_weights.txt', import.meta.url)
const LINES = new Map(
  readFileSync(LINES_FILE, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(' '))
    .map(([seconds, file, runs]) => [file, { seconds: Number(seconds), runs }])
)
const SHORT = 1
const WEIGHT = 0.2

/** Shares of the whole that a process takes: with one, cores would wait for the last process */
const SHARES = 6

/** Limits of a process's length in seconds: long enough to be worth its start, which takes some */
const LENGTHS = { min: 80, max: 200 }
const START = 4

/** @returns each with its name and, if tests are not to run on it, the reason */
export function otherDatabases({ CI, ...env } = process.env) {
  return Object.entries(DATABASES).map(([name, { variable }]) => {
    if (!variable) return { name, missing: CI ? undefined : 'tested in CI, and with TEST_DATABASE' }
    return { name, missing: env[variable] ? undefined : `${variable} names no server` }
  })
}

/** The tags of the tests that a run repeats on a database */
export function tagsFor(database, { TEST_ALL } = process.env) {
  return TEST_ALL ? TAGS : [DATABASES[database].tag]
}

/** Why a whole run leaves out a file; undefined if it includes it. */
export function reasonAgainst(file, { CI, TEST_ALL } = process.env) {
  const runs = LINES.get(file)?.runs
  if (runs === 'all' && !TEST_ALL) return 'tested by `npm run test:all`, and by name'
  return runs === 'ci' && !CI ? 'tested in CI, and by name' : undefined
}

/** The files that whole runs leave out, by the reason */
export function leftOut() {
  const reasons = new Map()
  for (const file of allFiles()) {
    const reason = reasonAgainst(file)
    if (reason) reasons.set(reason, [...(reasons.get(reason) ?? []), file])
  }
  return reasons
}

/** The files of some suites. The application's are without those of the demo if `isAppOnly`. */
export function filesOf(owner, suites = SUITES, isAppOnly = false) {
  return OWNERS[owner]
    .slice(0, isAppOnly ? 1 : undefined)
    .flatMap((folder) => suites.map((suite) => `${folder}${suite}`))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true }).map(
        (path) => `${folder}/${path.replaceAll('\\', '/')}`
      )
    )
    .filter((path) => path.endsWith('.spec.ts'))
    .toSorted()
}

/** The files of all suites */
export function allFiles() {
  return Object.keys(OWNERS).flatMap((owner) => filesOf(owner))
}

/**
 * What the arguments of a run choose: suites, files by the end of their paths (`filters`) or by a folder
 * (`unit/crud/query/*`), and what else is for Japa. Undefined without arguments
 */
export function choiceOf(args) {
  if (args.length === 0) return undefined
  const words = args
    .join('\n')
    .replaceAll(/^--files\n/gm, '--files=')
    .split('\n')
  const suites = words.filter((word) => SUITES.includes(word))
  const files = words.filter((word) => word.startsWith('--files='))
  return {
    suites,
    files: files.flatMap((word) => word.slice('--files='.length).split(',')),
    others: words.filter((word) => !suites.includes(word) && !files.includes(word)),
  }
}

function isChosen(file, { files }) {
  const path = `/${file.replace(/\.spec\.ts$/, '')}`
  return files.some((name) =>
    name.endsWith('/*')
      ? path.includes(`/${name.slice(0, -1)}`)
      : path.endsWith(name.replace(/\.spec\.ts$/, ''))
  )
}

/**
 * @param suites     those that this machine can run
 * @param databases  in addition to SQLite, by name
 * @param chosen     of the caller: its files share processes whatever their suite
 * @returns the processes to start, the longest first. One of each kind reverts the migrations at its end.
 */
export function planOf({
  owners = Object.keys(OWNERS),
  isAppOnly,
  suites = SUITES,
  databases = [],
  chosen,
  env = process.env,
}) {
  const isIncluded = (file) =>
    chosen ? chosen.files.length === 0 || isChosen(file, chosen) : !reasonAgainst(file, env)
  const isFor = (database) => (file) => {
    const text = readFileSync(file, 'utf8')
    return tagsFor(database, env).some((tag) => text.includes(`'${tag}'`))
  }
  const wanted = chosen?.suites.length ? chosen.suites : suites
  const kinds = owners.flatMap((owner) => {
    const files = filesOf(owner, wanted, isAppOnly)
    const groups =
      owner === 'app' || chosen
        ? [[owner, files]]
        : wanted.map((suite) => [`${owner}-${suite}`, filesOf(owner, [suite], isAppOnly)])
    return [
      ...groups.map(([name, some]) => ({ name, owner, files: some.filter(isIncluded) })),
      ...databases.map((database) => {
        return {
          name: `${owner}-${database}`,
          owner,
          database,
          files: files.filter(isFor(database)),
        }
      }),
    ]
  })
  const whole = kinds.reduce((sum, { files }) => sum + lengthOf(files), 0)
  const length = Math.min(Math.max(whole / SHARES, LENGTHS.min), LENGTHS.max)
  const runs = kinds.flatMap(({ files, ...run }) => split(files, length, run))
  return runs.toSorted((one, other) => other.weight - one.weight)
}

/** Stores the seconds of the files that were measured, from the `milliseconds` of tests; the others keep theirs. */
export function writeWeights(tests) {
  const measured = new Map()
  for (const { file, milliseconds } of tests) {
    measured.set(file, (measured.get(file) ?? 0) + milliseconds / 1000)
  }
  for (const [file, seconds] of measured) LINES.set(file, { ...LINES.get(file), seconds })
  const lines = [...LINES]
    .filter(([file, { seconds, runs }]) => (runs || seconds > SHORT) && existsSync(file))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([file, { seconds, runs = '' }]) => `${seconds.toFixed(1)} ${file} ${runs}`.trim())
  writeFileSync(LINES_FILE, `${lines.join('\n')}\n`)
}

function weightOf(file) {
  return LINES.get(file)?.seconds ?? WEIGHT
}

function lengthOf(files) {
  return files.reduce((sum, file) => sum + weightOf(file), 0)
}

/** Splits into runs of about a length: the longest files first, each into the shortest run so far. */
function split(files, length, run) {
  const count = Math.min(files.length, Math.max(1, Math.round(lengthOf(files) / length)))
  const parts = Array.from({ length: count }, (_, index) => ({
    ...run,
    name: count > 1 ? `${run.name}-${index + 1}` : run.name,
    weight: START,
    files: [],
    revertsMigrations: index === 0,
  }))
  for (const file of files.toSorted((one, other) => weightOf(other) - weightOf(one))) {
    const shortest = parts.reduce((one, other) => (other.weight < one.weight ? other : one))
    shortest.files.push(file)
    shortest.weight += weightOf(file)
  }
  return parts
}
