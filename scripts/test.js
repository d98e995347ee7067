/*
 * `npm test`: installs what is missing, runs the tests apart from the developer's settings and data,
 * and ends with one line that tells how many passed and failed.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { findChromium } from './chromium.js'
import { ensureInstalled } from './install.js'
import { PlainError, root, runWithSuitableNode } from './runtime.js'

/**
 * Suites that need something a machine may not have: their name, and a function that says what is
 * missing (undefined: nothing).
 */
const OPTIONAL_SUITES = [
  { name: 'browser', missing: () => (findChromium() ? undefined : 'no Chromium') },
]

/**
 * What runs side by side when all of it runs: about as long as each other. What a run says is shown in
 * one piece.
 */
const SIDE_BY_SIDE = [['functional'], ['unit', 'browser']]

process.chdir(root)
const leftOut = OPTIONAL_SUITES.filter(({ name, missing }) => missing() && !isWanted(name))
const { passed, failed } = await testAll().catch((error) => {
  if (!(error instanceof PlainError)) throw error
  console.error(error.message)
  return { passed: 0, failed: 1 }
})

for (const { name, missing } of leftOut) console.log(`skipped: ${name} (${missing()})`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
console.log(`${passed} passed, ${failed} failed`)

async function testAll() {
  await ensureInstalled()
  removeAbandonedFolders()

  const isWhole = process.argv.length === 2 && availableParallelism() > 1
  const isLeft = (suite) => leftOut.every(({ name }) => name !== suite)
  const [first, ...others] = isWhole ? SIDE_BY_SIDE.map((suites) => suites.filter(isLeft)) : [[]]
  const said = others.map(() => [])
  const runs = [
    testSuites(first),
    ...others.map((suites, index) => testSuites(suites, (chunk) => said[index].push(chunk))),
  ]
  const counts = await Promise.all(runs)
  for (const chunks of said) process.stdout.write(Buffer.concat(chunks))
  return {
    passed: counts.reduce((sum, one) => sum + one.passed, 0),
    failed: counts.reduce((sum, one) => sum + one.failed, 0),
  }
}

/**
 * @param suites    their names; none for those that the caller's arguments choose
 * @param onOutput  gets what the run says, instead of the terminal
 */
async function testSuites(suites, onOutput) {
  const data = join('tmp', `test-${process.pid}${suites.map((name) => `-${name}`).join('')}`)
  const exchange = mkdtempSync(join(tmpdir(), 'atrium-test-'))
  try {
    makeFolder(data)
    const countsFile = join(exchange, 'counts.json')
    const args = ['ace.js', 'test', '--no-clear', ...suites, ...testArguments()]
    const status = await runWithSuitableNode(args, {
      onOutput,
      env: {
        ...withoutTestSettings(process.env),
        NODE_ENV: 'test',
        DB_DATABASE: join(data, 'db.sqlite3'),
        ATRIUM_TEST_COUNTS: countsFile,
        ATRIUM_WITHOUT_SUITES: leftOut.map(({ name }) => name).join(','),
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
  if (counts.failed === 0 && counts.passed === 0) console.log('no test ran')
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
