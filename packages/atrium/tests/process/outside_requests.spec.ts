/*
 * Application code that uses the engine without a request: in a command, a job, a test and the REPL. None of them
 * loads the introspection of the tables itself.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { test } from '@japa/runner'
import { ProjectCopy } from '#tests/helpers/project_copy'

const ENVIRONMENT = {
  NODE_ENV: 'development',
  APP_URL: 'http://localhost:3333',
  APP_KEY: 'only-for-tests-0123456789abcdef0',
  LOG_LEVEL: 'warn',
  DB_CONNECTION: 'sqlite',
}

const MIGRATION = `
import { BaseSchema } from '@adonisjs/lucid/schema'
export default class extends BaseSchema {
  async up() {
    this.schema.createTable('wards', (table) => {
      table.increments('id')
      table.string('name', 20).notNullable()
    })
    this.schema.createTable('patients', (table) => {
      table.increments('id')
      table.integer('ward_id').unsigned().notNullable().references('wards.id').onDelete('CASCADE')
      table.string('name', 20).notNullable()
    })
    this.schema.createTable('nurses', (table) => {
      table.increments('id')
      table.string('name', 20).notNullable()
    })
    this.schema.createTable('nurse_ward', (table) => {
      table.integer('ward_id').unsigned().notNullable().references('wards.id').onDelete('CASCADE')
      table.integer('nurse_id').unsigned().notNullable().references('nurses.id').onDelete('CASCADE')
      table.primary(['ward_id', 'nurse_id'])
    })
  }
}`

const MODELS = {
  ward: `
import { BaseModel, column, hasMany, manyToMany } from '@adonisjs/lucid/orm'
import type { HasMany, ManyToMany } from '@adonisjs/lucid/types/relations'
import { AdminView } from '#admin'
import { Crud } from '#crud'
import Nurse from '#models/nurse'
import Patient from '#models/patient'
@AdminView({ scopes: { one: (query) => query.where('id', 1) } })
@Crud({ include: ['patients', 'nurses'], filterConfig: { name__contains: null } })
export default class Ward extends BaseModel {
  @column({ isPrimary: true }) declare id: number
  @column() declare name: string
  @hasMany(() => Patient) declare patients: HasMany<typeof Patient>
  @manyToMany(() => Nurse) declare nurses: ManyToMany<typeof Nurse>
}`,
  patient: `
import { BaseModel, belongsTo, column } from '@adonisjs/lucid/orm'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import { Crud } from '#crud'
import Ward from '#models/ward'
@Crud({ include: ['ward'], access: 'public' })
export default class Patient extends BaseModel {
  @column({ isPrimary: true }) declare id: number
  @column() declare wardId: number
  @column() declare name: string
  @belongsTo(() => Ward) declare ward: BelongsTo<typeof Ward>
}`,
  nurse: `
import { BaseModel, column } from '@adonisjs/lucid/orm'
import { AdminView } from '#admin'
import { Crud } from '#crud'
@AdminView()
@Crud()
export default class Nurse extends BaseModel {
  @column({ isPrimary: true }) declare id: number
  @column() declare name: string
}`,
}

/** Each part is run by a process of its own, which has loaded nothing before. */
const SERVICE = `
import db from '@adonisjs/lucid/services/db'
import { AdminRole, AdminUser, userActor } from '#admin'
import { LucidCrud, runAs, systemActor } from '#crud'
import Nurse from '#models/nurse'
import Ward from '#models/ward'

const wards = () => new LucidCrud(Ward)
const parts: Record<string, () => Promise<unknown>> = {
  create: () => wards().create({ name: 'new' }),
  createInTransaction: () => db.transaction((client) => wards().create({ name: 'x' }, { client })),
  createAsSystem: () => new LucidCrud(Nurse).create({ name: 'B' }, { actor: systemActor('test') }),
  update: () => wards().update(1, { name: 'one more' }),
  asRestricted: async () => {
    const user = await AdminUser.findByOrFail('username', 'ann')
    await runAs(userActor(user), async () => {
      const found = await wards().getMulti({ include: 'nurses', filters: { name__contains: 'o' } })
      if (found.total_count !== 1) throw new Error('The scope of the role does not apply')
      await wards().delete(1)
    })
  },
}

export async function work(name: string) {
  const [{ last }] = await db.from('admin_event_log').max('id as last')
  await parts[name]()
  const events = await db.from('admin_event_log').where('id', '>', last).orderBy('id')
  return events.map(({ event_type, resource_type }) => event_type + ' ' + resource_type)
}

export async function seed() {
  await db.table('wards').multiInsert([{ id: 1, name: 'one' }, { id: 2, name: 'two' }])
  await db.table('nurses').insert({ id: 1, name: 'Jo' })
  await db.table('nurse_ward').insert({ ward_id: 1, nurse_id: 1 })
  await db.table('patients').insert({ id: 1, ward_id: 1, name: 'Ann' })
  const role = await AdminRole.create({
    name: 'nurse',
    description: '',
    permissions: { Ward: { actions: ['*'], scopes: ['one'] }, Nurse: { actions: ['*'] } },
  })
  const user = await AdminUser.create({ username: 'ann', hashedPassword: 'x', isSuperuser: false })
  await user.related('roles').attach([role.id])
}`

const COMMAND = `
import { args, BaseCommand } from '@adonisjs/core/ace'
export default class Work extends BaseCommand {
  static commandName = 'work'
  static options = { startApp: true }
  @args.string() declare part: string
  async run() {
    const service = await import('#services/outside')
    if (this.part === 'seed') await service.seed()
    else if (this.part === 'dispatch') {
      const { default: CreateWard } = await import('../app/jobs/create_ward.js')
      await CreateWard.dispatch({})
    } else console.log(JSON.stringify(await service.work(this.part)))
  }
}`

const JOB = `
import { writeFileSync } from 'node:fs'
import { Job } from '@adonisjs/queue'
import { work } from '#services/outside'
export default class CreateWard extends Job<Record<string, never>> {
  async execute() {
    writeFileSync('tmp/job.json', JSON.stringify(await work('create')))
  }
}`

/* As `node ace add @adonisjs/queue` writes them */
const QUEUE = `
import { defineConfig, drivers } from '@adonisjs/queue'
export default defineConfig({
  default: 'database',
  adapters: { database: drivers.database({}) },
  worker: { concurrency: 1, idleDelay: '1s' },
  locations: ['./app/jobs/**/*.{ts,js}'],
})`

const QUEUE_TABLES = `
import { QueueSchemaService } from '@adonisjs/queue'
import { BaseSchema } from '@adonisjs/lucid/schema'
export default class extends BaseSchema {
  async up() {
    this.defer(async (client) => {
      const queue = new QueueSchemaService(client.getWriteClient())
      await queue.createJobsTable()
      await queue.createSchedulesTable()
    })
  }
}`

async function addQueue(path: string) {
  const text = await readFile(path, 'utf8')
  const added = text
    .replace('commands: [', "commands: [() => import('@adonisjs/queue/commands'),")
    .replace('providers: [', "providers: [() => import('@adonisjs/queue/queue_provider'),")
  await writeFile(path, added)
}

/* Of an application whose tests migrate with the tools of AdonisJS alone */
const BOOTSTRAP = `
import app from '@adonisjs/core/services/app'
import testUtils from '@adonisjs/core/services/test_utils'
import { assert } from '@japa/assert'
import { pluginAdonisJS } from '@japa/plugin-adonisjs'
export const plugins = [assert(), pluginAdonisJS(app)]
export const runnerHooks = { setup: [() => testUtils.db().migrate()], teardown: [] }
export const configureSuite = () => {}`

const TEST = `
import { test } from '@japa/runner'
import { seed, work } from '#services/outside'
test('creates a record', async ({ assert }) => {
  await seed()
  assert.deepEqual(await work('create'), ['CREATE Ward'])
})`

test.group('The engine outside of requests', (group) => {
  let copy: ProjectCopy

  group.each.timeout(120_000)
  group.each.setup(async () => {
    copy = await ProjectCopy.create()
    await write('database/migrations/1900000000000_create_wards_table.ts', MIGRATION)
    for (const [name, code] of Object.entries(MODELS)) await write(`app/models/${name}.ts`, code)
    await write('app/services/outside.ts', SERVICE)
    await write('app/jobs/create_ward.ts', JOB)
    await write('config/queue.ts', QUEUE)
    await addQueue(join(copy.folder, 'adonisrc.ts'))
    await write('database/migrations/1900000000001_create_queue_tables.ts', QUEUE_TABLES)
    await write('commands/work.ts', COMMAND)
    await mkdir(join(copy.folder, 'tmp'), { recursive: true })
    return () => copy.remove()
  })

  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(copy.folder, path)), { recursive: true })
    await writeFile(join(copy.folder, path), text)
  }
  const ace = async (...args: string[]) => {
    const { output } = await copy.run(process.execPath, ['ace.js', ...args], ENVIRONMENT)
    return output.trim()
  }

  test('commands, a job and the REPL write records and their events without calling resources.load()', async ({
    assert,
  }) => {
    await ace('migrate')
    assert.equal(await ace('work', 'seed'), '')
    assert.equal(await ace('work', 'create'), '["CREATE Ward"]')
    assert.equal(await ace('work', 'createInTransaction'), '["CREATE Ward"]')
    assert.equal(await ace('work', 'createAsSystem'), '["CREATE Nurse"]')
    assert.equal(await ace('work', 'update'), '["UPDATE Ward"]')
    assert.equal(await ace('work', 'asRestricted'), '["DELETE Ward"]')

    const line = "await (await import('#services/outside')).work('create')"
    const repl = `echo "${line}" | ${process.execPath} ace.js repl`
    const { output } = await copy.run('sh', ['-c', repl], ENVIRONMENT)
    assert.include(output, 'CREATE Ward')

    assert.equal(await ace('work', 'dispatch'), '')
    const end = copy.launch(['ace.js', 'queue:work'], ENVIRONMENT)
    const result = join(copy.folder, 'tmp/job.json')
    for (let attempt = 0; attempt < 300 && !existsSync(result); attempt++) await setTimeout(100)
    const { output: errors } = await end('SIGTERM')
    assert.isTrue(existsSync(result), errors)
    assert.equal(await readFile(result, 'utf8'), '["CREATE Ward"]')
  })

  test('a test that only runs migrations can write a record and its event', async ({ assert }) => {
    await write('tests/bootstrap.ts', BOOTSTRAP)
    await write('tests/unit/outside.spec.ts', TEST)
    const { output, status } = await copy.run(process.execPath, [
      ...['ace.js', 'test', 'unit', '--files=outside'],
    ])
    assert.equal(status, 0, output)
    assert.include(output, '1 passed')
  })
})
