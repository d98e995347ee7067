import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { TableIntrospection } from './introspection.js'
import { readMysqlTables } from './mysql/mysql_table.js'
import { readPostgresTables } from './postgres/postgres_table.js'
import { readSqliteTables } from './sqlite/sqlite_table.js'

type ReadTables = (
  client: QueryClientContract,
  tables: readonly string[]
) => Promise<Map<string, TableIntrospection>>

/** By Lucid's dialect names */
const READERS: Record<string, ReadTables> = {
  'sqlite3': readSqliteTables,
  'better-sqlite3': readSqliteTables,
  'postgres': readPostgresTables,
  'mysql': readMysqlTables,
}

/**
 * Runs `readTable` of the dialect for many tables in few queries.
 *
 * @returns the introspection by name, none for a missing table; undefined for an unsupported database
 */
export async function readTables(
  client: QueryClientContract,
  tables: readonly string[]
): Promise<ReadonlyMap<string, TableIntrospection> | undefined> {
  return await READERS[client.dialect.name]?.(client, tables)
}
