import { readdir, readFile } from 'node:fs/promises'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { checkLibrary as bodyParser } from '#upstream/body_parser'
import { checkLibraries } from '#upstream/check_libraries'
import { checkLibrary as driverQueries } from '#upstream/driver_queries'
import { checkLibrary as sqliteBegin } from '#upstream/knex_sqlite_begin'
import { checkLibrary as transactions } from '#upstream/knex_transaction'
import { checkLibrary as dirtyData } from '#upstream/lucid_dirty_data'
import { checkLibrary as recordQueries } from '#upstream/lucid_record_queries'
import { checkLibrary as recordTransactions } from '#upstream/lucid_record_transactions'
import { checkLibrary as recordSteps } from '#upstream/lucid_record_steps'
import { checkLibrary as relations } from '#upstream/lucid_relations'
import { checkLibrary as transactionEnd } from '#upstream/lucid_transaction_end'
import { checkLibrary as migrations } from '#upstream/lucid_migrations'

class Moved {}

/** Check of each patch, called with a library whose parts are missing, and a part that it reports */
const CHECKS: Array<[file: string, part: string, check: () => unknown]> = [
  ['body_parser', '__raw_files in Request#allFiles', () => bodyParser({})],
  ['driver_queries', "'COMMIT;' in", () => driverQueries({ Transaction: Moved })],
  ['driver_queries', 'Client_PG#_query', () => driverQueries({ PostgresClient: Moved })],
  ['knex_sqlite_begin', "'BEGIN;' in", () => sqliteBegin({ SqliteTransaction: Moved })],
  ['knex_sqlite_begin', "'COMMIT;' in", () => sqliteBegin({ Transaction: Moved })],
  ['knex_sqlite_begin', 'Client_SQLite3#_query', () => sqliteBegin({ SqliteClient: Moved })],
  ['knex_sqlite_begin', 'Client_BetterSQLite3#_query', () => sqliteBegin({ BetterClient: Moved })],
  ['knex_transaction', 'executionPromise', () => transactions({ Transaction: Moved })],
  ['knex_transaction', '__knex__disposed', () => transactions({ Client: Moved })],
  ['lucid_dirty_data', 'getter BaseModel#$dirty', () => dirtyData({})],
  ['lucid_record_queries', 'BaseModel#$getQueryFor', () => recordQueries({})],
  ['lucid_record_transactions', 'in BaseModel#$trx', () => recordTransactions({})],
  ['lucid_record_steps', 'BaseModel#prepareForAdapter', () => recordSteps(Moved)],
  ['lucid_record_steps', 'BaseModel.$createFromAdapterResult', () => recordSteps(Moved)],
  ['lucid_relations', 'throughModel', () => relations({ through: {} })],
  ['lucid_relations', 'pivotTimestamps', () => relations({ many: {} })],
  ['lucid_relations', 'groupConstraints', () => relations({ query: '' })],
  ['lucid_transaction_end', 'this.knexClient.commit()', () => transactionEnd('')],
  ['lucid_migrations', 'MigrationRunner#commit', () => migrations({})],
]

test.group('What the patches expect of libraries', () => {
  test('the installed libraries have the code that the patches expect', ({ assert }) => {
    assert.doesNotThrow(() => checkLibraries())
    assert.doesNotThrow(() => driverQueries())
    assert.doesNotThrow(() => sqliteBegin())
    assert.doesNotThrow(() => migrations())
  })

  test('if the code of a library has changed, the error for {0} names the part: {1}')
    .with(CHECKS)
    .run(async ({ assert }, [file, part, check]) => {
      const error = await Promise.resolve()
        .then(check)
        .then(
          () => undefined,
          (invalid: Error & { code?: string }) => invalid
        )
      assert.equal(error?.code, 'E_RUNTIME')
      assert.include(error?.message, part)
      assert.include(error?.message, `(src/upstream/${file}.ts)`)
    })

  test('a patch imports nothing from the engine, and states its library version and when it can be removed', async ({
    assert,
  }) => {
    const folder = app.makePath('packages/atrium/src/upstream')
    const helpers = ['check_libraries.ts', 'expect_library.ts', 'repair_member.ts']
    const listed = await readdir(folder)
    const files = listed.filter((file) => file.endsWith('.ts'))
    assert.isAbove(files.length, 10)
    for (const file of files) {
      const source = await readFile(`${folder}/${file}`, 'utf8')
      assert.notMatch(source, /from '(#(?!upstream)|\.\.\/)/, file)
      if (helpers.includes(file)) continue
      const head = /^\/\*\n[^]*?\*\//.exec(source)?.[0] ?? ''
      assert.match(head, /\d+\.\d+/, `${file} names no version`)
      assert.match(
        head,
        /can\s+(\* )?be\s+(\* )?removed/,
        `${file} does not say when it can be removed`
      )
      assert.match(head, /https:\/\/|[Nn]o\s+(\* )?issue/, `${file} names no issue`)
    }
  })
})
