import ace from '@adonisjs/core/services/ace'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { listTables } from '#base/database/read_tables'
import { engineMigration } from '#base/engine_file'
import Uninstall from '#host/commands/uninstall'
import { ENGINE_TABLES, engineTablesOf, removeEngineTables } from '#host/engine_migrations'
import { runMigrations } from '#host/testing'
import { pretendProduction } from '#tests/helpers/production'

const name = db.primaryConnectionName

async function migrationNames(): Promise<string[]> {
  const rows = await db.from('adonis_schema').orderBy('name').select('name')
  return rows.map((row) => row.name)
}

test.group('Tables of the engine', (group) => {
  group.each.setup(() => {
    ace.ui.switchMode('raw')
    return () => ace.ui.switchMode('normal')
  })

  test('[K3.6] atrium:uninstall removes the engine’s tables and migrations, and nothing of the application', async ({
    assert,
    cleanup,
  }) => {
    const before = {
      migrations: await migrationNames(),
      tables: await listTables(db.connection()),
    }
    const { migrations } = db.getRawConnection(name)!.config
    cleanup(async () => {
      db.getRawConnection(name)!.config.migrations = migrations
      await runMigrations()
    })
    assert.sameMembers(await engineTablesOf(db, name), ENGINE_TABLES)
    await removeEngineTables(db, app, name)
    assert.isEmpty(await engineTablesOf(db, name))
    assert.deepEqual(
      await migrationNames(),
      before.migrations.filter((one) => engineMigration(one) === undefined)
    )
    assert.sameMembers(
      await listTables(db.connection()),
      before.tables.filter((table) => !ENGINE_TABLES.includes(table))
    )
    await removeEngineTables(db, app, name)
  }).tags(['@dialect'])

  test('[K3.6] atrium:uninstall requires --force in production and without a terminal', async ({
    assert,
    cleanup,
  }) => {
    const refused = async () => {
      const command = await ace.create(Uninstall, [])
      await command.exec()
      command.assertFailed()
      return command.logger.getLogs().at(-1)!.message
    }
    assert.match(await refused(), /This is not a terminal: give --force/)
    cleanup(pretendProduction())
    assert.match(await refused(), /This is production: give --force/)
    assert.sameMembers(await engineTablesOf(db, name), ENGINE_TABLES)
  })
})
