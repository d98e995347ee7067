import { configProvider } from '@adonisjs/core'
import type { ConfigProvider } from '@adonisjs/core/types'
import type { LimiterManagerStoreFactory } from '@adonisjs/limiter/types'
import type { Knex } from 'knex'

/** What is replaced in the store that rate-limiter-flexible has for SQLite. */
interface SqliteCounter {
  client: Knex
  clearExpired(expire: number): Promise<unknown>
  _upsertTransactionSQLite3?: (connection: unknown, sql: string, values: any[]) => Promise<unknown>
}

/**
 * A database store whose counting on SQLite leaves the connection as it was. The original gives the
 * connection back while its savepoint is still open: a transaction of another request, on the one
 * connection that writes, then begins inside it and fails, and of several attempts at once it can
 * stay open for good. What it does there is one statement, which is atomic without a savepoint.
 */
export function withoutSavepoints(
  store: ConfigProvider<LimiterManagerStoreFactory>
): ConfigProvider<LimiterManagerStoreFactory> {
  return configProvider.create(async (app) => {
    const create = await store.resolver(app)
    return (options) => {
      const made = create(options)
      const counter = (made as unknown as { rateLimiter: SqliteCounter }).rateLimiter
      /* It is called by a timer that does not look at its end: a database that is busy meanwhile would
       * end the process. What is left then goes the next time. */
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
