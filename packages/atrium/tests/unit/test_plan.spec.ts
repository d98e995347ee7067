import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

interface Run {
  files: string[]
  weight: number
  suite?: string
  database?: string
  takesBack: boolean
}

const { otherDatabases } = (await import(app.makePath('scripts/database_tests.js'))) as {
  otherDatabases(): Array<{ name: string; missing: string | undefined }>
}
const { LONG, SCHEDULED } = (await import(app.makePath('scripts/long_tests.js'))) as {
  LONG: Record<string, string[]>
  SCHEDULED: Record<string, string[]>
}
const { ownersOf, planOf, SUITES } = (await import(app.makePath('scripts/test_plan.js'))) as {
  ownersOf(args: string[]): string[]
  planOf(wanted: {
    owners: string[]
    suites: string[]
    databases: string[]
    withLong?: boolean
    withScheduled?: boolean
  }): Run[]
  SUITES: string[]
}

test.group('The plan of npm test', () => {
  test('[K10] a suite is run for the owners that have it', ({ assert }) => {
    assert.deepEqual(ownersOf(['process']), ['engine'])
    assert.deepEqual(ownersOf(['unit']), ['engine', 'app'])
    assert.deepEqual(ownersOf(['process', '--files=boot']), ['engine'])
    assert.deepEqual(ownersOf(['--files', 'process/boot']), ['engine'])
  })

  test('every file is in one run, the longest runs first, and tagged ones also on each database', ({
    assert,
  }) => {
    const runs = planOf({ owners: ['engine'], suites: SUITES, databases: ['postgres'] })
    const usual = runs.filter(({ database }) => !database).flatMap(({ files }) => files)
    assert.include(usual, 'packages/atrium/tests/unit/test_plan.spec.ts')
    assert.lengthOf(new Set(usual), usual.length)
    const others = runs.filter(({ database }) => database).flatMap(({ files }) => files)
    assert.include(others, 'packages/atrium/tests/functional/late_errors.spec.ts')
    assert.includeMembers(usual, others)
    const weights = runs.map(({ weight }) => weight)
    assert.deepEqual(
      weights,
      weights.toSorted((one, other) => other - one)
    )
  })

  test('one run of each suite and of each database takes the migrations back', ({ assert }) => {
    const runs = planOf({ owners: ['engine'], suites: SUITES, databases: ['postgres', 'mysql'] })
    const kinds = runs.filter(({ takesBack }) => takesBack).map((run) => run.suite ?? run.database)
    assert.sameMembers(kinds, [...SUITES, 'postgres', 'mysql'])
    assert.isAbove(runs.length, kinds.length)
  })

  test('files that take long are left out where the caller says so, and no others', ({
    assert,
  }) => {
    const filesOf = (what: { withLong: boolean; withScheduled: boolean }) =>
      planOf({ owners: ['engine'], suites: SUITES, databases: [], ...what })
        .flatMap(({ files }) => files)
        .toSorted()
    const all = filesOf({ withLong: true, withScheduled: true })
    const inCi = filesOf({ withLong: true, withScheduled: false })
    const local = filesOf({ withLong: false, withScheduled: false })
    const named = (suites: Record<string, string[]>) =>
      Object.entries(suites).flatMap(([suite, names]) =>
        names.map((name) => `packages/atrium/tests/${suite}/${name}`)
      )
    const isNamed = (file: string, names: string[]) =>
      names.some((name) =>
        name.endsWith('/') ? file.startsWith(name) : file === `${name}.spec.ts`
      )
    for (const name of [...named(LONG), ...named(SCHEDULED)]) {
      assert.isTrue(
        all.some((file) => isNamed(file, [name])),
        name
      )
    }
    assert.deepEqual(
      inCi,
      all.filter((file) => !isNamed(file, named(SCHEDULED)))
    )
    assert.deepEqual(
      local,
      inCi.filter((file) => !isNamed(file, named(LONG)))
    )
    assert.includeMembers(local, [
      'packages/atrium/tests/unit/test_plan.spec.ts',
      'packages/atrium/tests/browser/list.spec.ts',
    ])
  })

  test('the second driver of SQLite is tested in CI, and named where it is left out', ({
    assert,
    cleanup,
  }) => {
    const before = process.env.CI
    cleanup(() => {
      if (before === undefined) delete process.env.CI
      else process.env.CI = before
    })
    const missing = () => otherDatabases().find(({ name }) => name === 'better-sqlite3')?.missing
    process.env.CI = 'true'
    assert.isUndefined(missing())
    delete process.env.CI
    assert.match(missing()!, /CI/)
  })
})
