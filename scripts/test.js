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

/** V8 cleans up short-lived objects less often. */
const YOUNG = '--max-semi-space-size=64'
const LOADER = `--import=${pathToFileURL(join(root, 'scripts/loader.js')).href}`

process.chdir(root)
const given = process.argv.slice(2)
const isAppOnly = given.includes('--app')
/* All files and cases, as continuous integration runs tests */
if (given.includes('--all')) Object.assign(process.env, { CI: 'true', TEST_ALL: 'true' })
const changed = given.find((word) => /^--changed(?:=|$)/.test(word))
let chosen = plan.choiceOf(given.filter((word) => !['--app', '--all', changed].includes(word)))

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
  if (changed) await chooseChanged(changed.split('=')[1])
  temporary = makeTemporaryFolder()
  try {
    const waiting = runs()
    const isAlone = waiting.length === 1
    const outcomes = []
    const worker = async () => {
      while (waiting.length > 0 && !isInterrupted)
        outcomes.push(await test(waiting.shift(), isAlone))
    }
    /* One more than cores: a run with a browser or other processes waits for them a part of its time. */
    await Promise.all(Array.from({ length: availableParallelism() + 1 }, worker))
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
    console.error(`${error.message} The tests run with ${OTHER_DRIVER}.`)
  }
}

/** Adds the test files that import what has changed. */
async function chooseChanged(revision) {
  const { findChangedTests } = await import('./changed_tests.js')
  const { files, untested } = await findChangedTests(revision)
  if (files.length === 0) throw new PlainError('no test imports a changed file')
  if (untested.length > 0) console.log(`No test imports ${untested.join(', ')}`)
  chosen = { suites: [], others: [], ...chosen, files }
}

function runs() {
  const owners = isAppOnly ? ['app'] : undefined
  const suites = plan.SUITES.filter((suite) => suite !== 'browser' || !lacksBrowser)
  const others = chosen ? [] : plan.otherDatabases()
  const missing = others.find((one) => one.missing)
  if (missing && process.env.CI) {
    throw new PlainError(`${missing.name} can't be tested: ${missing.missing}`)
  }
  const databases = others.filter((one) => !one.missing).map(({ name }) => name)
  const planned = plan.planOf({ owners, isAppOnly, suites, databases, chosen })
  if (planned.length > 0) return planned
  throw new PlainError(
    "no test ran: --files takes the end of a file's path (filters), or a folder with all in it ('unit/crud/query/*')"
  )
}

/** Runs tests in a process. Its output is printed at its end, so that runs do not mix, or while it runs if it is alone. */
async function test({ name, owner, files, database, revertsMigrations, ...run }, isAlone) {
  const folder = join(temporary, name)
  const results = join(folder, 'results.json')
  const output = [`\n${name}\n`]
  const args = [
    'packages/atrium/bin/test.ts',
    ...(chosen?.others ?? []),
    ...(database ? [`--tags=${plan.tagsFor(database).join(',')}`] : []),
    ...files.map((file) => `--files=${file}`),
  ]
  const env = {
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
  }
  mkdirSync(folder)
  const onOutput = isAlone === true ? undefined : (chunk) => output.push(chunk)
  const onSignal = () => (isInterrupted = true)
  const status = await runWithSuitableNode(args, { env, onOutput, onSignal })
  if (onOutput) for (const chunk of output) process.stdout.write(chunk)
  const outcome = outcomeOf(results, status)
  rmSync(folder, { recursive: true, force: true })
  return { run: { name, owner, files, database, revertsMigrations, ...run }, ...outcome }
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
