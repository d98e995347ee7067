/*
 * The plan of a whole test run: processes of about the same length, each with some of the files and its own database.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'

const ENGINE = 'packages/atrium/tests/'

export const SUITES = ['process', 'functional', 'browser', 'unit']

/** The owners of tests with their folders. The engine's demo is tested with the application's models and tables. */
const OWNERS = { engine: [ENGINE], app: ['tests/', `${ENGINE}demo/`] }

/**
 * Files that only `npm run test:all` runs, by suite: their rules are tested over HTTP or with another kind of
 * application as well. A name that ends with a slash is a folder.
 */
const SCHEDULED = listOf({
  browser:
    'access_tokens account bulk cells choices docs events history inlines layout list_filters many_to_many ' +
    'new_references related_lists way_back widgets role_matrix saved_views conflict rows_together ' +
    'second_factors',
  functional: 'openapi/representations openapi/typed_client',
  demo: 'functional/representations',
  process: 'adonis_packages large_files models_of_tables',
})

/** Files that take long, for CI or by name: a local run keeps those that test most rules in the least time. */
const LONG = listOf({
  browser: 'export forms import keys pages palette passkeys unsaved_input',
  functional:
    'admin/attacks admin/doors admin/export admin/held_writer admin/import_attacks admin/import_in_parts ' +
    'admin/import_pages admin/merge admin/roles admin/round_trip admin/round_trip_property admin/select_all ' +
    'admin/time_zones admin/unauthenticated admin/undo_jobs attacks/ authorized_records filters large_responses openapi/contract ' +
    'own_code',
  process:
    'boot_states commands demo/base_path demo/existing_tables demo/jobs demo/remove docs/ hosts make_crud npm_test ' +
    'outside_requests redis_throttle settings two_processes upgrade',
  demo: 'browser/flows browser/templates',
})

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

/** Measured seconds of the files that take longer than `SHORT`, a line each */
const WEIGHTS_FILE = new URL('test_weights.txt', import.meta.url)
const WEIGHTS = Object.fromEntries(
  readFileSync(WEIGHTS_FILE, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => line.trim().split(' '))
    .map(([seconds, file]) => [file, Number(seconds)])
)
const SHORT = 1
const WEIGHT = 0.3

/** Target length of a process in seconds, long enough to be worth its start, which takes some */
const LENGTH = 110
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
  if (!TEST_ALL && isListed(file, SCHEDULED)) return 'tested by `npm run test:all`, and by name'
  return !CI && isListed(file, LONG) ? 'tested in CI, and by name' : undefined
}

/** The files of an owner's suite. The application's suites are without those of the demo if `isAppOnly`. */
export function filesOf(owner, suite, isAppOnly = false) {
  return OWNERS[owner]
    .slice(0, isAppOnly ? 1 : undefined)
    .map((folder) => `${folder}${suite}`)
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
export function allFiles(isAppOnly = false) {
  const owners = isAppOnly ? ['app'] : Object.keys(OWNERS)
  return owners.flatMap((owner) => SUITES.flatMap((suite) => filesOf(owner, suite, isAppOnly)))
}

/**
 * @param suites      those that this machine can run
 * @param databases   in addition to SQLite, by name
 * @param isIncluded  whether the run includes a file
 * @returns the processes to start, the longest first. One of each kind reverts the migrations at its end.
 */
export function planOf({
  owners = Object.keys(OWNERS),
  isAppOnly,
  suites,
  databases,
  isIncluded = (file) => !reasonAgainst(file),
}) {
  const isFor = (database) => (file) => {
    const text = readFileSync(file, 'utf8')
    return tagsFor(database).some((tag) => text.includes(`'${tag}'`))
  }
  const runs = owners.flatMap((owner) => {
    const files = suites.map((suite) => filesOf(owner, suite, isAppOnly))
    const kinds =
      owner === 'app'
        ? [[owner, files.flat()]]
        : suites.map((suite, index) => [`${owner}-${suite}`, files[index]])
    return [
      ...kinds.flatMap(([name, some]) => split(some.filter(isIncluded), { name, owner })),
      ...databases.flatMap((database) =>
        split(files.flat().filter(isFor(database)), {
          name: `${owner}-${database}`,
          owner,
          database,
        })
      ),
    ]
  })
  return runs.toSorted((one, other) => other.weight - one.weight)
}

/** The owners of the files that the caller's arguments select; those that have the named suites if none do. */
export function ownersOf(args) {
  const named = SUITES.filter((suite) => args.includes(suite))
  const parts = args.flatMap((argument, index) => {
    const isValue = args[index - 1] === '--files'
    const list = isValue ? argument : /^--files=(.*)/.exec(argument)?.[1]
    return list ? list.split(',').map((part) => part.replace(/\*$/, '')) : []
  })
  const able = Object.keys(OWNERS).filter((owner) =>
    named.every((suite) => filesOf(owner, suite).length > 0)
  )
  const chosen = able.filter((owner) =>
    SUITES.flatMap((suite) => filesOf(owner, suite)).some((file) =>
      parts.some((part) => file.includes(part))
    )
  )
  return chosen.length > 0 ? chosen : able
}

/** Stores the seconds of the files that were measured, from the `milliseconds` of tests; the others keep theirs. */
export function writeWeights(durations) {
  const measured = {}
  for (const { file, milliseconds } of durations) {
    measured[file] = (measured[file] ?? 0) + milliseconds / 1000
  }
  const lines = Object.entries({ ...WEIGHTS, ...measured })
    .filter(([file, seconds]) => seconds > SHORT && existsSync(file))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([file, seconds]) => `${seconds.toFixed(1)} ${file}\n`)
  writeFileSync(WEIGHTS_FILE, lines.join(''))
}

function listOf(suites) {
  return Object.entries(suites).flatMap(([suite, names]) =>
    names.split(' ').map((name) => `${ENGINE}${suite}/${name}`)
  )
}

function isListed(file, list) {
  return list.some((path) =>
    path.endsWith('/') ? file.startsWith(path) : file === `${path}.spec.ts`
  )
}

/** Splits into runs of about the same length: the longest files first, each into the shortest run so far. */
function split(files, run) {
  const weightOf = (file) => WEIGHTS[file] ?? WEIGHT
  const total = files.reduce((sum, file) => sum + weightOf(file), 0)
  const count = Math.min(files.length, Math.max(1, Math.round(total / LENGTH)))
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
