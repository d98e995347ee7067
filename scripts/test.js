/*
 * `npm test`: installs missing packages, runs the tests apart from the developer's settings and data,
 * and ends with one line with the numbers of passed and failed tests.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { reachedTests } from './changed_tests.js'
import { findChromium } from './chromium.js'
import { ensureInstalled } from './install.js'
import { PlainError, root, runWithSuitableNode } from './runtime.js'
import { tooManyFlaky, withSecondChances } from './second_chance.js'
import { ensureSqlite3, hasSqlite3 } from './sqlite_driver.js'
import { removeAbandonedFolders, temporaryFolder } from './test_folder.js'
import {
  allFiles,
  otherDatabases,
  ownersOf,
  planOf,
  reasonAgainst,
  SUITES,
  tagsFor,
  writeWeights,
} from './test_plan.js'

/** Runs more than cores: a run with a browser or other processes waits for them a part of its time. */
const WAITING = 1

/** For SQLite where `sqlite3` has no binary */
const OTHER_DRIVER = 'better-sqlite3'

/** Number of tests that --slow shows */
const SLOWEST = 10

/** A collection of short-lived objects takes as long, however many there are. */
const YOUNG = '--max-semi-space-size=64'

const LOADER = pathToFileURL(join(root, 'scripts/loader.js')).href
const OPTIONS = ['--app', '--all', '--changed', '--slow', '--weigh']

process.chdir(root)
const given = process.argv.slice(2)
const [isAppOnly, isAll, isOfChanges, showsSlowest, weighs] = OPTIONS.map((one) =>
  given.includes(one)
)
/* All files and cases, as continuous integration runs tests */
if (isAll) Object.assign(process.env, { CI: 'true', TEST_ALL: 'true' })
const choice = given.filter((argument) => !OPTIONS.includes(argument))
const isPlanned = choice.length === 0
const isWhole = isPlanned && !isOfChanges
const temporary = temporaryFolder(join(root, 'tmp'))
let isInterrupted = false

/* In CI, or named by the caller, the browser suite fails without one. */
const lacksBrowser = !findChromium() && !process.env.CI && !given.includes('browser')
const suites = SUITES.filter((suite) => suite !== 'browser' || !lacksBrowser)
const { outcomes, failures, ...sums } = await testAll().catch((error) => {
  if (!(error instanceof PlainError)) throw error
  console.error(error.message)
  return { outcomes: [], failures: [], passed: 0, failed: 1 }
})
const durations = outcomes.flatMap((outcome) => outcome.durations ?? [])
const flaky = outcomes.flatMap((outcome) => outcome.flaky ?? [])

if (showsSlowest) printSlowest()
if (weighs) writeWeights(durations)
for (const one of failures) console.log(`failed: ${one}`)
for (const one of flaky) console.log(`flaky: ${one}`)
for (const one of leftOut()) console.log(`skipped: ${one}`)
const excess = tooManyFlaky(flaky.length)
if (excess) console.log(excess)
const failed = sums.failed + (excess ? flaky.length : 0)
const passed = sums.passed - (excess ? flaky.length : 0)
process.exitCode = failed === 0 && (passed > 0 || isOfChanges) ? 0 : 1
console.log(`${passed} passed, ${failed} failed`)

/** The engine's tests need both drivers of SQLite; without a compiler, those of sqlite3 fail. */
async function ensureBothDrivers() {
  try {
    await ensureSqlite3()
  } catch (error) {
    if (process.env.CI || !(error instanceof PlainError)) throw error
    console.error(error.message)
  }
}

async function testAll() {
  await ensureInstalled()
  if (!isAppOnly) await ensureBothDrivers()
  if (!hasSqlite3())
    console.log(`The tests run with ${OTHER_DRIVER}: npm run driver:sqlite3 builds sqlite3.`)
  removeAbandonedFolders(join(root, 'tmp'))

  const waiting = isPlanned ? plannedRuns() : chosenRuns()
  let outcomes = []
  const worker = async (isFirst) => {
    for (let run = waiting.shift(); run && !isInterrupted; run = waiting.shift()) {
      /* The output of a run is shown in one piece, except for the first. */
      const output = []
      outcomes.push(await test(run, isFirst ? undefined : (chunk) => output.push(chunk)))
      process.stdout.write(Buffer.concat(output))
      isFirst = false
    }
  }
  const workers = isPlanned ? availableParallelism() + WAITING : 1
  try {
    await Promise.all(Array.from({ length: workers }, (_, index) => worker(index === 0)))
    if (isWhole && process.env.CI && !isInterrupted) {
      outcomes = await withSecondChances(outcomes, (run) => test(run))
    }
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
  const sum = (name) => outcomes.reduce((total, outcome) => total + outcome[name], 0)
  const [passed, failed] = [sum('passed'), sum('failed')]
  if (!isWhole && passed + failed === 0) {
    console.log(
      isOfChanges
        ? 'no test ran: none imports a changed file'
        : "no test ran: --files takes the end of a file's path (filters), or a folder with all in it ('unit/crud/query/*')"
    )
  }
  const failures = outcomes.flatMap(({ run, failures: some }) =>
    some.map(({ title, file }) => `${run.name}: ${title}${file ? ` (${file})` : ''}`)
  )
  return { outcomes, passed, failed, failures }
}

/** Those of a whole run, or the files that changes reach, the longest first. */
function plannedRuns() {
  const owners = isAppOnly ? ['app'] : undefined
  if (isOfChanges) {
    const reached = reachedTests(allFiles())
    const isIncluded = (file) => reached.has(file) && (reached.get(file) || !reasonAgainst(file))
    return planOf({ owners, isAppOnly, suites, databases: [], isIncluded })
  }
  const missing = otherDatabases().find((one) => one.missing)
  if (missing && process.env.CI) {
    throw new PlainError(`${missing.name} can't be tested: ${missing.missing}`)
  }
  const databases = otherDatabases().filter((one) => !one.missing)
  return planOf({ owners, isAppOnly, suites, databases: databases.map(({ name }) => name) })
}

/** The engine's and the application's tests that the arguments select. */
function chosenRuns() {
  const owners = isAppOnly ? ['app'] : ownersOf(choice)
  return owners.map((owner) => ({ name: owner, owner, files: [], arguments: testArguments() }))
}

/**
 * @param run       of the plan: owner, files and database of the tests, and `revertsMigrations`
 * @param onOutput  gets the output of the run, instead of the terminal
 */
async function test(run, onOutput) {
  const { name, owner, files, database, revertsMigrations = true } = run
  const data = join(temporary, name)
  const countsFile = join(data, 'counts.json')
  try {
    makeFolder(data)
    const args = [
      'packages/atrium/bin/test.ts',
      ...(run.arguments ?? []),
      ...(database ? [`--tags=${tagsFor(database).join(',')}`] : []),
      ...files.map((file) => `--files=${file}`),
    ]
    if (isPlanned) onOutput?.(Buffer.from(`\n${name}\n`))
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
        ...(!revertsMigrations && { ATRIUM_TEST_KEEPS_TABLES: '1' }),
        ATRIUM_WITHOUT_SUITES: lacksBrowser ? 'browser' : '',
      },
    })
    return { run, ...outcomeOf(countsFile, status) }
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}

/** The runner's status counts as well as the tests: an unhandled rejection fails no test. */
function outcomeOf(countsFile, status) {
  let counts = { passed: 0, failed: 0 }
  let failure
  try {
    counts = JSON.parse(readFileSync(countsFile, 'utf8'))
    if (counts.failed > 0 || status === 0) return counts
    failure = `the test runner failed, though no test did (exit status ${status})`
  } catch {
    failure = `the test runner ended early (exit status ${status})`
  }
  console.log(failure)
  return { ...counts, failed: 1, failures: [{ title: failure }] }
}

function nodeOptions() {
  const others = (process.env.NODE_OPTIONS?.split(' ') ?? []).filter(
    (option) => !option.endsWith('/scripts/loader.js') && option !== YOUNG
  )
  return [...others, `--import=${LOADER}`, YOUNG].join(' ')
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

function printSlowest() {
  console.log(`\nThe slowest ${SLOWEST}:`)
  const slowest = durations.toSorted((one, other) => other.milliseconds - one.milliseconds)
  for (const { file, title, milliseconds } of slowest.slice(0, SLOWEST)) {
    console.log(`${(milliseconds / 1000).toFixed(1).padStart(6)} s  ${title} (${file})`)
  }
}

/** What a run leaves out, a line for each reason */
function leftOut() {
  const lines = lacksBrowser ? ['browser (no Chromium)'] : []
  if (!isWhole) return lines
  for (const { name, missing } of otherDatabases()) if (missing) lines.push(`${name} (${missing})`)
  const files = isAppOnly ? [] : allFiles()
  /* Node.js 20 runs this script, and has no Map.groupBy. */
  for (const reason of new Set(files.map((file) => reasonAgainst(file)))) {
    const some = files.filter((file) => reasonAgainst(file) === reason)
    if (reason) lines.push(`${reason}: ${some.join(', ')}`)
  }
  if (!process.env.TEST_REDIS_URL) lines.push('redis (TEST_REDIS_URL names no server)')
  return lines
}
