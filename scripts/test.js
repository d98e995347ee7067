/*
 * `npm test`: installs missing packages, runs the tests apart from the developer's settings and data,
 * and ends with one line with the numbers of passed and failed tests.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findChromium } from './chromium.js'
import { ensureInstalled } from './install.js'
import { PlainError, root, runWithSuitableNode } from './runtime.js'
import { tooManyFlaky, withSecondChances } from './second_chance.js'
import { ensureSqlite3, hasSqlite3 } from './sqlite_driver.js'
import { makeTemporaryFolder } from './test_folder.js'
import * as plan from './test_plan.js'

/** For SQLite where `sqlite3` has no binary */
const OTHER_DRIVER = 'better-sqlite3'

/** Number of tests that --slow shows */
const SLOWEST = 10

/** A collection of short-lived objects takes as long, however many there are. */
const YOUNG = '--max-semi-space-size=64'

const LOADER = `--import=${pathToFileURL(join(root, 'scripts/loader.js')).href}`
const OPTIONS = ['--app', '--all', '--slow', '--weigh']

process.chdir(root)
const given = process.argv.slice(2)
const [isAppOnly, isAll, showsSlowest, weighs] = OPTIONS.map((one) => given.includes(one))
/* All files and cases, as continuous integration runs tests */
if (isAll) Object.assign(process.env, { CI: 'true', TEST_ALL: 'true' })
const chosen = plan.choiceOf(given.filter((argument) => !OPTIONS.includes(argument)))

/* In CI, or named by the caller, the browser suite fails without one. */
const lacksBrowser = !findChromium() && !process.env.CI && !given.includes('browser')
let temporary
let isInterrupted = false

try {
  report(await testAll())
} catch (error) {
  if (!(error instanceof PlainError)) throw error
  report([{ run: { name: 'npm test' }, passed: 0, failures: [{ title: error.message }] }])
}

/** @returns {Promise<object[]>} of each run `passed`, `tests`, `failures` and `flaky` */
async function testAll() {
  await ensureInstalled()
  if (!isAppOnly) await ensureBothDrivers()
  if (!hasSqlite3())
    console.log(`The tests run with ${OTHER_DRIVER}: npm run driver:sqlite3 builds sqlite3.`)

  temporary = makeTemporaryFolder()
  const waiting = runs()
  if (waiting.length === 0) {
    throw new PlainError(
      "no test ran: --files takes the end of a file's path (filters), or a folder with all in it ('unit/crud/query/*')"
    )
  }
  const outcomes = []
  const worker = async (isFirst) => {
    for (let run = waiting.shift(); run && !isInterrupted; run = waiting.shift()) {
      /* The output of a run is shown in one piece, except for the first. */
      const output = [`\n${run.name}\n`]
      outcomes.push(await test(run, isFirst ? undefined : (chunk) => output.push(chunk)))
      if (!isFirst) for (const chunk of output) process.stdout.write(chunk)
      isFirst = false
    }
  }
  /* One more than cores: a run with a browser or other processes waits for them a part of its time. */
  const workers = Array.from({ length: availableParallelism() + 1 }, (_, index) => worker(!index))
  try {
    await Promise.all(workers)
    const isRepeated = !chosen && process.env.CI && !isInterrupted
    return isRepeated ? await withSecondChances(outcomes, test) : outcomes
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

/** The engine's tests need both drivers of SQLite; without a compiler, those of sqlite3 fail. */
async function ensureBothDrivers() {
  try {
    await ensureSqlite3()
  } catch (error) {
    if (process.env.CI || !(error instanceof PlainError)) throw error
    console.error(error.message)
  }
}

function runs() {
  const owners = isAppOnly ? ['app'] : undefined
  const suites = plan.SUITES.filter((suite) => suite !== 'browser' || !lacksBrowser)
  if (chosen) return plan.planOf({ owners, isAppOnly, suites, chosen })
  const databases = plan.otherDatabases()
  const missing = databases.find((one) => one.missing)
  if (missing && process.env.CI) {
    throw new PlainError(`${missing.name} can't be tested: ${missing.missing}`)
  }
  const names = databases.filter((one) => !one.missing).map(({ name }) => name)
  return plan.planOf({ owners, isAppOnly, suites, databases: names })
}

/**
 * @param run       of the plan: owner, files and database of the tests, and `revertsMigrations`
 * @param onOutput  gets the output of the run, instead of the terminal
 */
async function test(run, onOutput) {
  const { name, owner, files, database, revertsMigrations } = run
  const folder = join(temporary, name)
  const results = join(folder, 'results.json')
  const args = [
    'packages/atrium/bin/test.ts',
    ...(chosen?.others ?? []),
    ...(database ? [`--tags=${plan.tagsFor(database).join(',')}`] : []),
    ...files.map((file) => `--files=${file}`),
  ]
  try {
    mkdirSync(folder)
    const status = await runWithSuitableNode(args, {
      onOutput,
      onSignal: () => (isInterrupted = true),
      env: {
        ...withoutTestSettings(process.env),
        NODE_ENV: 'test',
        NODE_OPTIONS: nodeOptions(),
        ...((database ?? !hasSqlite3()) && { TEST_DATABASE: database ?? OTHER_DRIVER }),
        TMPDIR: temporary,
        TEST_FOLDER: folder,
        ATRIUM_TESTS: owner,
        /* Of its own, as the paths of copies of the project differ from run to run. */
        NODE_COMPILE_CACHE: join(temporary, 'v8'),
        ATRIUM_TEST_RESULTS: results,
        ...(!revertsMigrations && { ATRIUM_TEST_KEEPS_TABLES: '1' }),
      },
    })
    return { run, ...outcomeOf(results, status) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The runner's status counts as well as the tests: an unhandled rejection fails no test. */
function outcomeOf(path, status) {
  const tests = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
  const failures = tests?.filter(({ hasFailed }) => hasFailed) ?? []
  if (!tests || (status !== 0 && failures.length === 0)) {
    const what = tests ? 'failed, though no test did' : 'ended early'
    failures.push({ title: `the test runner ${what} (exit status ${status})` })
  }
  const passed = tests?.filter(({ hasPassed }) => hasPassed).length ?? 0
  return { tests, failures, passed }
}

function nodeOptions() {
  const others = (process.env.NODE_OPTIONS?.split(' ') ?? []).filter(
    (option) => !option.endsWith('/scripts/loader.js') && option !== YOUNG
  )
  return [...others, LOADER, YOUNG].join(' ')
}

/** .env.test decides, not the variables exported in the shell, which would take precedence. */
function withoutTestSettings(env) {
  const names = readFileSync('.env.test', 'utf8').matchAll(/^(\w+)=/gm)
  const rest = { ...env }
  for (const [, name] of names) delete rest[name]
  return rest
}

function report(outcomes) {
  const all = (name) => outcomes.flatMap((outcome) => outcome[name] ?? [])
  const flaky = all('flaky')
  if (showsSlowest) printSlowest(all('tests'))
  if (weighs) plan.writeWeights(all('tests'))
  for (const { run, failures } of outcomes) {
    for (const { title, file } of failures) {
      console.log(`failed: ${run.name}: ${title}${file ? ` (${file})` : ''}`)
    }
  }
  for (const one of flaky) console.log(`flaky: ${one}`)
  for (const one of leftOut()) console.log(`skipped: ${one}`)
  const excess = tooManyFlaky(flaky.length)
  if (excess) console.log(excess)
  const failed = all('failures').length + (excess ? flaky.length : 0)
  const passed = outcomes.reduce((sum, one) => sum + one.passed, excess ? -flaky.length : 0)
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1
  console.log(`${passed} passed, ${failed} failed`)
}

function printSlowest(tests) {
  console.log(`\nThe slowest ${SLOWEST}:`)
  const slowest = tests.toSorted((one, other) => other.milliseconds - one.milliseconds)
  for (const { file, title, milliseconds } of slowest.slice(0, SLOWEST)) {
    console.log(`${(milliseconds / 1000).toFixed(1).padStart(6)} s  ${title} (${file})`)
  }
}

/** What a run leaves out, a line for each reason */
function leftOut() {
  const lines = lacksBrowser ? ['browser (no Chromium)'] : []
  if (chosen) return lines
  const missing = plan.otherDatabases().filter((one) => one.missing)
  lines.push(...missing.map(({ name, missing: reason }) => `${name} (${reason})`))
  for (const [reason, files] of isAppOnly ? [] : plan.leftOut()) {
    lines.push(`${reason}: ${files.join(', ')}`)
  }
  if (!process.env.TEST_REDIS_URL) lines.push('redis (TEST_REDIS_URL names no server)')
  return lines
}
