/*
 * rate-limiter-flexible 9.1.1 (lib/RateLimiterSQLite.js), as @adonisjs/limiter 3.0.1 uses it on SQLite:
 * - on the driver `sqlite3`, counting gives the connection back while its savepoint is still open, and another
 *   request's transaction begins inside of it;
 * - on `better-sqlite3`, it counts by methods of the driver that do not wait for the lock of another process, and
 *   takes what a delete returns for its result, which is a promise where the delete waits (knex_sqlite_begin.ts);
 * - the timer that clears old rows does not catch a failure, which ends the process.
 * No issue known. It can go when the test "the limiter by itself still gives back a connection in a
 * savepoint" fails.
 */
import { createRequire } from 'node:module'
import { configProvider } from '@adonisjs/core'
import type { ConfigProvider } from '@adonisjs/core/types'
import type { LimiterManagerStoreFactory } from '@adonisjs/limiter/types'
import type { Knex } from 'knex'
import { expectGround, hasMethods, hasText } from './expect_ground.js'

const load = createRequire(import.meta.url)

/** The part of rate-limiter-flexible's SQLite store that is replaced. */
interface SqliteCounter {
  client: Knex
  tableName: string
  clearExpired(expire: number): Promise<unknown>
  _delete(key: string): Promise<boolean>
  _upsertTransactionSQLite3?: Upsert
  _upsertTransactionBetterSQLite3?: Upsert
}

type Upsert = (connection: unknown, sql: string, values: any[]) => Promise<unknown>

const UPSERTS = ['_upsertTransactionSQLite3', '_upsertTransactionBetterSQLite3'] as const

/** @throws Exception  when the limiter counts on SQLite, or clears rows, differently */
export function checkGround(
  SqliteLimiter: any = load('rate-limiter-flexible/lib/RateLimiterSQLite.js')
): void {
  const { prototype } = SqliteLimiter
  expectGround('rate-limiter-flexible', 'limiter_savepoints', {
    'RateLimiterSQLite#_delete, clearExpired': hasMethods(prototype, '_delete', 'clearExpired'),
    ...Object.fromEntries(
      UPSERTS.flatMap((upsert) => [
        [`RateLimiterSQLite#${upsert}`, hasMethods(prototype, upsert)],
        [
          `${upsert} in RateLimiterSQLite#_upsertTransaction`,
          hasText(prototype._upsertTransaction, `this.${upsert}(`),
        ],
      ])
    ),
    'clearExpired in RateLimiterSQLite#_clearExpiredHourAgo': hasText(
      prototype._clearExpiredHourAgo,
      'this.clearExpired('
    ),
  })
}

/**
 * A database store that writes on SQLite by knex alone, one statement each, which is atomic without a savepoint. The
 * original releases the connection while its savepoint is still open: a transaction of another request, on the single
 * writing connection, then begins inside it and fails, and with several concurrent attempts it can stay open
 * permanently.
 */
export function withoutSavepoints(
  store: ConfigProvider<LimiterManagerStoreFactory>
): ConfigProvider<LimiterManagerStoreFactory> {
  return configProvider.create(async (app) => {
    const create = await store.resolver(app)
    return (options) => {
      const made = create(options)
      const counter = (made as unknown as { rateLimiter: SqliteCounter }).rateLimiter
      if (counter._upsertTransactionSQLite3) writeByKnex(counter)
      /*
       * A timer calls it without handling its failure: a busy database would end the process. The next
       * run clears the rest.
       */
      const clear = counter.clearExpired.bind(counter)
      counter.clearExpired = (expire) => clear(expire).catch(() => {})
      return made
    }
  })
}

function writeByKnex(counter: SqliteCounter): void {
  const rows = () => counter.client(counter.tableName)
  for (const upsert of UPSERTS) {
    counter[upsert] = async (_connection, sql, values) => {
      const [row] = await counter.client.raw(sql, values)
      return row
    }
  }
  counter._delete = async (key) => (await rows().where({ key }).delete()) > 0
  counter.clearExpired = async (expire) => await rows().where('expire', '<', expire).delete()
}
