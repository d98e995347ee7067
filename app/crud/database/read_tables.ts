import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { TableFacts } from './introspection.js'
import { readMysqlTables } from './mysql/mysql_table.js'
import { readPostgresTables } from './postgres/postgres_table.js'
import { readSqliteTables } from './sqlite/sqlite_table.js'

type ReadTables = (
  client: QueryClientContract,
  tables: readonly string[]
) => Promise<Map<string, TableFacts>>

/** By the names that Lucid gives the dialects */
const READERS: Record<string, ReadTables> = {
  'sqlite3': readSqliteTables,
  'better-sqlite3': readSqliteTables,
  'postgres': readPostgresTables,
  'mysql': readMysqlTables,
}

/**
 * What `readTable` of the dialect tells, of many tables at once.
 *
 * @returns the facts by name, none of what is no table; undefined for a database that is not supported
 */
export async function readTables(
  client: QueryClientContract,
  tables: readonly string[]
): Promise<ReadonlyMap<string, TableFacts> | undefined> {
  return await READERS[client.dialect.name]?.(client, tables)
}
