/* The plan of a test run: the processes to start, each with some of the files and a database of its own. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'

const ENGINE = 'packages/atrium/tests/'

/** The owners of tests with their folders. The engine's demo is tested with the application's models and tables. */
const OWNERS = { engine: [ENGINE], app: ['tests/', `${ENGINE}demo/`] }

/** The processes that the engine's suites get in a whole run. Those that take longest start first. */
const PROCESSES = { process: 2, browser: 1, functional: 2, unit: 1 }

export const SUITES = Object.keys(PROCESSES)

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

/** The files that not every whole run includes, a line each: those of `ci` run in CI, those of `all` in `npm run test:all`. */
const SCHEDULE = readFileSync(new URL('test_schedule.txt', import.meta.url), 'utf8').split('\n')

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
  if (SCHEDULE.includes(`all ${file}`) && !TEST_ALL)
    return 'tested by `npm run test:all`, and by name'
  return SCHEDULE.includes(`ci ${file}`) && !CI ? 'tested in CI, and by name' : undefined
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

/** The files of all suites of all owners */
export function allFiles() {
  return Object.keys(OWNERS).flatMap((owner) => filesOf(owner, SUITES))
}

function filesOf(owner, suites, isAppOnly) {
  return OWNERS[owner]
    .slice(0, isAppOnly ? 1 : undefined)
    .flatMap((folder) => suites.map((suite) => `${folder}${suite}/`))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((path) => folder + path))
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.spec.ts'))
    .toSorted()
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
  const fits = (name) =>
    name.endsWith('/*')
      ? path.includes(`/${name.slice(0, -1)}`)
      : path.endsWith(name.replace(/\.spec\.ts$/, ''))
  return files.length === 0 || files.some(fits)
}

/**
 * @param suites     those that this machine can run
 * @param databases  in addition to SQLite, by name
 * @param chosen     of the caller: its files share a process whatever their suite
 * @param isAppOnly  without the engine's tests of its demo
 * @returns the processes in the order of their start. One of each kind reverts the migrations at its end.
 */
export function planOf({ owners, suites = SUITES, databases = [], isAppOnly, chosen, env }) {
  const wanted = chosen?.suites.length ? chosen.suites : suites
  const isIncluded = (file) => (chosen ? isChosen(file, chosen) : !reasonAgainst(file, env))
  return (owners ?? Object.keys(OWNERS)).flatMap((owner) => {
    const ownFiles = (some) => filesOf(owner, some, isAppOnly)
    const kinds =
      owner === 'app' || chosen
        ? [{ name: owner, files: ownFiles(wanted).filter(isIncluded), count: 1 }]
        : wanted.map((suite) => {
            const files = ownFiles([suite]).filter(isIncluded)
            return { name: `${owner}-${suite}`, files, count: PROCESSES[suite] }
          })
    for (const database of databases) {
      const files = ownFiles(SUITES).filter((file) => isFor(database, file, env))
      kinds.push({ name: `${owner}-${database}`, files, count: 1, database })
    }
    return kinds.flatMap((kind) => split({ owner, ...kind }))
  })
}

function isFor(database, file, env) {
  const text = readFileSync(file, 'utf8')
  return tagsFor(database, env).some((tag) => text.includes(`'${tag}'`))
}

function split({ files, count, name, ...kind }) {
  return Array.from({ length: Math.min(count, files.length) }, (_, part) => ({
    ...kind,
    name: count > 1 ? `${name}-${part + 1}` : name,
    files: files.filter((_file, index) => index % count === part),
    revertsMigrations: part === 0,
  }))
}
