import { basename } from 'node:path'
import ace from '@adonisjs/core/services/ace'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { migrationsPath, pendingMigrations } from '#base/engine_file'
import { addEngineMigrations } from '#host/engine_migrations'

/** Where version 0.2 had them, and another place of the package */
const FORMER = [
  'packages/atrium/migrations/crud',
  'packages/atrium/migrations/admin',
  '../node_modules/x/migrations/admin',
]

async function namesOfDone(): Promise<string[]> {
  const rows = await db.from('adonis_schema').orderBy('id').select('name')
  return rows.map(({ name }) => name)
}

async function run(command: string) {
  const options = ['--compact-output', '--no-schema-generate', '--disable-locks']
  const { exitCode, error } = await ace.exec(command, options)
  if (exitCode) throw error
}

test.group('Migrations of the engine', (group) => {
  group.tap((one) => one.tags(['@dialect']))

  test('[K7] migrations that ran from another folder are not run again, and can be rolled back', async ({
    assert,
  }) => {
    const before = await namesOfDone()
    const engine = [migrationsPath('crud'), migrationsPath('admin')]
    const isEngine = (name: string) => engine.some((path) => name.startsWith(`${path}/`))
    assert.isTrue(before.some(isEngine))
    for (const [index, name] of before.filter(isEngine).entries()) {
      const previous = `${FORMER[index % FORMER.length]}/${basename(name)}`
      await db.from('adonis_schema').where({ name }).update({ name: previous })
    }
    assert.notDeepEqual(await namesOfDone(), before)
    await run('migration:run')
    assert.deepEqual(await namesOfDone(), before)
  })

  test('[K7] a migration of the application is not renamed', async ({ assert, cleanup }) => {
    /* Even with the name of a file of the engine */
    const files = ['1_create_shelves_table', '1790000000000_create_admin_users_table']
    const names = files.map((file) => `database/migrations/${file}`)
    cleanup(async () => {
      await db.from('adonis_schema').whereIn('name', names).delete()
    })
    for (const name of names) await db.table('adonis_schema').insert({ name, batch: 99 })
    await run('migration:run')
    assert.includeMembers(await namesOfDone(), names)
  })

  test('[K7] an engine migration that ran from another folder is not pending, but a new one of the application is', ({
    assert,
  }) => {
    const wanted = [`${migrationsPath('admin')}/1_users`, 'database/migrations/2_shelves']
    const done = ['elsewhere/build/migrations/admin/1_users', 'elsewhere/2_shelves']
    assert.deepEqual(pendingMigrations(wanted, done), ['database/migrations/2_shelves'])
    assert.deepEqual(pendingMigrations(wanted, wanted), [])
    assert.deepEqual(pendingMigrations(wanted, []), wanted)
  })

  test('[K3] migrations of the engine come before those of the application, and only once', ({
    assert,
    cleanup,
  }) => {
    const { config } = db.getRawConnection(db.primaryConnectionName)!
    const { migrations } = config
    cleanup(() => {
      config.migrations = migrations
    })
    const engine = [migrationsPath('crud'), migrationsPath('admin')]
    const pathsWith = (paths?: string[]) => {
      config.migrations = { ...migrations, paths }
      addEngineMigrations(db)
      return config.migrations.paths
    }
    assert.deepEqual(pathsWith(), [...engine, 'database/migrations'])
    assert.deepEqual(pathsWith(['a', 'b']), [...engine, 'a', 'b'])
    assert.deepEqual(pathsWith(['a', ...engine, 'b']), ['a', ...engine, 'b'])
  })

  test('[K4] tables of the engine are omitted from the generated schema of the application', async ({
    assert,
    cleanup,
  }) => {
    const { config } = db.getRawConnection(db.primaryConnectionName)!
    const { schemaGeneration } = config
    cleanup(() => {
      config.schemaGeneration = schemaGeneration
    })
    config.schemaGeneration = { excludeTables: ['moved'] }
    addEngineMigrations(db)
    const excluded = new Set(config.schemaGeneration.excludeTables)
    assert.isTrue(excluded.has('moved'))
    const tables = await db.connection().getAllTables(['public'])
    const own = tables.filter((table) => /^admin_|^idempotency_keys$/.test(table))
    assert.sameMembers([...excluded], ['moved', ...own])
  })
})
