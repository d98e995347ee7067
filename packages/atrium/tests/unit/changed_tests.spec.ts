import { execFileSync } from 'node:child_process'
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

const { findChangedTests } = (await import(app.makePath('scripts/changed_tests.js'))) as {
  findChangedTests(
    revision: string | undefined,
    folder: string
  ): Promise<{ files: string[]; untested: string[] }>
}

const SRC = 'packages/atrium/src'
const TESTS = 'packages/atrium/tests'

/** A project where `page` imports `list` and `index` has all */
const FILES = {
  [`${SRC}/list.ts`]: 'export const list = 1',
  [`${SRC}/page.ts`]: "export { list } from './list.js'",
  [`${SRC}/alone.ts`]: 'export const alone = 1',
  [`${SRC}/index.ts`]: "export { list } from './page.js'",
  [`${TESTS}/page.spec.ts`]: "import '../src/page.js'",
  [`${TESTS}/index.spec.ts`]: "import '../src/index.js'",
  'tests/app.spec.ts': 'export {}',
}

test.group('npm test -- --changed', (group) => {
  let folder: string

  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'changed-'))
    for (const [path, text] of Object.entries(FILES)) await write(path, text)
    git('init', '--quiet')
    git('add', '.')
    git('-c', 'user.name=A', '-c', 'user.email=a@b.example', 'commit', '--quiet', '-m', 'one')
    return () => rm(folder, { recursive: true })
  })

  async function write(path: string, text: string) {
    await mkdir(join(folder, dirname(path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }

  function git(...args: string[]) {
    execFileSync('git', args, { cwd: folder, stdio: 'pipe' })
  }

  test('the tests that import a changed file are found, except through the index of the engine', async ({
    assert,
  }) => {
    await write(`${SRC}/list.ts`, 'export const list = 2')
    await write('tests/new.spec.ts', 'export {}')
    const { files, untested } = await findChangedTests(undefined, folder)
    assert.sameMembers(files, [`${TESTS}/page.spec.ts`, 'tests/new.spec.ts'])
    assert.isEmpty(untested)
  })

  test('changed files that no test imports are listed', async ({ assert }) => {
    await write(`${SRC}/alone.ts`, 'export const alone = 2')
    await write('README.md', 'One')
    const found = await findChangedTests('HEAD', folder)
    assert.deepEqual(found, { files: [], untested: [`${SRC}/alone.ts`, 'README.md'] })
  })

  test('an unknown revision is an error with the message of git', async ({ assert }) => {
    await assert.rejects(
      () => findChangedTests('--output=x', folder),
      /^--changed: fatal: .*--output=x/
    )
  })
})
