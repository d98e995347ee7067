import { mkdir, rm, writeFile } from 'node:fs/promises'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { MigrationRunner } from '@adonisjs/lucid/migration'
import { test } from '@japa/runner'
import { crudConfig } from '#crud'
import {
  readersOf,
  sqliteConnections,
  type SqliteDriver,
} from '#base/database/sqlite/sqlite_connection'
import { repairMigrations } from '#upstream/lucid_migrations'

const DRIVERS: SqliteDriver[] = ['sqlite3', 'better-sqlite3']
let places = 0

/** Creates shelves, and books and labels that refer to them, with a row each. */
const SHELVES = `
  async up() {
    this.schema.createTable('shelves', (table) => {
      table.increments('id')
      table.string('name')
      table.string('colour')
    })
    this.schema.createTable('books', (table) => {
      table.increments('id')
      table.integer('shelf_id').notNullable().references('shelves.id').onDelete('cascade')
    })
    this.schema.createTable('labels', (table) => {
      table.increments('id')
      table.integer('shelf_id').references('shelves.id')
    })
    this.defer(async (client) => {
      await client.table('shelves').insert({ id: 1, name: 'one', colour: 'red' })
      await client.table('books').insert({ id: 1, shelf_id: 1 })
      await client.table('labels').insert({ id: 1, shelf_id: 1 })
    })
  }`

const DROP_COLOUR = `
  async up() {
    this.schema.alterTable('shelves', (table) => table.dropColumn('colour'))
  }
  async down() {
    this.schema.alterTable('shelves', (table) => table.string('colour'))
  }`

/** A separate database of a driver, and a function that runs migrations with these bodies on it. */
async function makePlace(driver: SqliteDriver) {
  const name = `migrated_${process.pid}_${++places}`
  const folder = app.makePath('tmp', name)
  await mkdir(`${folder}/migrations`, { recursive: true })
  const connections = sqliteConnections(name, `${folder}/db.sqlite3`, {
    migrations: [`tmp/${name}/migrations`],
    driver,
  })
  for (const [key, config] of Object.entries(connections)) db.manager.add(key, config)
  let count = 0
  const write = async (body: string, statics = '') =>
    await writeFile(
      `${folder}/migrations/${++count}_step.js`,
      `import { BaseSchema } from '@adonisjs/lucid/schema'\nexport default class extends BaseSchema {${statics}${body}\n}\n`
    )
  const run = async (direction: 'up' | 'down' = 'up') => {
    const step = direction === 'down' ? { step: 1 } : {}
    const runner = new MigrationRunner(db, app, { direction, connectionName: name, ...step })
    await runner.run()
    return runner.error
  }
  const client = db.connection(name)
  const remove = async () => {
    for (const key of Object.keys(connections)) await db.manager.close(key, true)
    await rm(folder, { recursive: true, force: true })
  }
  const keysHold = async () => {
    try {
      await client.table('books').insert({ shelf_id: 99 })
      return false
    } catch {
      return true
    }
  }
  return { client, write, run, remove, keysHold }
}

test.group('Migrations that rebuild referenced tables', () => {
  for (const driver of DRIVERS) {
    test(`${driver}: dropping a column preserves the rows of other tables that refer to the table`, async ({
      assert,
      cleanup,
    }) => {
      const { client, write, run, remove, keysHold } = await makePlace(driver)
      cleanup(remove)
      await write(SHELVES)
      await write(DROP_COLOUR)
      const error = await run()

      assert.isNull(error)
      assert.deepEqual(await client.from('shelves').select('*'), [{ id: 1, name: 'one' }])
      assert.deepEqual(await client.from('books').select('*'), [{ id: 1, shelf_id: 1 }])
      assert.deepEqual(await client.from('labels').select('*'), [{ id: 1, shelf_id: 1 }])
      assert.isTrue(await keysHold())
    })

    test(`${driver}: a migration that leaves rows with missing references is rolled back with a message`, async ({
      assert,
      cleanup,
    }) => {
      const { client, write, run, remove, keysHold } = await makePlace(driver)
      cleanup(remove)
      await write(SHELVES)
      await run()
      await write(`
        async up() {
          this.schema.alterTable('shelves', (table) => table.dropColumn('colour'))
          this.defer((client) => client.from('shelves').delete())
        }`)
      const error = await run()

      assert.equal(
        error?.message,
        '1 row of books would refer to rows of shelves that do not exist; 1 row of labels would refer to rows of shelves that do not exist. Foreign keys do not act while a migration runs on SQLite: change or delete those rows in the migration, too. The migration was rolled back'
      )
      assert.deepEqual(await client.from('shelves').select('*'), [
        { id: 1, name: 'one', colour: 'red' },
      ])
      assert.lengthOf(await client.from('adonis_schema').select('*'), 1)
      assert.isTrue(await keysHold())
    })

    test(`${driver}: rows with references that were missing before are allowed, a further one is not`, async ({
      assert,
      cleanup,
    }) => {
      const { client, write, run, remove, keysHold } = await makePlace(driver)
      cleanup(remove)
      await write(SHELVES)
      await run()
      await client.rawQuery('pragma foreign_keys = off')
      await client.table('books').insert({ id: 2, shelf_id: 50 })
      await client.rawQuery('pragma foreign_keys = on')
      await write(DROP_COLOUR)
      assert.isNull(await run())
      await write(`
        async up() {
          this.defer((client) => client.table('books').insert({ id: 3, shelf_id: 51 }))
        }`)
      const error = await run()
      assert.match(error!.message, /^2 rows of books would refer to rows of shelves/)
      assert.lengthOf(await client.from('books').select('*'), 2)
      assert.isTrue(await keysHold())
    })
  }

  test('foreign keys are enabled again after a failed migration', async ({ assert, cleanup }) => {
    const { client, write, run, remove, keysHold } = await makePlace('sqlite3')
    cleanup(remove)
    await write(SHELVES)
    await write(`
      async up() {
        this.schema.alterTable('shelves', (table) => table.dropColumn('colour'))
        this.defer(() => { throw new Error('wrong') })
      }`)
    const error = await run()
    assert.equal(error?.message, 'wrong')
    assert.lengthOf(await client.from('books').select('*'), 1)
    assert.isTrue(await keysHold())
  })

  test('a rollback of migrations can rebuild tables, too', async ({ assert, cleanup }) => {
    const { client, write, run, remove, keysHold } = await makePlace('sqlite3')
    cleanup(remove)
    await write(SHELVES)
    await run()
    await write(`
      async up() {}
      async down() {
        this.schema.alterTable('shelves', (table) => table.dropColumn('colour'))
      }`)
    await run()
    assert.isNull(await run('down'))
    assert.deepEqual(await client.from('shelves').select('*'), [{ id: 1, name: 'one' }])
    assert.lengthOf(await client.from('books').select('*'), 1)
    assert.isTrue(await keysHold())
  })

  test('a migration without a transaction does not delete referring rows either', async ({
    assert,
    cleanup,
  }) => {
    const { client, write, run, remove, keysHold } = await makePlace('sqlite3')
    cleanup(remove)
    await write(SHELVES)
    await write(DROP_COLOUR, 'static disableTransactions = true')
    assert.isNull(await run())
    assert.lengthOf(await client.from('books').select('*'), 1)
    assert.isTrue(await keysHold())
  })

  test('[P12.11] an excluded migration does not run, and is rolled back if it has run', async ({
    assert,
    cleanup,
  }) => {
    const { client, write, run, remove } = await makePlace('better-sqlite3')
    const given = app.config.get('crud')
    cleanup(async () => {
      app.config.set('crud', given)
      await remove()
    })
    const exclude = () => {
      const excludedMigrations = [`tmp/${client.connectionName}/migrations/2_step`]
      app.config.set('crud', { ...crudConfig(), excludedMigrations })
    }
    const done = async () => {
      const rows = await client.from('adonis_schema').select('name')
      return rows.map(({ name }) => name.at(-6))
    }
    await write(SHELVES)
    await write(DROP_COLOUR)
    exclude()
    assert.isNull(await run())
    assert.deepEqual(await done(), ['1'])
    app.config.set('crud', given)
    assert.isNull(await run())
    assert.deepEqual(await done(), ['1', '2'])
    exclude()
    assert.isNull(await run('down'))
    assert.deepEqual(await done(), ['1'])
  })

  test('the migration runner has the methods that are patched, and they are patched only once', ({
    assert,
  }) => {
    const methods = MigrationRunner.prototype as unknown as Record<string, unknown>
    const { executeMigration, commit } = methods
    assert.isFunction(executeMigration)
    assert.isFunction(commit)
    assert.isFunction(methods.getMigrationSource)
    repairMigrations({ readersOf, excluded: () => [] })
    assert.equal(methods.executeMigration, executeMigration)
    assert.equal(methods.commit, commit)
  })

  test('Lucid still can’t rebuild tables: its transaction deletes the referring rows', async ({
    assert,
    cleanup,
  }) => {
    const { client, write, run, remove } = await makePlace('sqlite3')
    cleanup(remove)
    await write(SHELVES)
    await run()
    await client.from('labels').delete()
    await client.transaction(async (transaction) => {
      await transaction.schema.alterTable('shelves', (table) => {
        table.dropColumn('colour')
      })
    })
    assert.deepEqual(await client.from('books').select('*'), [])
  })
})
