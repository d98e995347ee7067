/*
 * `npm test`: installs missing packages, runs the tests apart from the developer's settings and data,
 * and ends with one line with the numbers of passed and failed tests.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findChromium } from './chromium.js'
import { DATABASE_TAG, otherDatabases } from './database_tests.js'
import { ensureInstalled } from './install.js'
import { LONG, SCHEDULED } from './long_tests.js'
import { PlainError, root, runWithSuitableNode } from './runtime.js'
import { withSecondChances } from './second_chance.js'
import { ensureSqlite3, hasSqlite3 } from './sqlite_driver.js'
import { removeAbandonedFolders, temporaryFolder } from './test_folder.js'
import { ownersOf, planOf, SUITES, writeWeights } from './test_plan.js'

/**
 * Suites that need something a machine may not have: their name, and a function that returns the missing
 * part (undefined: nothing).
 */
const OPTIONAL_SUITES = [
  { name: 'browser', missing: () => (findChromium() ? undefined : 'no Chromium') },
]

/** Runs more than cores: a run with a browser or other processes waits for them a part of its time. */
const WAITING = 1

/** For SQLite where `sqlite3` has no binary */
const OTHER_DRIVER = 'better-sqlite3'

/** Number of tests that --slow shows */
const SLOWEST = 10

/** A collection of short-lived objects takes as long, however many there are. */
const YOUNG = '--max-semi-space-size=64'

const LOADER = pathToFileURL(join(root, 'scripts/loader.js')).href

process.chdir(root)
const given = process.argv.slice(2)
const isAppOnly = given.includes('--app')
/* All files and cases, as continuous integration runs tests */
if (given.includes('--all')) Object.assign(process.env, { CI: 'true', TEST_ALL: 'true' })
const showsSlowest = given.includes('--slow')
const weighs = given.includes('--weigh')
const choice = given.filter((argument) => !['--app', '--all', '--slow', '--weigh'].includes(argument))
const isWhole = choice.length === 0
const temporary = temporaryFolder(join(root, 'tmp'))
let isInterrupted = false
const leftOut = OPTIONAL_SUITES.filter(({ name, missing }) => missing() && !isWanted(name))
const skipped = [
  ...leftOut.map(({ name, missing }) => `${name} (${missing()})`),
  ...(isWhole ? otherDatabases() : [])
    .filter(({ missing }) => missing)
    .map(({ name, missing }) => `${name} (${missing})`),
  ...(isWhole && !isAppOnly && !process.env.CI ? namesOf(LONG, 'tested in CI, and by name') : []),
  ...(isWhole && !isAppOnly && !process.env.TEST_ALL
    ? namesOf(SCHEDULED, 'tested by `npm run test:all`, and by name')
    : []),
  ...(isWhole && !process.env.TEST_REDIS_URL ? ['redis (TEST_REDIS_URL names no server)'] : []),
]
const { passed, failed, durations, failures, flaky } = await testAll().catch((error) => {
  if (!(error instanceof PlainError)) throw error
  console.error(error.message)
  return { passed: 0, failed: 1, durations: [], failures: [], flaky: [] }
})

if (showsSlowest) tellSlowest(durations)
if (weighs) writeWeights(durations)
for (const one of failures) console.log(`failed: ${one}`)
for (const one of flaky) console.log(`flaky: ${one}`)
for (const one of skipped) console.log(`skipped: ${one}`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
console.log(`${passed} passed, ${failed} failed`)

function namesOf(suites, reason) {
  return Object.entries(suites).map(([suite, names]) => `of ${suite} (${reason}): ${names.join(', ')}`)
}

async function testAll() {
  await ensureInstalled()
  if (process.env.CI) await ensureSqlite3()
  if (!hasSqlite3())
    console.log(`The tests run with ${OTHER_DRIVER}: npm run driver:sqlite3 builds sqlite3.`)
  removeAbandonedFolders(join(root, 'tmp'))

  const waiting = isWhole ? wholeRun() : chosenRuns()
  let outcomes = []
  const worker = async (isFirst) => {
    for (let run = waiting.shift(); run && !isInterrupted; run = waiting.shift()) {
      const said = []
      outcomes.push(await test(run, isFirst ? undefined : (chunk) => said.push(chunk)))
      process.stdout.write(Buffer.concat(said))
      isFirst = false
    }
  }
  const workers = isWhole ? availableParallelism() + WAITING : 1
  try {
    await Promise.all(Array.from({ length: workers }, (_, index) => worker(index === 0)))
    if (isWhole && process.env.CI && !isInterrupted) {
      outcomes = await withSecondChances(outcomes, (run) => test(run))
    }
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
  const sum = (name) => outcomes.reduce((total, outcome) => total + outcome[name], 0)
  if (!isWhole && sum('passed') + sum('failed') === 0) {
    console.log(
      "no test ran: --files takes the end of a file's path (filters), or a folder with all in it ('unit/crud/query/*')"
    )
  }
  return {
    passed: sum('passed'),
    failed: sum('failed'),
    durations: outcomes.flatMap((outcome) => outcome.durations ?? []),
    failures: outcomes.flatMap(({ run, failures }) => linesOf(run, failures)),
    flaky: outcomes.flatMap(({ run, flaky = [] }) => linesOf(run, flaky)),
  }
}

/** All runs, the longest first. The output of a run is shown in one piece, except for the first. */
function wholeRun() {
  if (process.env.CI) {
    for (const { name, missing } of otherDatabases()) {
      if (missing) throw new PlainError(`${name} can't be tested: ${missing}`)
    }
  }
  return planOf({
    owners: isAppOnly ? ['app'] : ['engine', 'demo', 'app'],
    suites: SUITES.filter((suite) => leftOut.every(({ name }) => name !== suite)),
    databases: otherDatabases()
      .filter(({ missing }) => !missing)
      .map(({ name }) => name),
    withLong: Boolean(process.env.CI),
    withScheduled: Boolean(process.env.TEST_ALL),
  })
}

/** The engine's and the application's tests that the arguments select. */
function chosenRuns() {
  const owners = isAppOnly ? ['app'] : ownersOf(choice)
  return owners.map((owner) => ({ name: owner, owner, files: [], arguments: testArguments() }))
}

/**
 * @param run       of the plan: owner, files and database of the tests, and `takesBack` for its migrations
 * @param onOutput  gets the output of the run, instead of the terminal
 */
async function test(run, onOutput) {
  const { name, owner, suite, files, database, takesBack = true } = run
  const data = join(temporary, name)
  try {
    makeFolder(data)
    const countsFile = join(data, 'counts.json')
    const args = [
      'packages/atrium/bin/test.ts',
      ...(run.arguments ?? [
        ...(suite ? [suite] : []),
        ...(database ? [`--tags=${DATABASE_TAG}`] : []),
      ]),
      ...files.map((file) => `--files=${file}`),
    ]
    if (isWhole) onOutput?.(Buffer.from(`\n${name}\n`))
    const status = await runWithSuitableNode(args, {
      onOutput,
      onSignal: () => (isInterrupted = true),
      env: {
        ...withoutTestSettings(process.env),
        NODE_ENV: 'test',
        NODE_OPTIONS: nodeOptions(),
        ...((database ?? !hasSqlite3()) && { TEST_DATABASE: database ?? OTHER_DRIVER }),
        TMPDIR: temporary,
        TEST_FOLDER: data,
        ATRIUM_TESTS: owner,
        /* Of its own, as the paths of copies of the project differ from run to run. */
        NODE_COMPILE_CACHE: join(temporary, 'v8'),
        ATRIUM_TEST_COUNTS: countsFile,
        ...(weighs && { ATRIUM_TEST_WEIGHS: '1' }),
        ...(!takesBack && { ATRIUM_TEST_KEEPS_TABLES: '1' }),
        ATRIUM_WITHOUT_SUITES: leftOut.map((one) => one.name).join(','),
      },
    })
    return { run, ...outcome(countsFile, status) }
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}

function linesOf({ name }, failures) {
  return failures.map(({ title, file }) => `${name}: ${title}${file ? ` (${file})` : ''}`)
}

function nodeOptions() {
  const given = process.env.NODE_OPTIONS?.split(' ') ?? []
  const others = given.filter(
    (option) => !option.endsWith('/scripts/loader.js') && option !== YOUNG
  )
  return [...others, `--import=${LOADER}`, YOUNG].join(' ')
}

function tellSlowest(durations) {
  console.log(`\nThe slowest ${SLOWEST}:`)
  const slowest = durations.toSorted((one, other) => other.milliseconds - one.milliseconds)
  for (const { file, title, milliseconds } of slowest.slice(0, SLOWEST)) {
    console.log(`${(milliseconds / 1000).toFixed(1).padStart(6)} s  ${title} (${file})`)
  }
}

/** The runner's status counts as well as the tests: an unhandled rejection fails no test. */
function outcome(countsFile, status) {
  let counts
  try {
    counts = JSON.parse(readFileSync(countsFile, 'utf8'))
  } catch {
    const failure = `the test runner ended early (exit status ${status})`
    console.log(failure)
    return { passed: 0, failed: 1, durations: [], failures: [{ title: failure }] }
  }
  if (counts.failed === 0 && status !== 0) {
    const failure = `the test runner failed, though no test did (exit status ${status})`
    console.log(failure)
    return { ...counts, failed: 1, failures: [{ title: failure }] }
  }
  return counts
}

/**
 * True if a suite must not be left out: in continuous integration, and if the suite was selected by
 * name. It then fails if something is missing.
 */
function isWanted(suite) {
  return Boolean(process.env.CI) || given.includes(suite)
}

/** The caller's arguments. A selection of reporters must not leave out the one that counts. */
function testArguments() {
  return choice.map((argument, index, all) => {
    const choosesReporters = argument.startsWith('--reporters=') || all[index - 1] === '--reporters'
    return choosesReporters ? `${argument},counts` : argument
  })
}

/** .env.test decides, not the variables exported in the shell, which would take precedence. */
function withoutTestSettings(env) {
  const names = readFileSync('.env.test', 'utf8').matchAll(/^(\w+)=/gm)
  const rest = { ...env }
  for (const [, name] of names) delete rest[name]
  return rest
}

function makeFolder(path) {
  try {
    mkdirSync(path, { recursive: true })
  } catch (error) {
    throw new PlainError(
      `${path} can't be created (${error.code}): give this user the right to write there.`
    )
  }
}
