import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { TableIntrospection } from './introspection.js'
import { readMysqlTables } from './mysql/mysql_table.js'
import { readPostgresTables } from './postgres/postgres_table.js'
import { readSqliteTables } from './sqlite/sqlite_table.js'

type ReadTables = (
  client: QueryClientContract,
  tables: readonly string[]
) => Promise<Map<string, TableIntrospection>>

/** Functions by Lucid's dialect names */
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

/** Queries by Lucid's dialect names. Partitions and the tables of extensions and full-text indexes are left out. */
const QUERIES: Record<string, string> = {
  sqlite3: `select name from pragma_table_list
    where schema = 'main' and type in ('table', 'view') and name not like 'sqlite\\_%' escape '\\'
    order by name`,
  postgres: `select relname as name from pg_class c
    where relkind in ('r', 'p', 'v', 'm', 'f') and not relispartition
      and relnamespace = any (select oid from pg_namespace where nspname = any (current_schemas(false)))
      and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    order by relname`,
  mysql: `select table_name as name from information_schema.tables
    where table_schema = database() and table_type in ('BASE TABLE', 'VIEW') order by table_name`,
}

/** Returns the names of the tables and views of a database. */
export async function listTables(client: QueryClientContract): Promise<string[]> {
  const { name: dialect } = client.dialect
  const result = await client.rawQuery(QUERIES[dialect === 'better-sqlite3' ? 'sqlite3' : dialect])
  const rows: Array<{ name: string }> = result.rows ?? (dialect === 'mysql' ? result[0] : result)
  return rows.map(({ name }) => name)
}
