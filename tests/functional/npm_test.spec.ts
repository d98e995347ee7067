import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from '@japa/runner'
import { ProjectCopy } from '#tests/helpers/project_copy'

/** A test of the functional suite and one of the browser's */
const TESTS = ['scripts/test.js', '--files=home,no_javascript']

/** Its table is gone when the migrations are to be taken back. */
const SPOILER = `
  import db from '@adonisjs/lucid/services/db'
  import { test } from '@japa/runner'
  test('a spoiler', async ({ assert }) => {
    await db.connection().schema.dropTable('idempotency_keys')
    assert.equal(1, 2, 'the assertion of a test')
  })`

test.group('npm test', () => {
  test('without a Chromium, the browser suite is left out, and said to be', async ({
    assert,
    cleanup,
  }) => {
    const copy = await ProjectCopy.create()
    cleanup(() => copy.remove())
    const { status, output } = await copy.run(process.execPath, TESTS, {
      CHROMIUM_PATH: '/nowhere',
    })
    assert.equal(status, 0, output)
    assert.deepEqual(output.trimEnd().split('\n').slice(-2), [
      'skipped: browser (no Chromium)',
      '1 passed, 0 failed',
    ])
  })

  test('where a machine checks the project, a missing Chromium is a failure', async ({
    assert,
    cleanup,
  }) => {
    const copy = await ProjectCopy.create()
    cleanup(() => copy.remove())
    const { status, output } = await copy.run(process.execPath, TESTS, {
      CHROMIUM_PATH: '/nowhere',
      CI: 'true',
    })
    assert.equal(status, 1, output)
    assert.include(output, 'Chromium was not found')
    assert.notInclude(output, 'skipped:')
    assert.match(output, /\n1 passed, 1 failed\n$/)
  })

  test('a failed assertion is told first, though taking the tables back fails after it', async ({
    assert,
    cleanup,
  }) => {
    const copy = await ProjectCopy.create()
    cleanup(() => copy.remove())
    await writeFile(join(copy.folder, 'tests/unit/spoiler.spec.ts'), SPOILER)
    const { status, output } = await copy.run(process.execPath, [
      'scripts/test.js',
      '--files=spoiler',
    ])
    assert.equal(status, 1, output)
    const told = ['the assertion of a test', 'migration:reset) failed', '\n0 passed, 1 failed\n']
    const places = told.map((text) => output.indexOf(text))
    assert.notInclude(places, -1, output)
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b)
    )
  })
})
