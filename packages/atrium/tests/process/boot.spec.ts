import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Assert } from '@japa/assert'
import { test } from '@japa/runner'
import { INVALID_MODELS } from '#tests/helpers/invalid_models'
import { onlyNotes } from '#tests/helpers/notes_project'
import { ProjectCopy } from '#tests/helpers/project_copy'

const ENVIRONMENT = {
  NODE_ENV: 'production',
  APP_URL: 'http://localhost',
  APP_KEY: 'of-this-run-alone-0123456789abcdef0',
  LOG_LEVEL: 'error',
  DB_CONNECTION: 'sqlite',
  DB_DATABASE: 'tmp/boot.sqlite3',
}

const SERVER = ['--import=./scripts/loader.js', 'bin/server.ts']

/* Starts whole processes with the models of a real application and a separate database. */
test.group('Boot', (group) => {
  let copy: ProjectCopy

  group.each.timeout(60_000)
  group.setup(async () => {
    copy = await ProjectCopy.create()
    return () => copy.remove()
  })
  /* Models and migrations that a test has written are gone. */
  group.each.setup(() => onlyNotes(copy))

  async function write(file: string, text: string) {
    await mkdir(join(copy.folder, file, '..'), { recursive: true })
    await writeFile(join(copy.folder, file), text)
  }

  async function writeErrors() {
    for (const [file, text] of Object.entries(INVALID_MODELS))
      await write(`app/models/${file}`, text)
  }

  function open(): Promise<Socket> {
    const socket = connect(copy.port, 'localhost')
    socket.on('error', () => {})
    return once(socket, 'connect').then(() => socket)
  }

  test('[P9, P15] the errors of all models and tables are printed together before the exit', async ({
    assert,
  }) => {
    await writeErrors()
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
    assert.lengthOf(output.match(/configuration has \d+ errors/g)!, 1)
    const errors = output.match(/^ {2}- .*/gm)!
    assert.sameMembers(errors, [...new Set(errors)])
    assert.match(output, /- Shown: listColumns names nme, which .*; it shows id/)
    assert.match(output, /- Note: the table notes does not exist .* node ace migrate/)
    assert.match(output, /- BothLists: includedMethods and deletedMethods can't both be given/)
    assert.match(output, /- NoModel is not a Lucid model/)
    assert.match(output, /- FarAway: there is no database connection "moon"; .* has sqlite/)
    assert.match(output, /- app\/models\/unreadable\.ts can't be imported: thrown while/)
    assert.notMatch(output, /^\s+at /m)
  })

  test('[B4] production does not start with the application key of the tests', async ({
    assert,
  }) => {
    const key = 'only-for-tests-0123456789abcdef0'
    const environment = { ...ENVIRONMENT, APP_KEY: key }
    const { status, output } = await copy.run(process.execPath, SERVER, environment)
    assert.equal(status, 1)
    assert.include(output, 'The server did not start. APP_KEY is the one of .env.test')
    assert.lengthOf(output.trim().split('\n'), 1)
    assert.notInclude(output, key)
  })

  test('a setting that prevents the start is reported in a single line', async ({ assert }) => {
    for (const [environment, line] of [
      [{ TRUST_PROXY: '0.0.0.0/0' }, 'TRUST_PROXY is "0.0.0.0/0", which trusts everybody'],
      [
        { DB_CONNECTION: 'postgres', DB_HOST: '127.0.0.1', DB_PORT: '1' },
        "The database can't be used: connect ECONNREFUSED 127.0.0.1:1",
      ],
    ] as const) {
      const { status, output } = await copy.run(process.execPath, SERVER, {
        ...ENVIRONMENT,
        ...environment,
      })
      assert.equal(status, 1)
      assert.lengthOf(output.trim().split('\n'), 1, output)
      assert.include(output, `The server did not start. ${line}`)
    }
  })

  test('[P1, P2, P10] a decorated model serves requests, in production with a token, and SIGTERM ends the server immediately', async ({
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
    assert.include(copy.output, 'No access is set for Note:')
    assert.include(
      copy.output,
      'APP_URL (appUrl of config/app.ts) is http://localhost: passwords and cookies'
    )
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
