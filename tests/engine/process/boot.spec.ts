import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Assert } from '@japa/assert'
import { test } from '@japa/runner'
import { onlyNotes, removeModels } from '#tests/engine/helpers/notes_project'
import { ProjectCopy } from '#tests/engine/helpers/project_copy'

const ENVIRONMENT = {
  NODE_ENV: 'production',
  APP_URL: 'http://localhost',
  APP_KEY: 'of-this-run-alone-0123456789abcdef0',
  LOG_LEVEL: 'error',
  DB_CONNECTION: 'sqlite',
  DB_DATABASE: 'tmp/boot.sqlite3',
}

const FAULTS = {
  'both_lists.ts': `
    import { BaseModel, column } from '@adonisjs/lucid/orm'
    import { Crud } from '#crud'
    @Crud({ includedMethods: ['read'], deletedMethods: ['read'] })
    export default class BothLists extends BaseModel {
      @column({ isPrimary: true }) declare id: number
    }`,
  'no_model.ts': `
    import { Crud } from '#crud'
    class NoModel {}
    Crud()(NoModel as any)
    export default NoModel`,
  'far_away.ts': `
    import { BaseModel, column } from '@adonisjs/lucid/orm'
    import { Crud } from '#crud'
    @Crud()
    export default class FarAway extends BaseModel {
      static connection = 'moon'
      @column({ isPrimary: true }) declare id: number
    }`,
  'unreadable.ts': `
    import { BaseModel } from '@adonisjs/lucid/orm'
    export default class Unreadable extends BaseModel {}
    throw new Error('thrown while the file was read')`,
}

const SERVER = ['--import=@poppinss/ts-exec', 'bin/server.ts']

/* Starts whole processes with the models of a real application and a separate database. */
test.group('Boot', (group) => {
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

  async function writeFaults() {
    for (const [file, text] of Object.entries(FAULTS)) await write(`app/models/${file}`, text)
  }

  function open(): Promise<Socket> {
    const socket = connect(copy.port, 'localhost')
    socket.on('error', () => {})
    return once(socket, 'connect').then(() => socket)
  }

  test('[P9, P15] the server prints the errors of all models and tables at once and exits', async ({
    assert,
  }) => {
    await writeFaults()
    await write(
      'app/models/shown.ts',
      `
      import { BaseModel, column } from '@adonisjs/lucid/orm'
      import { AdminView } from '#admin'
      @AdminView(() => ({ listColumns: ['nme'] }))
      export default class Shown extends BaseModel {
        @column({ isPrimary: true }) declare id: number
      }`
    )
    const { status, output } = await copy.run(process.execPath, SERVER, ENVIRONMENT)

    assert.equal(status, 1)
    assert.lengthOf(output.match(/configuration has \d+ faults/g)!, 1)
    const faults = output.match(/^ {2}- .*/gm)!
    assert.sameMembers(faults, [...new Set(faults)])
    assert.match(output, /- Shown: listColumns names nme, which .*; it shows id/)
    assert.match(output, /- Note: the table notes does not exist .* node ace migrate/)
    assert.match(output, /- BothLists: includedMethods and deletedMethods can't both be given/)
    assert.match(output, /- NoModel is not a Lucid model/)
    assert.match(output, /- FarAway: there is no database connection "moon"; .* has sqlite/)
    assert.match(output, /- app\/models\/unreadable\.ts can't be imported: thrown while/)
    assert.notMatch(output, /^\s+at /m)
  })

  test('[B4] production does not start with the key of the tests', async ({ assert }) => {
    const key = 'only-for-tests-0123456789abcdef0'
    const environment = { ...ENVIRONMENT, APP_KEY: key }
    const { status, output } = await copy.run(process.execPath, SERVER, environment)
    assert.equal(status, 1)
    assert.include(output, 'The server did not start. APP_KEY is the one of .env.test')
    assert.lengthOf(output.trim().split('\n'), 1)
    assert.notInclude(output, key)
  })

  test('[P9] in a command the same errors are a warning', async ({ assert }) => {
    await writeFaults()
    const { status, output } = await copy.run(process.execPath, ['ace.js', 'migration:run'], {
      ...ENVIRONMENT,
      NODE_ENV: 'development',
    })

    assert.equal(status, 0, output)
    assert.include(output, 'has 4 faults')
    assert.include(output, 'BothLists: ')
    assert.match(output, /create_notes_table/)
  })

  test('[P9] an error in a configuration file is one line, also in a command', async ({
    assert,
  }) => {
    await write(
      'config/crud.ts',
      "import { defineConfig } from '#crud'\nexport default defineConfig({ prefix: 5 as any })"
    )
    const { status, output } = await copy.run(process.execPath, ['ace.js', 'migrate'], {
      ...ENVIRONMENT,
      NODE_ENV: 'development',
    })
    assert.equal(status, 1)
    assert.include(output, 'config/crud.ts: prefix is 5, and must be / or names of letters')
    assert.lengthOf(output.trim().split('\n'), 1)
  })

  test('[P12] a custom command may import a model with a file in its schema', async ({
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

  test('[P2] without models the server starts and says so', async ({ assert }) => {
    await removeModels(copy)
    const stop = await copy.start(ENVIRONMENT)
    const home = await fetch(copy.url)
    assert.equal(home.status, 200)
    assert.include(await home.text(), 'No model is decorated yet')
    assert.equal(await stop(), 0)
  })

  test('[P1, P2, P10] a decorated model and its migration are enough, plus a token in production; SIGTERM ends the server at once', async ({
    assert,
  }) => {
    const create = () =>
      fetch(`${copy.url}/api/notes`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"text":"hello"}',
      })
    const development = { ...ENVIRONMENT, NODE_ENV: 'development' }
    const stop = await copy.start(development)
    const created = await create()
    assert.equal(created.status, 201)
    const list = await fetch(`${copy.url}/api/notes`)
    assert.deepEqual(await list.json(), { data: [{ id: 1, text: 'hello' }], total_count: 1 })
    await endsDespiteIdleConnection(stop, assert)

    const stopAgain = await copy.start({ ...ENVIRONMENT, LOG_LEVEL: 'warn' })
    const refused = await create()
    assert.equal(refused.status, 401)
    const problem = (await refused.json()) as { detail: string }
    assert.include(problem.detail, "access: 'public' in its @Crud")
    await endsDespiteEndlessRequests(stopAgain, assert)
    assert.include(copy.output, 'Nobody has decided who may call Note:')
  })

  async function endsDespiteIdleConnection(stop: () => Promise<number | null>, assert: Assert) {
    const waiting = await open()
    waiting.write('GET /api/notes HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await once(waiting, 'data')
    const start = performance.now()

    assert.equal(await stop(), 0)
    assert.isBelow(performance.now() - start, 4000)
  }

  async function endsDespiteEndlessRequests(stop: () => Promise<number | null>, assert: Assert) {
    await open()
    const halfway = await open()
    halfway.write('GET /api/notes HTTP/1.1\r\nHost:')
    const unfinished = await open()
    unfinished.write(
      'POST /api/notes HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' +
        'Content-Length: 100\r\n\r\n{'
    )
    /* A response to another request proves that the server has read the others. */
    await fetch(`${copy.url}/api/notes`)
    const start = performance.now()

    assert.equal(await stop(), 0)
    assert.isBelow(performance.now() - start, 15_000)
  }
})
