/*
 * A clone of version 0.2.0 with changes and data of its own becomes this version by the steps of docs/upgrading.md.
 */
import { execFileSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { ProjectCopy } from '#tests/helpers/project_copy'
import { firstInCi } from '#tests/helpers/random_runs'
import { createServerDatabase } from '#tests/helpers/test_database'

/** The last commit of version 0.2.0 that people had */
const BEFORE = '0eb5ccf'
const PASSWORD = 'correct horse'
const IDENTITY = ['-c', 'user.name=jo', '-c', 'user.email=jo@example.org']
/* git would take files of an application to be files of a folder that moved. */
const MERGE = ['-c', 'merge.directoryRenames=false', '-c', 'merge.renameLimit=20000']

const SQLITE = { DB_CONNECTION: 'sqlite', DB_DATABASE: 'tmp/db.sqlite3' }
const SERVERS = { postgres: 'TEST_POSTGRES_URL', mysql: 'TEST_MYSQL_URL' } as const

const FILES = {
  'app/models/ticket.ts': `
import { BaseModel, column } from '@adonisjs/lucid/orm'
import { AdminView } from '#admin'
import { Crud } from '#crud'

@AdminView({ templates: { list: 'desk/tickets' } })
@Crud({ access: 'public' })
export default class Ticket extends BaseModel {
  @column({ isPrimary: true })
  declare id: number
  @column()
  declare openedBy: string
}
`,
  'database/migrations/1900000000000_create_tickets_table.ts': `
import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  async up() {
    this.schema.createTable('tickets', (table) => {
      table.increments('id')
      table.string('opened_by', 20).notNullable()
    })
  }
  async down() {
    this.schema.dropTable('tickets')
  }
}
`,
  'resources/views/desk/tickets.edge': `
@component('admin/layouts/frame', { site, title: 'Tickets of the desk' })
  <p>Only for the desk</p>
@end
`,
  'resources/lang/en/desk.json': '{ "hello": "Hello" }',
}

function hasHistory(): boolean {
  try {
    const options = { cwd: app.makePath(), stdio: 'ignore' } as const
    execFileSync('git', ['-c', 'safe.directory=*', 'cat-file', '-e', BEFORE], options)
    return true
  } catch {
    return false
  }
}

test.group('Upgrade of version 0.2.0', (group) => {
  group.each.timeout(180_000)

  for (const database of firstInCi(['sqlite', 'postgres', 'mysql'] as const)) {
    const variable = database === 'sqlite' ? undefined : SERVERS[database]
    const isMissing = variable !== undefined && !process.env[variable]

    test(`[K7] the upgrade preserves models, settings, a template and data of the application: ${database}`, async ({
      assert,
      cleanup,
    }) => {
      const copy = await ProjectCopy.clone(BEFORE)
      cleanup(() => copy.remove())
      const run = async (command: string, ...args: string[]) => {
        const { status, output } = await copy.run(command, args)
        assert.equal(status, 0, output)
        return output
      }
      let settings: Record<string, string> = SQLITE
      if (database !== 'sqlite') {
        const server = await createServerDatabase(database, '_upgrade')
        cleanup(server.remove)
        settings = server.environment
      }

      for (const [path, text] of Object.entries(FILES)) {
        await mkdir(dirname(join(copy.folder, path)), { recursive: true })
        await writeFile(join(copy.folder, path), text.trimStart())
      }
      const config = join(copy.folder, 'config/admin.ts')
      const text = await readFile(config, 'utf8')
      await writeFile(config, text.replace("title: 'Atrium'", "title: 'Desk'"))
      const environment = {
        NODE_ENV: 'development',
        APP_URL: copy.url,
        APP_KEY: 'only-for-tests-0123456789abcdef0',
        LOG_LEVEL: 'warn',
        ...settings,
      }
      const lines = Object.entries(environment).map(([name, value]) => `${name}=${value}\n`)
      await writeFile(join(copy.folder, '.env'), lines.join(''))
      await mkdir(join(copy.folder, 'tmp'))
      await run('git', 'add', '-A')
      await run('git', ...IDENTITY, 'commit', '-qm', 'Ours')

      await run(process.execPath, 'ace.js', 'migrate')
      const create = `printf '%s' '${PASSWORD}' | ${process.execPath} ace.js admin:create --username=jo --password-stdin`
      await run('sh', '-c', create)
      const server = ['--import=@poppinss/ts-exec', 'bin/server.ts']
      const stopOld = await copy.start({}, server)
      const made = await fetch(`${copy.url}/api/tickets`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ opened_by: 'Ann' }),
      })
      assert.equal(made.status, 201)
      assert.equal(await stopOld(), 0)

      await run('git', ...IDENTITY, ...MERGE, 'merge', '-q', '--no-edit', 'origin/HEAD')
      const migrated = await run(process.execPath, 'ace.js', 'migrate')
      assert.notMatch(migrated, /create_(admin_users|idempotency_keys|tickets)/)
      const stop = await copy.start({}, ['--import=./scripts/loader.js', 'bin/server.ts'])
      const list = await fetch(`${copy.url}/api/tickets`)
      const { data } = (await list.json()) as { data: unknown }
      assert.deepEqual(data, [{ id: 1, opened_by: 'Ann' }])

      const login = await fetch(`${copy.url}/admin/login`, {
        method: 'POST',
        body: new URLSearchParams({ username: 'jo', password: PASSWORD }),
        redirect: 'manual',
      })
      assert.equal(login.status, 303)
      const cookie = login.headers
        .getSetCookie()
        .map((line) => line.split(';')[0])
        .join('; ')
      const page = await fetch(`${copy.url}/admin/Ticket/`, { headers: { cookie } })
      const html = await page.text()
      assert.include(html, '<p>Only for the desk</p>')
      assert.match(html, /<title>Tickets of the desk.*Desk<\/title>/)
      assert.equal(await stop(), 0)

      const reset = await run(process.execPath, 'ace.js', 'migration:reset', '--compact-output')
      assert.match(reset, /Reverted \d+ migrations/)
    }).skip((isMissing || !hasHistory()) && !process.env.CI, 'no such server, or no history of git')
  }
})
