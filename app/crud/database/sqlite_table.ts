import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { ColumnFacts, ForeignKey, TableFacts } from './facts.js'

interface TableInfo {
  name: string
  type: string
  notnull: 0 | 1
  dflt_value: string | null
  pk: number
  hidden: number
}

/**
 * Reads a table's columns, unique indexes and foreign keys from SQLite's own catalogue.
 *
 * @returns null if there is no such table
 */
export async function readSqliteTable(
  client: QueryClientContract,
  table: string
): Promise<TableFacts | null> {
  const infos: TableInfo[] = await client.rawQuery('select * from pragma_table_xinfo(?)', [table])
  if (infos.length === 0) return null

  const [definition] = await client.rawQuery(
    "select sql from sqlite_master where name = ? collate nocase and type in ('table', 'view')",
    [table]
  )
  const unique = await uniqueColumns(client, table)
  const choices = listedChoices(definition?.sql ?? '')
  const keys = infos.filter((info) => info.pk > 0)

  const columns = new Map<string, ColumnFacts>()
  for (const info of infos) {
    const sqlType = info.type.toLowerCase()
    /* A single INTEGER key is the row's own number, which SQLite counts up. */
    const autoIncrement = keys.length === 1 && info.pk > 0 && sqlType === 'integer'
    columns.set(info.name, {
      sqlType,
      nullable: info.notnull === 0 && info.pk === 0,
      maxLength: Number(/^(?:var)?char(?:acter)?(?: varying)?\((\d+)\)/.exec(sqlType)?.[1]) || null,
      hasDefault: info.dflt_value !== null || autoIncrement || info.hidden > 1,
      defaultText: literal(info.dflt_value),
      generated: info.hidden > 1,
      autoIncrement,
      unique: unique.has(info.name) || (keys.length === 1 && info.pk > 0),
      choices: choices.get(info.name.toLowerCase()) ?? null,
    })
  }
  return { columns, foreignKeys: await foreignKeys(client, table) }
}

/** The value of a default that is one, and no expression: a quoted text, a number, true or false. */
function literal(expression: string | null): string | null {
  if (expression === null) return null
  const [, quote, text] = /^(['"])(.*)\1$/s.exec(expression) ?? []
  if (text !== undefined) return text.replaceAll(quote + quote, quote)
  return /^(?:-?\d+(?:\.\d+)?|true|false)$/i.test(expression) ? expression : null
}

/** Columns that are unique alone, in every row: partial indexes and those over several don't count. */
async function uniqueColumns(client: QueryClientContract, table: string): Promise<Set<string>> {
  const rows: Array<{ index_name: string; column_name: string | null }> = await client.rawQuery(
    `select list.name as index_name, info.name as column_name
     from pragma_index_list(?) as list, pragma_index_info(list.name) as info
     where list."unique" = 1 and list.partial = 0`,
    [table]
  )
  const byIndex = Map.groupBy(rows, (row) => row.index_name)
  return new Set(
    [...byIndex.values()]
      .filter((parts) => parts.length === 1 && parts[0].column_name !== null)
      .map((parts) => parts[0].column_name!)
  )
}

async function foreignKeys(client: QueryClientContract, table: string): Promise<ForeignKey[]> {
  const rows: Array<{ id: number; table: string; from: string; to: string | null }> =
    await client.rawQuery('select * from pragma_foreign_key_list(?) order by id, seq', [table])

  const references = [...Map.groupBy(rows, (row) => row.id).values()]
  return await Promise.all(
    references.map(async (parts) => ({
      columns: parts.map((part) => part.from),
      table: parts[0].table,
      references: parts.every((part) => part.to !== null)
        ? parts.map((part) => part.to!)
        : await keyColumns(client, parts[0].table),
    }))
  )
}

/** What a reference means that names no column of the other table. */
async function keyColumns(client: QueryClientContract, table: string): Promise<string[]> {
  const rows: Array<{ name: string }> = await client.rawQuery(
    'select name from pragma_table_info(?) where pk > 0 order by pk',
    [table]
  )
  return rows.map((row) => row.name)
}

/**
 * The values of `check (status in ('draft', 'sent'))`, which is how a migration's `enum` column is
 * written on SQLite.
 */
function listedChoices(sql: string): Map<string, string[]> {
  const choices = new Map<string, string[]>()
  const check = /check\s*\(\s*[`"[]?(\w+)[`"\]]?\s+in\s*\(((?:\s*'(?:[^']|'')*'\s*,?)+)\)\s*\)/gi
  for (const [, column, list] of sql.matchAll(check)) {
    const values = [...list.matchAll(/'((?:[^']|'')*)'/g)].map((match) =>
      match[1].replaceAll("''", "'")
    )
    choices.set(column.toLowerCase(), values)
  }
  return choices
}
