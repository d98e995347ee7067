import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

const { changedFiles, reachedTests } = (await import(app.makePath('scripts/changed_tests.js'))) as {
  changedFiles(root: string): string[]
  reachedTests(tests: string[], changed: string[]): Map<string, boolean>
}
const { allFiles } = (await import(app.makePath('scripts/test_plan.js'))) as {
  allFiles(): string[]
}

const ENGINE = 'packages/atrium/'
const UNIT = `${ENGINE}tests/unit/`

test.group('The command npm test -- --changed', () => {
  const reachedBy = (...changed: string[]) => reachedTests(allFiles(), changed)

  test('tests that import a changed file are selected, directly or through others', ({
    assert,
  }) => {
    const direct = reachedBy(`${ENGINE}src/admin/dashboard/chart.ts`)
    assert.isFalse(direct.get(`${UNIT}admin/dashboard/chart.spec.ts`))
    const throughHelper = [...reachedBy(`${ENGINE}src/base/database/mysql/mysql_match.ts`).keys()]
    assert.include(throughHelper, `${ENGINE}tests/functional/filters.spec.ts`)
    /* By the engine's public name, and by names of the application */
    assert.include(throughHelper, 'tests/browser/demo/products.spec.ts')
    assert.include(
      [...reachedBy('app/models/product.ts').keys()],
      'tests/browser/demo/products.spec.ts'
    )
    const helper = [...reachedBy(`${ENGINE}tests/helpers/zip_file.ts`).keys()]
    assert.isNotEmpty(helper)
    assert.notInclude(helper, `${UNIT}base/values/text_pattern.spec.ts`)
  })

  test('a changed test is selected, and a changed file that is not code selects none', ({
    assert,
  }) => {
    const file = `${UNIT}changed_tests.spec.ts`
    assert.deepEqual([...reachedBy(file)], [[file, true]])
    assert.isEmpty([...reachedBy('docs/architecture.md')])
  })

  test('all changes since the branch left main count, also uncommitted and new files', async ({
    assert,
    cleanup,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), 'changed-'))
    cleanup(() => rm(folder, { recursive: true }))
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=jo', '-c', 'user.email=jo@example.org', ...args], {
        cwd: folder,
        stdio: 'pipe',
      })
    const commit = async (name: string) => {
      await writeFile(join(folder, name), name)
      git('add', '-A')
      git('commit', '-qm', name)
    }
    git('init', '-q', '-b', 'main')
    await commit('first')
    git('checkout', '-q', '-b', 'mine')
    await commit('second')
    git('checkout', '-q', 'main')
    await commit('of-main')
    assert.isEmpty(changedFiles(folder))
    git('checkout', '-q', 'mine')
    await writeFile(join(folder, 'first'), 'other')
    await writeFile(join(folder, 'new'), '')
    assert.sameMembers(changedFiles(folder), ['first', 'second', 'new'])
  })
})
