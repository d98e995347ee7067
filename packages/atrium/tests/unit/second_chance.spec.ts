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
}

interface Outcome {
  run: Run
  passed: number
  failed: number
  failures: Failure[]
  flaky?: Failure[]
}

const { MOST_FAILURES, secondChances, withSecondChances } = (await import(
  app.makePath('scripts/second_chance.js')
)) as {
  MOST_FAILURES: number
  secondChances(outcomes: Outcome[]): Array<{ run: Run }>
  withSecondChances(
    outcomes: Outcome[],
    test: (run: Run) => Promise<Pick<Outcome, 'passed' | 'failed'>>
  ): Promise<Outcome[]>
}

function outcomeOf(name: string, ...failed: Array<string | undefined>): Outcome {
  const run = { name, owner: 'engine', files: ['a', 'b', 'c'], database: 'mysql' }
  const failures = failed.map((file, index) => ({ title: `${name} ${index}`, file }))
  return { run, passed: 100, failed: failed.length, failures }
}

const namesOf = (outcomes: Outcome[]) =>
  secondChances(outcomes).map(({ run }) => [run.name, ...run.files].join(' '))

test.group('The second chance of failed tests', () => {
  test('each file with a failed test runs again, alone, as in the run that it failed in', ({
    assert,
  }) => {
    const outcomes = [outcomeOf('one', 'a', 'b', 'a'), outcomeOf('two'), outcomeOf('three', 'a')]
    assert.deepEqual(namesOf(outcomes), ['one-again-1 a', 'one-again-2 b', 'three-again-1 a'])
    const [{ run }] = secondChances(outcomes)
    assert.deepInclude(run, { owner: 'engine', database: 'mysql' })
    assert.isEmpty(namesOf([outcomeOf('one'), outcomeOf('two')]))
  })

  test('there is none if many tests failed, or anything else than a test', ({ assert }) => {
    const most = Array.from({ length: MOST_FAILURES }, (_, index) => `file ${index}`)
    assert.lengthOf(namesOf([outcomeOf('one', ...most)]), MOST_FAILURES)
    assert.isEmpty(namesOf([outcomeOf('one', ...most), outcomeOf('two', 'a')]))
    assert.isEmpty(namesOf([outcomeOf('one', ...most, 'file 0')]))
    /* A hook, or a runner that ended early */
    assert.isEmpty(namesOf([outcomeOf('one', 'a', undefined)]))
    assert.isEmpty(namesOf([outcomeOf('one', 'a'), { ...outcomeOf('two', 'a'), failed: 2 }]))
  })

  test('a file that passes is flaky, one that fails again has failed, and each test counts once', async ({
    assert,
  }) => {
    const outcomes = [outcomeOf('one', 'a', 'b', 'a'), outcomeOf('two', 'c')]
    const [one, two] = await withSecondChances(outcomes, async ({ files: [file] }) =>
      file === 'a' ? { passed: 7, failed: 0 } : { passed: 6, failed: 1 }
    )
    assert.containSubset(one, { passed: 102, failed: 1 })
    assert.deepEqual(one.failures, [{ title: 'one 1', file: 'b' }])
    assert.deepEqual(
      one.flaky!.map(({ title }) => title),
      ['one 0', 'one 2']
    )
    assert.containSubset(two, { passed: 100, failed: 1, flaky: [] })
  })

  test('a file of which no test runs has not passed', async ({ assert }) => {
    const [one] = await withSecondChances([outcomeOf('one', 'a')], async () => ({
      passed: 0,
      failed: 0,
    }))
    assert.containSubset(one, { passed: 100, failed: 1, flaky: [] })
  })
})
