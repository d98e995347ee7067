import { readFile } from 'node:fs/promises'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

interface Run {
  name: string
  files: string[]
  database?: string
  revertsMigrations: boolean
}

type Environment = Record<string, string | undefined>

interface Choice {
  suites: string[]
  files: string[]
  others: string[]
}

const { allFiles, choiceOf, otherDatabases, planOf, reasonAgainst, SUITES, tagsFor } =
  (await import(app.makePath('scripts/test_plan.js'))) as {
    allFiles(): string[]
    choiceOf(args: string[]): Choice | undefined
    otherDatabases(env: Environment): Array<{ name: string; missing: string | undefined }>
    planOf(wanted: {
      owners?: string[]
      suites?: string[]
      databases?: string[]
      chosen?: Choice
      env?: Environment
    }): Run[]
    reasonAgainst(file: string, env: Environment): string | undefined
    SUITES: string[]
    tagsFor(database: string, env: Environment): string[]
  }
const ALL = { CI: 'true', TEST_ALL: 'true' }

test.group('Plan of npm test', () => {
  const chosenBy = (...args: string[]) => planOf({ chosen: choiceOf(args) })
  const namesOf = (runs: Run[]) => [...new Set(runs.map(({ name }) => name.replace(/-\d+$/, '')))]

  test('[K10] a test suite runs in those packages that have tests of it', ({ assert }) => {
    assert.deepEqual(namesOf(chosenBy('process')), ['engine'])
    assert.sameMembers(namesOf(chosenBy('unit')), ['engine', 'app'])
    assert.isEmpty(chosenBy('process', '--files=products'))
  })

  test('files are chosen by the end of their path, by a folder and by their suite', ({
    assert,
  }) => {
    const filesOf = (...args: string[]) => chosenBy(...args).flatMap(({ files }) => files)
    const boot = 'packages/atrium/tests/process/boot.spec.ts'
    for (const name of ['process/boot', 'process/boot.spec.ts', boot]) {
      assert.deepEqual(filesOf('--files', name), [boot])
    }
    assert.includeMembers(filesOf('--files=process/*,functional/home'), [
      boot,
      'packages/atrium/tests/process/docs/blocks.spec.ts',
      'packages/atrium/tests/functional/home.spec.ts',
    ])
    assert.deepEqual(filesOf('process', '--files=boot'), [boot])
    assert.isEmpty(filesOf('unit', '--files=process/boot'))
    assert.isUndefined(choiceOf([]))
    assert.deepEqual(choiceOf(['unit', '--tests=one', '--bail'])?.others, ['--tests=one', '--bail'])
  })

  test('every file is in one run, and tagged files also run on each database', ({ assert }) => {
    const runs = planOf({ databases: ['postgres'], env: ALL })
    const usual = runs.filter(({ database }) => !database).flatMap(({ files }) => files)
    assert.sameMembers(usual, allFiles())
    assert.lengthOf(new Set(usual), usual.length)
    const others = runs.filter(({ database }) => database).flatMap(({ files }) => files)
    assert.include(others, 'packages/atrium/tests/functional/late_errors.spec.ts')
    assert.notInclude(others, 'packages/atrium/tests/unit/import_rules.spec.ts')
    assert.includeMembers(usual, others)
  })

  test('in one run for each suite and database, the migrations are reverted at the end', ({
    assert,
  }) => {
    const databases = ['postgres', 'mysql']
    const runs = planOf({ owners: ['engine'], databases, env: ALL })
    const kinds = namesOf(runs.filter(({ revertsMigrations }) => revertsMigrations))
    assert.sameMembers(
      kinds,
      [...SUITES, ...databases].map((kind) => `engine-${kind}`)
    )
    assert.isAbove(runs.length, kinds.length)
  })

  test('test:all runs all test files, CI runs fewer, and a local run the fewest', ({ assert }) => {
    const filesOf = (env: Environment) => allFiles().filter((file) => !reasonAgainst(file, env))
    const inCi = filesOf({ CI: 'true' })
    const local = filesOf({})
    assert.deepEqual(filesOf(ALL), allFiles())
    assert.includeMembers(inCi, local)
    const of = (suite: string, ...names: string[]) =>
      names.map((name) => `packages/atrium/tests/${suite}/${name}.spec.ts`)
    assert.notIncludeMembers(inCi, of('browser', 'cells', 'widgets'))
    assert.includeMembers(inCi, of('functional', 'admin/doors', 'attacks/fuzz'))
    assert.notIncludeMembers(local, of('functional', 'admin/doors', 'attacks/fuzz'))
    assert.includeMembers(local, [...of('unit', 'test_plan'), ...of('browser', 'sign_in')])
  })

  test('each line of test_schedule.txt names an existing test file', async ({ assert }) => {
    const text = await readFile(app.makePath('scripts/test_schedule.txt'), 'utf8')
    const lines = text.trimEnd().split('\n')
    for (const line of lines) assert.match(line, /^(?:ci|all) \S+\.spec\.ts$/)
    assert.includeMembers(
      allFiles(),
      lines.map((line) => line.split(' ')[1])
    )
  })

  test('on other databases, CI runs fewer tests than test:all', ({ assert }) => {
    assert.deepEqual(tagsFor('postgres', { CI: 'true' }), ['@dialect'])
    assert.deepEqual(tagsFor('better-sqlite3', { CI: 'true' }), ['@driver'])
    for (const database of ['postgres', 'better-sqlite3']) {
      const tags = tagsFor(database, ALL)
      assert.sameMembers(tags, ['@driver', '@dialect', '@database'])
    }
  })

  test('the second SQLite driver is tested in CI, and the reason is shown where it is skipped', ({
    assert,
  }) => {
    const missing = (env: Environment) =>
      otherDatabases(env).find(({ name }) => name === 'better-sqlite3')?.missing
    assert.isUndefined(missing({ CI: 'true' }))
    assert.match(missing({})!, /CI/)
  })
})
