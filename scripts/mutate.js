/*
 * `npm run mutate`: changes a line that decides something, runs its tests, and names each change that no test notices.
 *
 *   npm run mutate                                        a sample of the mutants of each file of mutation_targets.json
 *   npm run mutate -- may apply_scope                     of these files
 *   npm run mutate -- FILE --specs=unit/x,functional/y    of any file of the engine, with the tests to run
 *
 * --sample is the number of mutants of a file (0: all), --seed chooses them, --min is the lowest score in percent.
 *
 * One process tries many mutants (tests/mutants_bootstrap.ts). A mutant is tried again alone, in a process that loads
 * it in place of the file (mutant_loader.js), if no test noticed it, as something may be cached, or if V8 can't replace
 * its code. The working tree is not written.
 */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { compile } from './compile.js'
import { mutantsOf } from './mutants.js'
import { PlainError, root, runWithSuitableNode } from './runtime.js'
import { makeTemporaryFolder } from './test_folder.js'

const SOURCES = 'packages/atrium/src/'
const TESTS = 'packages/atrium/tests/'
const LOADER = pathToFileURL(join(root, 'scripts/mutant_loader.js')).href

/** Time limit of a mutant, as a multiple of the time of a process without one */
const PATIENCE = 3

const option = (value) => ({ type: 'string', default: value })
const options = { sample: option('25'), seed: option('1'), min: option('85'), specs: option('') }

process.chdir(root)
const folder = makeTemporaryFolder()
const paths = {
  mutant: join(folder, 'mutant.ts'),
  plan: join(folder, 'plan.json'),
  results: join(folder, 'results'),
  tests: join(folder, 'tests.json'),
  data: join(folder, 'data'),
}
try {
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const results = []
  for (const target of targetsOf(positionals, values.specs)) {
    results.push(...(await tryFile(target, values)))
  }
  process.exitCode = print('All files', results) >= Number(values.min) ? 0 : 1
} catch (error) {
  if (!(error instanceof PlainError)) throw error
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Pairs of a file and its tests */
function targetsOf(names, specs) {
  const known = Object.entries(
    JSON.parse(readFileSync(new URL('mutation_targets.json', import.meta.url), 'utf8'))
  )
  if (names.length === 0) return known
  return names.flatMap((name) => {
    const file = name.replace(SOURCES, '').replace(/\.ts$/, '')
    if (specs) return [[file, specs]]
    const meant = known.filter(([one]) => `/${one}`.endsWith(`/${file}`))
    if (meant.length > 0) return meant
    throw new PlainError(`Name the tests of ${name}: --specs=unit/x,functional/y`)
  })
}

/** @returns for each mutant whether a test failed */
async function tryFile([name, names], { sample, seed }) {
  const file = `${SOURCES}${name}.ts`
  const text = readFileSync(file, 'utf8')
  const specs = names.split(',').flatMap((one) => globSync(`${TESTS}${one}.spec.ts`))
  const mutants = shuffled(mutantsOf(text), Number(seed)).slice(0, Number(sample) || undefined)
  const run = { file, text, specs, limit: undefined }

  const started = Date.now()
  const failure = await failureAlone(run, text)
  if (failure) throw new PlainError(`${name}: ${names} fail without a mutant: ${failure}`)
  run.limit = PATIENCE * (Date.now() - started)
  const results = []
  while (results.length < mutants.length) {
    const some = await tryTogether(run, mutants.slice(results.length))
    if (some.length === 0) break
    results.push(...some)
  }
  for (const [index, { line, before, after, text: mutant }] of mutants.entries()) {
    const by = results[index] === 'failed' ? '' : await failureAlone(run, mutant)
    results[index] = by !== undefined
    const result = results[index] ? 'killed  ' : 'SURVIVED'
    const reason = by ? ` (${short(by)})` : ''
    console.log(`${result} ${file}:${line}: ${short(before)} -> ${short(after)}${reason}`)
  }
  print(file, results)
  return results
}

/**
 * Tries mutants in one process, with a run without one before each.
 *
 * @returns the results of the first ones, until that run fails or the process ends
 */
async function tryTogether({ file, text, specs, limit }, mutants) {
  const path = join(root, file)
  const codeOf = (one) => compile(one, path)
  const suites = mutants.flatMap((mutant, index) => [
    { name: `check-${index}` },
    { name: `mutant-${index}`, code: codeOf(mutant.text) },
  ])
  const plan = { file: path, code: codeOf(text), specs, suites, results: paths.results }
  writeFileSync(paths.plan, JSON.stringify(plan))
  writeFileSync(paths.results, '')
  /* Without a source map, which V8 would take for a change outside of functions. */
  writeFileSync(paths.mutant, text)
  const mutant = { MUTANT: paths.mutant, MUTANT_OF: path }
  const env = { ATRIUM_TESTS: 'mutants', ATRIUM_MUTANTS: paths.plan, ...mutant }
  const progress = () => readFileSync(paths.results).length
  await test(['--bail', '--bail-layer=suite'], env, { limit, progress })

  const lines = readFileSync(paths.results, 'utf8').split('\n').filter(Boolean)
  const found = []
  for (const [name, result] of lines.map((line) => line.split(' '))) {
    if (name.startsWith('mutant')) found.push(result)
    else if (result !== 'passed') return found
  }
  const hasEnded = found.length < mutants.length && lines.at(-1)?.startsWith('check')
  return hasEnded ? [...found, 'unknown'] : found
}

/** @returns the test that fails, or why none could; undefined if all pass */
async function failureAlone({ file, specs, limit }, text) {
  writeFileSync(paths.mutant, text)
  rmSync(paths.tests, { force: true })
  const mutant = { MUTANT: paths.mutant, MUTANT_OF: join(root, file) }
  const env = { ATRIUM_TESTS: 'engine', ATRIUM_TEST_RESULTS: paths.tests, ...mutant }
  const names = specs.map((spec) => spec.slice(TESTS.length).replace('.spec.ts', ''))
  const status = await test(['unit', 'functional', `--files=${names}`, '--bail'], env, { limit })
  if (status === 0) return undefined
  if (status === null) return 'the time limit'
  const tests = existsSync(paths.tests) ? JSON.parse(readFileSync(paths.tests, 'utf8')) : []
  return tests.find(({ hasFailed }) => hasFailed)?.title ?? 'the end of the process'
}

/**
 * Runs tests in a process, which ends if `progress` returns the same for the time limit.
 *
 * @returns the exit status; null after the time limit
 */
async function test(args, env, { limit, progress }) {
  const base = { NODE_ENV: 'test', NODE_OPTIONS: `--import=${LOADER}` }
  const others = { TMPDIR: folder, TEST_FOLDER: paths.data, ATRIUM_TEST_KEEPS_TABLES: '1' }
  const abort = new AbortController()
  let last = progress?.()
  const watch = setInterval(
    () => {
      if (last === progress?.()) abort.abort()
      last = progress?.()
    },
    limit ?? 2 ** 30
  )
  mkdirSync(paths.data, { recursive: true })
  try {
    return await runWithSuitableNode(['packages/atrium/bin/test.ts', ...args], {
      env: { ...process.env, ...base, ...others, ...env },
      onOutput: () => {},
      signal: abort.signal,
      killSignal: 'SIGKILL',
    })
  } catch (error) {
    if (error.name !== 'AbortError') throw error
    return null
  } finally {
    clearInterval(watch)
    rmSync(paths.data, { recursive: true, force: true })
  }
}

/** Prints the score, and returns it in percent. */
function print(name, results) {
  const killed = results.filter(Boolean).length
  const score = Math.floor((100 * killed) / results.length)
  console.log(`${name}: ${killed} of ${results.length} mutants killed, ${score} %`)
  return score
}

/** In an order that the seed determines */
function shuffled(list, seed) {
  let state = seed
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0)
  return list
    .map((one) => [next(), one])
    .toSorted(([one], [other]) => one - other)
    .map(([, one]) => one)
}

function short(text) {
  const line = text.replace(/\s+/g, ' ')
  return line.length > 80 ? `${line.slice(0, 77)}...` : line
}
