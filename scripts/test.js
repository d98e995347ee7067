/*
 * `npm test`: installs what is missing, runs the tests apart from the developer's settings and data,
 * and ends with one line that tells how many passed and failed.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { findChromium } from './chromium.js'
import { filesOnEveryDatabase, otherDatabases } from './database_tests.js'
import { ensureInstalled } from './install.js'
import { PlainError, root, runWithSuitableNode } from './runtime.js'

/**
 * Suites that need something a machine may not have: their name, and a function that says what is
 * missing (undefined: nothing).
 */
const OPTIONAL_SUITES = [
  { name: 'browser', missing: () => (findChromium() ? undefined : 'no Chromium') },
]

/* Each run is one process with a server in it, and some tests start others. */
const MOST_AT_ONCE = 2

process.chdir(root)
const leftOut = OPTIONAL_SUITES.filter(({ name, missing }) => missing() && !isWanted(name))
const isWhole = process.argv.length === 2
const skipped = [
  ...leftOut.map(({ name, missing }) => `${name} (${missing()})`),
  ...(isWhole ? otherDatabases() : [])
    .filter(({ missing }) => missing)
    .map(({ name, missing }) => `${name} (${missing})`),
  ...(isWhole && !process.env.TEST_REDIS_URL ? ['redis (TEST_REDIS_URL names no server)'] : []),
]
const { passed, failed } = await testAll().catch((error) => {
  if (!(error instanceof PlainError)) throw error
  console.error(error.message)
  return { passed: 0, failed: 1 }
})

for (const one of skipped) console.log(`skipped: ${one}`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
console.log(`${passed} passed, ${failed} failed`)

async function testAll() {
  await ensureInstalled()
  removeAbandonedFolders()

  const counts = { passed: 0, failed: 0 }
  const waiting = isWhole ? wholeRun() : [{ name: 'chosen', suites: [], files: [] }]
  const worker = async (isFirst) => {
    for (let run = waiting.shift(); run; run = waiting.shift()) {
      const said = []
      const { passed, failed } = await test(run, isFirst ? undefined : (chunk) => said.push(chunk))
      process.stdout.write(Buffer.concat(said))
      counts.passed += passed
      counts.failed += failed
      isFirst = false
    }
  }
  const workers = isWhole ? Math.min(availableParallelism(), MOST_AT_ONCE) : 1
  await Promise.all(Array.from({ length: workers }, (_, index) => worker(index === 0)))
  return counts
}

/**
 * All there is to run, the longest first. What a run says is shown in one piece, but for the first.
 */
function wholeRun() {
  if (process.env.CI) {
    for (const { name, missing } of otherDatabases()) {
      if (missing) throw new PlainError(`${name} can't be tested: ${missing}`)
    }
  }
  const isLeft = (suite) => leftOut.every(({ name }) => name !== suite)
  const files = filesOnEveryDatabase()
  return [
    { name: 'functional', suites: ['functional'], files: [] },
    ...['browser', 'unit'].filter(isLeft).map((name) => ({ name, suites: [name], files: [] })),
    ...otherDatabases()
      .filter(({ missing }) => !missing)
      .map(({ name }) => ({ name, database: name, suites: ['unit', 'functional'], files })),
  ]
}

/**
 * @param run       its suites, none for those that the caller's arguments choose, and on which database
 * @param onOutput  gets what the run says, instead of the terminal
 */
async function test({ name, suites, files, database }, onOutput) {
  const data = join('tmp', `test-${process.pid}-${name}`)
  const exchange = mkdtempSync(join(tmpdir(), 'atrium-test-'))
  try {
    makeFolder(data)
    const countsFile = join(exchange, 'counts.json')
    const chosen = files.map((file) => `--files=${file}`)
    const args = ['ace.js', 'test', '--no-clear', ...suites, ...chosen, ...testArguments()]
    if (database) onOutput?.(Buffer.from(`\nOn ${database}\n`))
    const status = await runWithSuitableNode(args, {
      onOutput,
      env: {
        ...withoutTestSettings(process.env),
        NODE_ENV: 'test',
        ...(database && { TEST_DATABASE: database }),
        TEST_FOLDER: data,
        ATRIUM_TEST_COUNTS: countsFile,
        ATRIUM_WITHOUT_SUITES: leftOut.map((suite) => suite.name).join(','),
      },
    })
    return outcome(countsFile, status)
  } finally {
    rmSync(data, { recursive: true, force: true })
    rmSync(exchange, { recursive: true, force: true })
  }
}

/**
 * The runner's status counts as well as the tests: an unhandled rejection fails no test.
 */
function outcome(countsFile, status) {
  let counts
  try {
    counts = JSON.parse(readFileSync(countsFile, 'utf8'))
  } catch {
    console.log(`the test runner ended early (exit status ${status})`)
    return { passed: 0, failed: 1 }
  }
  if (counts.failed === 0 && status !== 0) {
    console.log(`the test runner failed, though no test did (exit status ${status})`)
    return { passed: counts.passed, failed: 1 }
  }
  if (counts.failed === 0 && counts.passed === 0) {
    console.log(
      "no test ran: --files takes the end of a file's path (filters), or a folder with all in it ('unit/crud/query/*')"
    )
  }
  return counts
}

/**
 * Whether a suite must not be left out: where a machine checks the project, and where the suite was
 * asked for by name. It fails then for want of what is missing.
 */
function isWanted(suite) {
  return Boolean(process.env.CI) || process.argv.slice(2).includes(suite)
}

/**
 * What the caller gave. A choice of reporters must not leave out the one that counts.
 */
function testArguments() {
  return process.argv.slice(2).map((argument, index, all) => {
    const choosesReporters = argument.startsWith('--reporters=') || all[index - 1] === '--reporters'
    return choosesReporters ? `${argument},counts` : argument
  })
}

/**
 * .env.test decides, not what happens to be exported in the shell: the environment comes before it.
 */
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
      `${join(root, path)} can't be created (${error.code}): give this user the right to write there.`
    )
  }
}

/**
 * Data of runs that were killed. A folder is named after the process that uses it.
 */
function removeAbandonedFolders() {
  let names = []
  try {
    names = readdirSync('tmp')
  } catch {}
  for (const name of names) {
    const pid = /^test-(\d+)(-|$)/.exec(name)?.[1]
    if (pid && !isRunning(Number(pid))) {
      rmSync(join('tmp', name), { recursive: true, force: true })
    }
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code !== 'ESRCH'
  }
}
