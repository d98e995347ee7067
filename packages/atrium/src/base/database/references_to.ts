import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { quoted } from '../sql/sql.js'

/** Action of the database on a row when the row that it refers to is deleted. */
export type OnDelete = 'cascade' | 'empty' | 'refuse'

/** A foreign key of any table that refers to a given table. */
export interface ReferenceTo {
  /** The referring table, without its schema */
  table: string
  columns: string[]
  /** Columns of the referenced table, in the same order; empty: its key */
  references: string[]
  onDelete: OnDelete
}

interface Part {
  name: string
  table: string
  column: string
  referenced: string | null
  rule: string
}

type ReadParts = (client: QueryClientContract, table: string) => Promise<Part[]>

/** Functions by Lucid's dialect names */
const READERS: Record<string, ReadParts> = {
  'sqlite3': readSqlite,
  'better-sqlite3': readSqlite,
  'postgres': readPostgres,
  'mysql': readMysql,
}

const RULES: Record<string, OnDelete> = {
  'CASCADE': 'cascade',
  'c': 'cascade',
  'SET NULL': 'empty',
  'n': 'empty',
  'SET DEFAULT': 'empty',
  'd': 'empty',
}

/** Returns the foreign keys of all tables, with or without a model, that refer to a table. */
export async function referencesTo(
  client: QueryClientContract,
  table: string
): Promise<ReferenceTo[]> {
  const parts = (await READERS[client.dialect.name]?.(client, table)) ?? []
  const keys = Map.groupBy(parts, (part) => JSON.stringify([part.table, part.name]))
  return [...keys.values()].map((key) => ({
    table: key[0].table,
    columns: key.map(({ column }) => column),
    references: key.flatMap(({ referenced }) => referenced ?? []),
    onDelete: RULES[key[0].rule] ?? 'refuse',
  }))
}

async function readSqlite(client: QueryClientContract, table: string): Promise<Part[]> {
  return await client.rawQuery(
    `select cast(keys.id as text) as name, tables.name as "table", keys."from" as "column",
        keys."to" as referenced, keys.on_delete as rule
      from sqlite_master as tables, pragma_foreign_key_list(tables.name) as keys
      where tables.type = 'table' and lower(keys."table") = lower(?)
      order by tables.name, keys.id, keys.seq`,
    [table]
  )
}

async function readPostgres(client: QueryClientContract, table: string): Promise<Part[]> {
  const { rows } = await client.rawQuery(
    `select c.conname as name, t.relname as "table", a.attname as "column",
        f.attname as referenced, c.confdeltype as rule
      from pg_constraint c
        join pg_class t on t.oid = c.conrelid
        cross join unnest(c.conkey, c.confkey) with ordinality as part (own, other, place)
        join pg_attribute a on a.attrelid = c.conrelid and a.attnum = part.own
        join pg_attribute f on f.attrelid = c.confrelid and f.attnum = part.other
      where c.confrelid = ?::regclass and c.contype = 'f' and c.conparentid = 0
      order by t.relname, c.conname, part.place`,
    [table.split('.').map(quoted).join('.')]
  )
  return rows
}

async function readMysql(client: QueryClientContract, table: string): Promise<Part[]> {
  const [schema, name] = table.includes('.') ? table.split('.') : [null, table]
  const [rows] = await client.rawQuery(
    `select k.constraint_name as name, k.table_name as \`table\`, k.column_name as \`column\`,
        k.referenced_column_name as referenced, r.delete_rule as rule
      from information_schema.key_column_usage k
        join information_schema.referential_constraints r
          on r.constraint_schema = k.constraint_schema and r.constraint_name = k.constraint_name
            and r.table_name = k.table_name
      where k.referenced_table_schema = coalesce(?, database()) and k.referenced_table_name = ?
      order by k.table_name, k.constraint_name, k.ordinal_position`,
    [schema as any, name]
  )
  return rows as Part[]
}
