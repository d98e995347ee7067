import { mkdir, rm, writeFile } from 'node:fs/promises'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { MigrationRunner } from '@adonisjs/lucid/migration'
import { test } from '@japa/runner'
import { migrationNamesOf } from '#host/migrate_databases'

const NAME = `migration_names_${process.pid}`

test.group('Names of migrations', (group) => {
  group.each.setup(async () => {
    const folder = app.makePath('tmp', NAME)
    await mkdir(`${folder}/migrations`, { recursive: true })
    await writeFile(`${folder}/migrations/1_shelves.js`, 'export default class {}\n')
    db.manager.add(NAME, {
      client: 'better-sqlite3',
      connection: { filename: `${folder}/db.sqlite3` },
      useNullAsDefault: true,
      migrations: { paths: [`tmp/${NAME}/migrations`] },
    })
    return async () => {
      await db.manager.close(NAME, true)
      await rm(folder, { recursive: true, force: true })
    }
  })

  const runner = () => new MigrationRunner(db, app, { direction: 'up', connectionName: NAME })
  const tables = () => db.connection(NAME).getAllTables()

  test('Lucid by itself still creates its migrations table when the list of migrations is read', async ({
    assert,
  }) => {
    await runner().getList()
    assert.include(await tables(), 'adonis_schema')
  })

  test("the names of the engine's migrations are those that Lucid records", async ({ assert }) => {
    for (const paths of [[], ['database/migrations', './packages/atrium/migrations']]) {
      Object.assign(db.getRawConnection(NAME)!.config.migrations!, { paths })
      const list = await runner().getList()
      const names = await migrationNamesOf(db, app, NAME)
      assert.isNotEmpty(names)
      assert.sameMembers(
        names,
        list.map(({ name }) => name)
      )
    }
  })

  test('migration names are read without writing to the database', async ({ assert }) => {
    assert.deepEqual(await migrationNamesOf(db, app, NAME), [`tmp/${NAME}/migrations/1_shelves`])
    assert.isEmpty(await tables())
  })
})
