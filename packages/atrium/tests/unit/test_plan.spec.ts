import { readFile } from 'node:fs/promises'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

interface Run {
  name: string
  files: string[]
  weight: number
  database?: string
  revertsMigrations: boolean
}

type Environment = Record<string, string | undefined>

const { allFiles, otherDatabases, ownersOf, planOf, reasonAgainst, SUITES, tagsFor } =
  (await import(app.makePath('scripts/test_plan.js'))) as {
    allFiles(): string[]
    otherDatabases(env: Environment): Array<{ name: string; missing: string | undefined }>
    ownersOf(args: string[]): string[]
    planOf(wanted: {
      owners?: string[]
      suites: string[]
      databases: string[]
      isIncluded?: (file: string) => boolean
    }): Run[]
    reasonAgainst(file: string, env: Environment): string | undefined
    SUITES: string[]
    tagsFor(database: string, env: Environment): string[]
  }
const isIncluded = () => true

test.group('Plan of npm test', () => {
  test('[K10] a test suite runs for the packages that have it', ({ assert }) => {
    assert.deepEqual(ownersOf(['process']), ['engine'])
    assert.deepEqual(ownersOf(['unit']), ['engine', 'app'])
    assert.deepEqual(ownersOf(['process', '--files=boot']), ['engine'])
    assert.deepEqual(ownersOf(['--files', 'process/boot']), ['engine'])
  })

  test('every file is in one run, the longest runs start first, and tagged files also run on each database', ({
    assert,
  }) => {
    const runs = planOf({ suites: SUITES, databases: ['postgres'], isIncluded })
    const usual = runs.filter(({ database }) => !database).flatMap(({ files }) => files)
    assert.sameMembers(usual, allFiles())
    assert.lengthOf(new Set(usual), usual.length)
    const others = runs.filter(({ database }) => database).flatMap(({ files }) => files)
    assert.include(others, 'packages/atrium/tests/functional/late_errors.spec.ts')
    assert.notInclude(others, 'packages/atrium/tests/unit/import_rules.spec.ts')
    assert.includeMembers(usual, others)
    const weights = runs.map(({ weight }) => weight)
    assert.deepEqual(
      weights,
      weights.toSorted((one, other) => other - one)
    )
  })

  test('in one run for each suite and database, the migrations are reverted at the end', ({
    assert,
  }) => {
    const databases = ['postgres', 'mysql']
    const runs = planOf({ owners: ['engine'], suites: SUITES, databases, isIncluded })
    const kinds = runs
      .filter(({ revertsMigrations }) => revertsMigrations)
      .map(({ name }) => name.replace(/-\d+$/, ''))
    assert.sameMembers(
      kinds,
      [...SUITES, ...databases].map((kind) => `engine-${kind}`)
    )
    assert.isAbove(runs.length, kinds.length)
  })

  test('test:all runs all test files, CI fewer, and a local run fewer still', ({ assert }) => {
    const filesOf = (env: Environment) => allFiles().filter((file) => !reasonAgainst(file, env))
    const inCi = filesOf({ CI: 'true' })
    const local = filesOf({})
    assert.deepEqual(filesOf({ CI: 'true', TEST_ALL: 'true' }), allFiles())
    assert.includeMembers(inCi, local)
    const of = (suite: string, ...names: string[]) =>
      names.map((name) => `packages/atrium/tests/${suite}/${name}.spec.ts`)
    assert.notIncludeMembers(inCi, of('browser', 'cells', 'widgets'))
    assert.includeMembers(inCi, of('functional', 'admin/doors', 'attacks/fuzz'))
    assert.notIncludeMembers(local, of('functional', 'admin/doors', 'attacks/fuzz'))
    assert.includeMembers(local, [...of('unit', 'test_plan'), ...of('browser', 'list')])
  })

  test('each name in the lists of the plan is that of a file or folder', async ({ assert }) => {
    const source = await readFile(app.makePath('scripts/test_plan.js'), 'utf8')
    const lists = source.slice(source.indexOf('const SCHEDULED'), source.indexOf('const DATABASES'))
    const names = [...lists.matchAll(/'([^']+)'/g)].flatMap(([, text]) => text.trim().split(' '))
    assert.isAbove(names.length, 40)
    for (const name of names) {
      const end = name.endsWith('/') ? `/${name}` : `/${name}.spec.ts`
      assert.isTrue(
        allFiles().some((file) => (name.endsWith('/') ? file.includes(end) : file.endsWith(end))),
        name
      )
    }
  })

  test('on other databases fewer tests run in CI than with test:all', ({ assert }) => {
    assert.deepEqual(tagsFor('postgres', { CI: 'true' }), ['@dialect'])
    assert.deepEqual(tagsFor('better-sqlite3', { CI: 'true' }), ['@driver'])
    for (const database of ['postgres', 'better-sqlite3']) {
      const tags = tagsFor(database, { CI: 'true', TEST_ALL: 'true' })
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
