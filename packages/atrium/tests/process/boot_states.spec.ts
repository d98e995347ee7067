/*
 * Commands and the server in a project with a bad or rare state: a process each. boot.spec.ts has
 * the usual start, and that of a project with errors.
 */
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from '@japa/runner'
import { INVALID_MODELS } from '#tests/helpers/invalid_models'
import { onlyNotes, removeModels } from '#tests/helpers/notes_project'
import { ProjectCopy } from '#tests/helpers/project_copy'

const ENVIRONMENT = {
  NODE_ENV: 'production',
  APP_URL: 'http://localhost',
  APP_KEY: 'of-this-run-alone-0123456789abcdef0',
  LOG_LEVEL: 'error',
  DB_CONNECTION: 'sqlite',
  DB_DATABASE: 'tmp/boot.sqlite3',
}

test.group('Boot in unusual situations', (group) => {
  let copy: ProjectCopy

  group.each.timeout(60_000)
  group.each.setup(async () => {
    copy = await ProjectCopy.create()
    await onlyNotes(copy)
    return () => copy.remove()
  })

  async function write(file: string, text: string) {
    await mkdir(join(copy.folder, file, '..'), { recursive: true })
    await writeFile(join(copy.folder, file), text)
  }

  async function writeErrors() {
    for (const [file, text] of Object.entries(INVALID_MODELS))
      await write(`app/models/${file}`, text)
  }

  test('[P9] a command that does not need the models runs and reports in one line how many errors they have', async ({
    assert,
  }) => {
    await writeErrors()
    const { status, output } = await copy.run(process.execPath, ['ace.js', 'migration:run'], {
      ...ENVIRONMENT,
      NODE_ENV: 'development',
    })

    assert.equal(status, 0, output)
    assert.match(output, /create_notes_table/)
    assert.notInclude(output, 'BothLists: ')
    const last = output.trim().split('\n').at(-1)
    assert.include(last, 'has 4 errors. node ace atrium:doctor lists them')
  })

  test('[P9] an error in a configuration file is reported in one line, also in a command', async ({
    assert,
  }) => {
    await write(
      'config/crud.ts',
      "import { defineConfig } from '#crud'\nexport default defineConfig({ prefix: 5 as any })"
    )
    const migrate = (environment: object) =>
      copy.run(process.execPath, ['ace.js', 'migrate'], {
        ...ENVIRONMENT,
        NODE_ENV: 'development',
        ...environment,
      })
    const { status, output } = await migrate({})
    assert.equal(status, 1)
    assert.include(output, 'config/crud.ts: prefix is 5, and must be / or names of letters')
    assert.lengthOf(output.trim().split('\n'), 1)
    const wrong = await migrate({ LOG_LEVEL: 'loud' })
    assert.equal(wrong.status, 1)
    assert.include(wrong.output, '"LOG_LEVEL" env variable must be one of')
    assert.notMatch(wrong.output, / at .*node_modules/)
  })

  test('[P12] a custom command can import a model whose schema contains a file', async ({
    assert,
  }) => {
    await write(
      'app/models/scan.ts',
      `
      import { BaseModel, column } from '@adonisjs/lucid/orm'
      import vine from '@vinejs/vine'
      import { AdminView } from '#admin'
      const createSchema = vine.object({ page: vine.file({ size: '1mb', extnames: ['pdf'] }) })
      @AdminView({ createSchema })
      export default class Scan extends BaseModel {
        @column({ isPrimary: true }) declare id: number
        @column() declare page: string
      }`
    )
    await write(
      'commands/scans_count.ts',
      `
      import { BaseCommand } from '@adonisjs/core/ace'
      import Scan from '#models/scan'
      export default class ScansCount extends BaseCommand {
        static commandName = 'scans:count'
        async run() { this.logger.info('counts ' + Scan.name) }
      }`
    )
    const { status, output } = await copy.run(process.execPath, ['ace.js', 'scans:count'], {
      ...ENVIRONMENT,
      NODE_ENV: 'development',
    })
    assert.equal(status, 0, output)
    assert.include(output, 'counts Scan')
  })

  test('[P2] without models the server starts, and the home page reports that there are none', async ({
    assert,
  }) => {
    await removeModels(copy)
    const stop = await copy.start(ENVIRONMENT)
    const home = await fetch(copy.url)
    assert.equal(home.status, 200)
    assert.include(await home.text(), 'No model is decorated yet')
    assert.equal(await stop(), 0)
  })

  test('[P12] crud:routes needs no database, and with --json prints only JSON', async ({
    assert,
  }) => {
    const { status, output } = await copy.run(
      process.execPath,
      ['ace.js', 'crud:routes', '--json'],
      { NODE_ENV: 'test' }
    )
    assert.equal(status, 0, output)
    const models: string[] = JSON.parse(output).map(({ model }: { model: string }) => model)
    assert.deepEqual(models, Array(5).fill('Note'))
    assert.isFalse(existsSync(join(copy.folder, 'tmp/db.sqlite3')))
  })
})
