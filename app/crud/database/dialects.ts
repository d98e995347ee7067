import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { RuntimeError } from '../errors.js'
import type { Dialect } from './dialect.js'
import { SqliteDialect } from './sqlite_dialect.js'

const SQLITE = new SqliteDialect()

/**
 * The dialect of a client's database.
 *
 * @throws RuntimeError  for a database that is not supported
 */
export function dialectOf(client: QueryClientContract): Dialect {
  switch (client.dialect.name) {
    case 'sqlite3':
    case 'better-sqlite3':
      return SQLITE
    default:
      throw new RuntimeError(
        `The connection "${client.connectionName}" is a ${client.dialect.name} database; supported is sqlite3`
      )
  }
}
