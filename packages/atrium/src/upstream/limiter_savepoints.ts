/*
 * rate-limiter-flexible 9.1.1 (lib/RateLimiterSQLite.js), as @adonisjs/limiter 3.0.1 uses it on SQLite:
 * - counting gives the connection back while its savepoint is still open, and another request's transaction
 *   begins inside of it;
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
  clearExpired(expire: number): Promise<unknown>
  _upsertTransactionSQLite3?: (connection: unknown, sql: string, values: any[]) => Promise<unknown>
}

/** @throws Exception  when the limiter counts on SQLite, or clears rows, differently */
export function checkGround(
  SqliteLimiter: any = load('rate-limiter-flexible/lib/RateLimiterSQLite.js')
): void {
  const { prototype } = SqliteLimiter
  expectGround('rate-limiter-flexible', 'limiter_savepoints', {
    'RateLimiterSQLite#_upsertTransactionSQLite3': hasMethods(
      prototype,
      '_upsertTransactionSQLite3'
    ),
    '_upsertTransactionSQLite3 in RateLimiterSQLite#_upsertTransaction': hasText(
      prototype._upsertTransaction,
      'this._upsertTransactionSQLite3('
    ),
    'clearExpired in RateLimiterSQLite#_clearExpiredHourAgo': hasText(
      prototype._clearExpiredHourAgo,
      'this.clearExpired('
    ),
  })
}

/**
 * A database store that counts on SQLite without a savepoint. The original releases the connection while
 * its savepoint is still open: a transaction of another request, on the single writing connection, then
 * begins inside it and fails, and with several concurrent attempts it can stay open permanently. The count is
 * one statement, which is atomic without a savepoint.
 */
export function withoutSavepoints(
  store: ConfigProvider<LimiterManagerStoreFactory>
): ConfigProvider<LimiterManagerStoreFactory> {
  return configProvider.create(async (app) => {
    const create = await store.resolver(app)
    return (options) => {
      const made = create(options)
      const counter = (made as unknown as { rateLimiter: SqliteCounter }).rateLimiter
      /*
       * A timer calls it without handling its failure: a busy database would end the process. The next
       * run clears the rest.
       */
      const clear = counter.clearExpired.bind(counter)
      counter.clearExpired = (expire) => clear(expire).catch(() => {})
      if (counter._upsertTransactionSQLite3) {
        counter._upsertTransactionSQLite3 = async (_connection, sql, values) => {
          const rows = await counter.client.raw(sql, values)
          return rows[0]
        }
      }
      return made
    }
  })
}
