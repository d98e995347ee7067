import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from '@japa/runner'
import Database from 'better-sqlite3'
import { ProjectCopy } from '#tests/helpers/project_copy'

test.group('First start on another application’s database', () => {
  test('[P12] a table that collides with the demo is an error that names it; with DEMO=false the server starts without the demo', async ({
    assert,
    cleanup,
  }) => {
    const copy = await ProjectCopy.create()
    cleanup(() => copy.remove())
    await mkdir(join(copy.folder, 'tmp'))
    const open = () => new Database(join(copy.folder, 'tmp/db.sqlite3'))
    const inDatabase = <Row>(sql: string) => {
      const database = open()
      try {
        return database.prepare(sql).all() as Row[]
      } finally {
        database.close()
      }
    }
    const database = open()
    database.exec(
      "create table products (sku text primary key); insert into products values ('A1')"
    )
    database.close()

    const { status, output } = await copy.run(process.execPath, ['scripts/start.js'])
    assert.equal(status, 1)
    assert.include(output, 'the demo would create: products. Nothing was written.')
    assert.include(output, 'DEMO=false npm start')
    assert.notMatch(output, /^ +at /m)
    const tables = inDatabase<{ name: string }>(
      "select name from sqlite_master where type = 'table'"
    )
    assert.deepEqual(tables, [{ name: 'products' }])

    const migrated = await copy.run(process.execPath, ['ace.js', 'migration:run'], {
      DEMO: 'false',
      NODE_ENV: 'development',
    })
    assert.equal(migrated.status, 0, migrated.output)
    /* Lucid breaks long lines. */
    assert.include(migrated.output.replaceAll(/\s/g, ''), 'create_admin_users_table')

    const stop = await copy.start({ DEMO: 'false' })
    const api = await fetch(`${copy.url}/api/products`)
    assert.equal(api.status, 404)
    const login = await fetch(`${copy.url}/admin/login`)
    assert.equal(login.status, 200)
    const ready = await fetch(`${copy.url}/health/ready`)
    assert.equal(ready.status, 200)
    assert.equal(await stop(), 0)
    assert.deepEqual(inDatabase('select * from products'), [{ sku: 'A1' }])
    const made = inDatabase("select 1 from sqlite_master where name = 'films'")
    assert.deepEqual(made, [])
  }).timeout(300_000)
})
