import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import ace from '@adonisjs/core/services/ace'
import app from '@adonisjs/core/services/app'
import type { ApplicationService } from '@adonisjs/core/types'
import { test } from '@japa/runner'
import { EndpointCreator, resources } from '#crud'
import { Command } from '#crud/commands/command'
import CrudRoutes from '#crud/commands/crud_routes'
import CrudProvider from '#crud/crud_provider'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import { StockTotal } from '#tests/fixtures/existing_tables'
import { RouteItem } from '#tests/fixtures/routes'

async function run(args: string[]) {
  const command = await ace.create(CrudRoutes, args)
  await command.exec()
  return command
}

/** Routes of one model, as `--json` prints them. */
async function routesOf(model: string): Promise<any[]> {
  const command = await run([model, '--json'])
  command.assertSucceeded()
  const logs = command.logger.getLogs()
  return JSON.parse(logs[0].message)
}

function guard() {}

class Reports extends EndpointCreator {
  addRoutesToRouter() {
    super.addRoutesToRouter()
    this.addCustomRoute({ method: 'GET', path: '/report', handler: () => null })
  }
}

test.group('Failures of commands', (group) => {
  group.each.setup(() => {
    ace.ui.switchMode('raw')
    return () => ace.ui.switchMode('normal')
  })

  test('a command names a database driver of another Node.js version', async ({ assert }) => {
    class Broken extends Command {
      static commandName = 'broken'
      async run() {
        throw Object.assign(new Error('select secret'), { code: 'ERR_DLOPEN_FAILED' })
      }
    }
    const command = await ace.create(Broken, [])
    await command.exec()
    const [{ message }] = command.logger.getLogs()
    assert.match(message, /driver of the database can't be loaded .*npm rebuild/)
    assert.notInclude(message, 'secret')
  })
})

test.group('crud:routes', (group) => {
  group.each.setup(() => {
    ace.ui.switchMode('raw')
    return () => ace.ui.switchMode('normal')
  })

  /** Gives a model endpoints whose routes are not registered. */
  function offer(endpoints: EndpointCreator, cleanup: (handler: () => void) => void) {
    const { endpoints: before } = resources
    resources.endpoints = () => [...before.call(resources), endpoints]
    cleanup(() => void (resources.endpoints = before))
  }

  test('[P12, D4] crud:routes lists a batch with the access of each of its operations', async ({
    assert,
    cleanup,
  }) => {
    const options = { model: RouteItem, path: 'other', batch: true }
    offer(
      new EndpointCreator({
        ...options,
        access: { create: 'public', update: 'token', delete: 'token' },
      }),
      cleanup
    )
    const routes = await routesOf(RouteItem.name)
    const listed = routes.find(({ path }) => path === '/api/other/batch')
    assert.equal(listed.access, 'create public, update token, delete token')
  })

  test('[P12] crud:routes lists each operation with method, path and access', async ({
    assert,
  }) => {
    const routes = await routesOf('Reel')
    assert.deepEqual(
      routes.map(({ operation, method, path }) => `${operation}: ${method} ${path}`),
      [
        'create: POST /api/reels',
        'read: GET /api/reels/:id',
        'read_multi: GET /api/reels',
        'update: PATCH /api/reels/:id',
        'delete: DELETE /api/reels/:id',
        'db_delete: DELETE /api/reels/db_delete/:id',
      ]
    )
    assert.deepEqual(routes[0], {
      model: 'Reel',
      name: 'create',
      operation: 'create',
      method: 'POST',
      path: '/api/reels',
      access: 'public',
      middleware: [],
      custom: false,
    })
  })

  test('[P12.3] crud:routes lists no writes of a database view', async ({ assert }) => {
    const routes = await routesOf(StockTotal.name)
    assert.deepEqual(
      routes.map(({ operation, method }) => `${operation}: ${method}`),
      ['read: GET', 'read_multi: GET']
    )
  })

  test('[P12.3] crud:routes lists a model whose table cannot be read, with a warning', async ({
    assert,
    cleanup,
  }) => {
    class Gone extends BaseModel {
      static table = 'gone'

      @column({ isPrimary: true })
      declare id: number
    }
    offer(new EndpointCreator({ model: Gone, path: 'gone', access: 'public' }), cleanup)
    const command = await run(['Gone'])
    const logs = command.logger.getLogs().map(({ message }) => message)
    assert.include(logs.join('\n'), 'Not every table could be read')
    assert.include(logs.join('\n'), 'delete')
  })

  test('[P12] the table of crud:routes has no colours in a pipe', async ({ assert, cleanup }) => {
    const isTerminal = Object.getOwnPropertyDescriptor(process.stdout, 'isTTY')
    Object.defineProperty(process.stdout, 'isTTY', { value: false, configurable: true })
    cleanup(() => {
      if (isTerminal) Object.defineProperty(process.stdout, 'isTTY', isTerminal)
      else Reflect.deleteProperty(process.stdout, 'isTTY')
    })
    const said: string[] = []
    ace.ui.switchMode('normal')
    ace.ui.useRenderer({ log: (text: string) => said.push(text) } as never)
    const command = await run(['Reel'])
    command.assertSucceeded()
    assert.match(said.join('\n'), /│ {2}create {5,}│ {2}POST +│ {2}\/api\/reels /)
    assert.notInclude(said.join(''), '\u{1b}')
  })

  test('[P12] crud:routes lists the access of each operation, its middleware and custom routes', async ({
    assert,
    cleanup,
  }) => {
    const middleware = { create: [guard, () => {}] }
    const access = { update: 'token' } as const
    class Special extends RouteItem {}
    offer(
      new Reports({
        model: Special,
        path: 'special',
        access,
        middleware,
        deletedMethods: ['read'],
      }),
      cleanup
    )

    const routes = await routesOf('special')
    assert.deepEqual(
      routes.map((one) => [one.name, one.path, one.access, one.custom, one.middleware]),
      [
        ['GET /report', '/api/special/report', 'public', true, []],
        ['create', '/api/special', 'public', false, ['guard', 'closure']],
        ['read_multi', '/api/special', 'public', false, []],
        ['update', '/api/special/:id', 'token', false, []],
        ['delete', '/api/special/:id', 'public', false, []],
      ]
    )
    const command = await run(['Special'])
    command.assertTableRows([
      ['Special', 'read_multi (custom)', 'GET', '/api/special/report', 'public', '-'],
      ['Special', 'create', 'POST', '/api/special', 'public', 'guard, closure'],
      ['Special', 'read_multi', 'GET', '/api/special', 'public', '-'],
      ['Special', 'update', 'PATCH', '/api/special/:id', 'token', '-'],
      ['Special', 'delete', 'DELETE', '/api/special/:id', 'public', '-'],
    ])
  })

  test('[P12] crud:routes lists all models, including those of crudRouter', async ({ assert }) => {
    const command = await run(['--json'])
    const logs = command.logger.getLogs()
    const routes: any[] = JSON.parse(logs[0].message)
    const models = new Set(routes.map(({ model }) => model))
    assert.includeMembers([...models], ['Reel', 'Utensil', 'Lender', 'RouteItem'])
    assert.lengthOf(
      routes,
      resources.endpoints().reduce((sum, { routes: { length } }) => sum + length, 0)
    )
  })

  test('[P12] crud:routes for an unknown model prints one line that lists the known ones', async ({
    assert,
  }) => {
    const command = await run(['Nobody'])
    command.assertExitCode(1)
    const [{ message, stream }] = command.logger.getLogs()
    assert.equal(stream, 'stderr')
    assert.match(message, /Unknown model Nobody; models with endpoints are .*Reel, .*Utensil/)
  })

  test('[P9] a model file that throws is a warning in other commands, and an error that names the file in crud:routes', async ({
    assert,
    cleanup,
  }) => {
    const folder = app.makePath('tmp', `models-${process.pid}`)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'broken.ts'), 'throw new Error("thrown at import")')
    cleanup(async () => {
      resources.errors.length = 0
      resources.areErrorsShown = false
      await rm(folder, { recursive: true })
    })
    await new CrudProvider({
      modelsPath: () => folder,
      relativePath: (path: string) => path.slice(folder.length + 1),
      getEnvironment: () => 'console',
      terminating: () => {},
    } as unknown as ApplicationService).start()
    assert.lengthOf(resources.errors, 1)

    const command = await run(['--json'])
    command.assertExitCode(1)
    const [{ message, stream }, ...others] = command.logger.getLogs()
    assert.equal(stream, 'stderr')
    assert.include(message, "broken.ts can't be imported: thrown at import")
    assert.isEmpty(others)
  })
})
