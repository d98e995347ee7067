import type { QueryClientContract } from '@adonisjs/lucid/types/database'

/** By Lucid's dialect names. Partitions and the tables of extensions and of full-text indexes are left out. */
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

/** The names of the tables and views of a database. */
export async function listTables(client: QueryClientContract): Promise<string[]> {
  const { name: dialect } = client.dialect
  const result = await client.rawQuery(QUERIES[dialect === 'better-sqlite3' ? 'sqlite3' : dialect])
  const rows: Array<{ name: string }> = result.rows ?? (dialect === 'mysql' ? result[0] : result)
  return rows.map(({ name }) => name)
}
