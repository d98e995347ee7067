import { mkdir, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from '@japa/runner'
import { ProjectCopy } from '#tests/helpers/project_copy'

/** A functional test and a browser test */
const TESTS = ['scripts/test.js', '--files=home,no_javascript']

/** A model with name and table of a fixture */
const NAMESAKE = `
  import { BaseModel, column } from '@adonisjs/lucid/orm'
  import { AdminView } from '#admin'
  import { Crud } from '#crud'
  @AdminView()
  @Crud({ access: 'public' })
  export default class Reel extends BaseModel {
    @column({ isPrimary: true }) declare id: number
  }`

const NAMESAKE_TABLE = `
  import { BaseSchema } from '@adonisjs/lucid/schema'
  export default class extends BaseSchema {
    async up() {
      this.schema.createTable('reels', (table) => void table.increments('id'))
    }
    async down() {
      this.schema.dropTable('reels')
    }
  }`

/** Removes its table, so that the rollback fails. */
const SPOILER = `
  import db from '@adonisjs/lucid/services/db'
  import { test } from '@japa/runner'
  test('the model of the application responds', async ({ client }) => {
    const response = await client.get('/api/reels')
    response.assertStatus(200)
    response.assertBody({ data: [], total_count: 0 })
  })
  test('a spoiler', async ({ assert }) => {
    await db.connection().schema.dropTable('idempotency_keys')
    assert.equal(1, 2, 'the assertion of a test')
  })`

test.group('npm test', (group) => {
  let copy: ProjectCopy

  group.setup(async () => {
    copy = await ProjectCopy.create()
    await write('app/models/reel.ts', NAMESAKE)
    await write('database/migrations/1_create_reels_table.ts', NAMESAKE_TABLE)
    await write('tests/functional/spoiler.spec.ts', SPOILER)
    return () => copy.remove()
  })

  async function write(file: string, text: string) {
    const path = join(copy.folder, file)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }

  test('[K8] node ace test runs without the binary of the sqlite3 driver', async ({
    assert,
    cleanup,
  }) => {
    const folder = join(copy.folder, 'node_modules/sqlite3')
    const target = await readlink(folder)
    await rm(folder)
    cleanup(() => symlink(target, folder))
    await write(
      'tests/functional/name.spec.ts',
      `import db from '@adonisjs/lucid/services/db'
      import { test } from '@japa/runner'
      test('the driver', ({ assert }) => {
        assert.equal(db.primaryConnectionName, 'better-sqlite3')
      })`
    )
    const { status, output } = await copy.run(process.execPath, [
      ...['ace.js', 'test', '--files=tests/functional/name.spec.ts'],
    ])
    assert.equal(status, 0, output)
    assert.match(output, /1 passed/)
  })

  test('without Chromium the browser suite is skipped with a message', async ({ assert }) => {
    const { status, output } = await copy.run(process.execPath, TESTS, {
      CHROMIUM_PATH: '/nowhere',
    })
    assert.equal(status, 0, output)
    assert.deepEqual(output.trimEnd().split('\n').slice(-2), [
      'skipped: browser (no Chromium)',
      '2 passed, 0 failed',
    ])
  })

  test('in CI a missing Chromium fails the run', async ({ assert }) => {
    const { status, output } = await copy.run(process.execPath, TESTS, {
      CHROMIUM_PATH: '/nowhere',
      CI: 'true',
    })
    assert.equal(status, 1, output)
    assert.include(output, 'Chromium was not found')
    assert.notInclude(output, 'skipped:')
    assert.match(output, /\nfailed: engine: .+\n2 passed, 1 failed\n$/)
  })

  test('[K10] if a test and the rollback of the migrations after it fail, the error of the test is printed first', async ({
    assert,
  }) => {
    const { status, output } = await copy.run(process.execPath, [
      'scripts/test.js',
      '--app',
      '--files=spoiler',
    ])
    assert.equal(status, 1, output)
    const told = ['the assertion of a test', 'migration:reset) failed', '\n1 passed, 1 failed\n']
    const places = told.map((text) => output.indexOf(text))
    assert.notInclude(places, -1, output)
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b)
    )
  })
})
