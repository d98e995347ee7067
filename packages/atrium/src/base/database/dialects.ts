import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { RuntimeError } from '../errors.js'
import type { Dialect } from './dialect.js'
import { MysqlDialect } from './mysql/mysql_dialect.js'
import { PostgresDialect } from './postgres/postgres_dialect.js'
import { SqliteDialect } from './sqlite/sqlite_dialect.js'

const SQLITE = new SqliteDialect()

/** Dialects by Lucid's dialect names */
const DIALECTS: Record<string, Dialect> = {
  'sqlite3': SQLITE,
  'better-sqlite3': SQLITE,
  'postgres': new PostgresDialect(),
  'mysql': new MysqlDialect(),
}

/**
 * Returns the dialect of a client's database.
 *
 * @throws RuntimeError  for a database that is not supported
 */
export function dialectOf(client: QueryClientContract): Dialect {
  const dialect = DIALECTS[client.dialect.name]
  if (!dialect) {
    throw new RuntimeError(
      `The connection "${client.connectionName}" is a ${client.dialect.name} database; supported are ${Object.keys(DIALECTS).join(', ')}`
    )
  }
  return dialect
}
