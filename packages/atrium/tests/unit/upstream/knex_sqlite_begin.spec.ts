import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from '@japa/runner'
import { beginBetterWithLock, beginWithLock } from '#upstream/knex_sqlite_begin'

const makeKnex = createRequire(import.meta.url)('knex')
const DRIVERS = ['sqlite3', 'better-sqlite3'] as const
type Driver = (typeof DRIVERS)[number]

/** A knex with two connections to one file, patched or not. */
async function open(driver: Driver, { mended }: { mended: boolean }) {
  const folder = await mkdtemp(join(tmpdir(), 'atrium-begin-'))
  const prepare = (connection: any, done: (error: Error | null, connection: any) => void) => {
    const pragmas = 'pragma foreign_keys = on; pragma busy_timeout = 0'
    if (mended && driver === 'sqlite3') beginWithLock(connection)
    if (mended && driver === 'better-sqlite3') beginBetterWithLock(connection, 0)
    if (driver === 'sqlite3')
      return connection.exec(pragmas, (error: Error | null) => done(error, connection))
    connection.exec(pragmas)
    done(null, connection)
  }
  const knex = makeKnex({
    client: driver,
    connection: { filename: join(folder, 'db.sqlite3') },
    useNullAsDefault: true,
    pool: { min: 0, max: 2, afterCreate: prepare },
  })
  await knex.raw('create table parents (id integer primary key)')
  await knex.raw(
    'create table children (parent integer references parents (id) deferrable initially deferred)'
  )
  const close = async () => {
    await knex.destroy()
    await rm(folder, { recursive: true, force: true })
  }
  return { knex, close }
}

/** Returns true if two transactions can begin concurrently. */
async function beginTwice(knex: any): Promise<boolean> {
  const one = await knex.transaction()
  one.executionPromise.catch(() => {})
  const other = await knex.transaction().catch(() => undefined)
  other?.executionPromise.catch(() => {})
  const isBegun = other !== undefined && !other.isCompleted()
  if (isBegun) await other.rollback()
  await one.rollback()
  return isBegun
}

/** Returns true if another transaction can begin on the connection after a refused COMMIT. */
async function beginAfterRefusedCommit(knex: any): Promise<boolean> {
  const connection = await knex.client.acquireConnection()
  try {
    const refused = await knex.transaction({ connection })
    refused.executionPromise.catch(() => {})
    await refused('children').insert({ parent: 1 })
    await refused.commit()
    const next = await knex.transaction({ connection }).catch(() => undefined)
    next?.executionPromise.catch(() => {})
    const isBegun = next !== undefined && !next.isCompleted()
    if (isBegun) await next.rollback()
    return isBegun
  } finally {
    await knex
      .raw('rollback')
      .connection(connection)
      .catch(() => {})
    await knex.client.releaseConnection(connection)
  }
}

for (const driver of DRIVERS) {
  test.group(`Transactions of ${driver}`, () => {
    test('knex still begins a transaction without the lock', async ({ assert, cleanup }) => {
      const { knex, close } = await open(driver, { mended: false })
      cleanup(close)
      assert.isTrue(await beginTwice(knex))
    })

    test('with the patch BEGIN acquires the write lock', async ({ assert, cleanup }) => {
      const { knex, close } = await open(driver, { mended: true })
      cleanup(close)
      assert.isFalse(await beginTwice(knex))
    })

    test('knex still leaves a transaction open after a refused COMMIT', async ({
      assert,
      cleanup,
    }) => {
      const { knex, close } = await open(driver, { mended: false })
      cleanup(close)
      assert.isFalse(await beginAfterRefusedCommit(knex))
    })

    test('with the patch a transaction whose COMMIT was refused is rolled back', async ({
      assert,
      cleanup,
    }) => {
      const { knex, close } = await open(driver, { mended: true })
      cleanup(close)
      assert.isTrue(await beginAfterRefusedCommit(knex))
      assert.lengthOf(await knex('children'), 0)
    })
  })
}
