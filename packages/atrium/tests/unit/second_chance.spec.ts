import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

interface Run {
  name: string
  owner: string
  files: string[]
  database?: string
}

interface Failure {
  title: string
  file?: string
  message?: string
  milliseconds?: number
}

interface Outcome {
  run: Run
  passed: number
  failures: Failure[]
  tests?: Failure[]
  flaky?: string[]
}

type Again = Omit<Outcome, 'run'>

const { FAILURES_MAX, tooManyFlaky, withSecondChances } = (await import(
  app.makePath('scripts/second_chance.js')
)) as {
  FAILURES_MAX: number
  tooManyFlaky(count: number, env: Record<string, string | undefined>): string | undefined
  withSecondChances(outcomes: Outcome[], test: (run: Run) => Promise<Again>): Promise<Outcome[]>
}

function outcomeOf(name: string, ...failed: Array<string | undefined>): Outcome {
  const run = { name, owner: 'engine', files: ['a', 'b', 'c'], database: 'mysql' }
  const failures = failed.map((file, index) => ({ title: `${name} ${index}`, file }))
  return { run, passed: 100, failures }
}

async function runsAgain(outcomes: Outcome[]): Promise<Run[]> {
  const runs: Run[] = []
  await withSecondChances(outcomes, async (run) => {
    runs.push(run)
    return { passed: 0, failures: [{ title: 'one' }] }
  })
  return runs
}

const namesOf = async (outcomes: Outcome[]) => {
  const runs = await runsAgain(outcomes)
  return runs.map(({ name, files }) => [name, ...files].join(' '))
}

test.group('Repetition of failed tests', () => {
  test('each file with a failed test runs again alone, with the environment of the failed run', async ({
    assert,
  }) => {
    const outcomes = () => [
      outcomeOf('one', 'a', 'b', 'a'),
      outcomeOf('two'),
      outcomeOf('three', 'a'),
    ]
    assert.deepEqual(await namesOf(outcomes()), [
      'one-again-1 a',
      'one-again-2 b',
      'three-again-1 a',
    ])
    const [run] = await runsAgain(outcomes())
    assert.deepInclude(run, { owner: 'engine', database: 'mysql' })
    assert.isEmpty(await namesOf([outcomeOf('one'), outcomeOf('two')]))
  })

  test('no file runs again if many tests failed, or if something other than a test failed', async ({
    assert,
  }) => {
    const most = Array.from({ length: FAILURES_MAX }, (_, index) => `file ${index}`)
    assert.lengthOf(await namesOf([outcomeOf('one', ...most)]), FAILURES_MAX)
    assert.isEmpty(await namesOf([outcomeOf('one', ...most), outcomeOf('two', 'a')]))
    assert.isEmpty(await namesOf([outcomeOf('one', ...most, 'file 0')]))
    /* A hook, or a runner that ended early */
    assert.isEmpty(await namesOf([outcomeOf('one', 'a', undefined)]))
  })

  test('more than two flaky tests fail a run, and one flaky test fails a run of all tests', ({
    assert,
  }) => {
    const isTooMany = (count: number, env = {}) => tooManyFlaky(count, env) !== undefined
    assert.deepEqual(
      [0, 2, 3].map((count) => isTooMany(count)),
      [false, false, true]
    )
    assert.deepEqual(
      [0, 1].map((count) => isTooMany(count, { TEST_ALL: 'true' })),
      [false, true]
    )
  })

  test('the report of a flaky test describes both attempts', async ({ assert }) => {
    const outcome = outcomeOf('one', 'a')
    Object.assign(outcome.failures[0], { milliseconds: 38_100, message: 'still running' })
    const [{ flaky }] = await withSecondChances([outcome], async () => ({
      passed: 1,
      failures: [],
      tests: [{ title: 'one 0', milliseconds: 9000 }],
    }))
    assert.deepEqual(flaky, [
      'one: one 0 (a): failed after 38.1 s among 3 files (still running), passed after 9.0 s alone',
    ])
  })

  test('a file that passes when repeated is flaky, one that fails again has failed, and each test counts once', async ({
    assert,
  }) => {
    const outcomes = [outcomeOf('one', 'a', 'b', 'a'), outcomeOf('two', 'c')]
    const [one, two] = await withSecondChances(outcomes, async ({ files: [file] }) =>
      file === 'a' ? { passed: 7, failures: [] } : { passed: 6, failures: [{ title: 'one' }] }
    )
    assert.equal(one.passed, 102)
    assert.deepEqual(one.failures, [{ title: 'one 1', file: 'b' }])
    assert.lengthOf(one.flaky!, 2)
    assert.match(one.flaky![0], /^one: one 0 \(a\): failed/)
    assert.match(one.flaky![1], /^one: one 2 \(a\)/)
    assert.containSubset(two, { passed: 100, failures: [{ file: 'c' }], flaky: [] })
  })

  test('a repeated file that runs no test is not counted as passed', async ({ assert }) => {
    const [one] = await withSecondChances([outcomeOf('one', 'a')], async () => ({
      passed: 0,
      failures: [],
    }))
    assert.containSubset(one, { passed: 100, failures: [{ file: 'a' }], flaky: [] })
  })
})
