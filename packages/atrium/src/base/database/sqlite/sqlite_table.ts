import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import {
  decimalRangeOf,
  type ColumnIntrospection,
  type ForeignKey,
  type TableIntrospection,
} from '../introspection.js'
import { columnsOfNumbers } from './sqlite_forms.js'

/** A row of the catalogue, with the position of its table in the list of requested tables */
interface Placed {
  place: number
}

interface TableInfo extends Placed {
  name: string
  type: string
  notnull: 0 | 1
  dflt_value: string | null
  pk: number
  hidden: number
}

interface UniquePart extends Placed {
  partial: number
  index_name: string
  column_name: string | null
}

interface KeyPart extends Placed {
  id: number
  table: string
  from: string
  to: string | null
}

/**
 * Reads one table, as `readSqliteTables` does.
 *
 * @returns null if there is no such table
 */
export async function readSqliteTable(
  client: QueryClientContract,
  table: string
): Promise<TableIntrospection | null> {
  const introspections = await readSqliteTables(client, [table])
  return introspections.get(table) ?? null
}

/**
 * Reads the columns, unique indexes and foreign keys of several tables from SQLite's catalogue, and a sample of their
 * values. The number of statements does not depend on the number of tables.
 *
 * @returns the introspections by name, without missing tables
 */
export async function readSqliteTables(
  client: QueryClientContract,
  tables: readonly string[]
): Promise<Map<string, TableIntrospection>> {
  const infos = await select<TableInfo>(client, COLUMNS, tables)
  if (infos.size === 0) return new Map()
  const definitions = await select<Placed & { sql: string }>(client, DEFINITIONS, tables)
  const uniques = await select<UniquePart>(client, UNIQUE_INDEXES, tables)
  const references = await select<KeyPart>(client, FOREIGN_KEYS, tables)
  const keys = await keysOf(client, [...references.values()].flat())

  const places = [...infos.keys()]
  const columns = places.map((place) => {
    const [definition] = definitions.get(place) ?? []
    return columnsOf(infos.get(place)!, uniques.get(place) ?? [], definition?.sql ?? '')
  })
  const numbers = await columnsOfNumbers(
    client,
    places.map((place, index) => ({
      table: tables[place],
      columns: [...columns[index]].flatMap(([name, { sqlType }]) => (sqlType ? [] : [name])),
    }))
  )
  const views = await viewsAmong(client)

  return new Map(
    places.map((place, index) => {
      const parts = infos.get(place)!
      const introspection: TableIntrospection = {
        isView: views.has(tables[place].toLowerCase()),
        columns: withNumbers(columns[index], numbers.get(tables[place])),
        primaryKey: primaryKeyOf(parts),
        foreignKeys: foreignKeysOf(references.get(place) ?? [], keys),
        uniqueKeys: uniqueKeysOf(parts, uniques.get(place) ?? []),
        wholeKeys: uniqueKeysOf(parts, wholeIndexes(uniques.get(place) ?? [])),
      }
      return [tables[place], introspection]
    })
  )
}

const ASKED = `json_each(?) as asked`

const COLUMNS = `
  select asked.key as place, info.* from ${ASKED}, pragma_table_xinfo(asked.value) as info
  order by asked.key, info.cid`

/* Used only for the choices of check constraints, which the catalogue does not contain separately. */
const DEFINITIONS = `
  select asked.key as place, master.sql from ${ASKED}
  join sqlite_master as master on master.name = asked.value collate nocase
  where master.type in ('table', 'view') and master.sql like '%check%'`

const UNIQUE_INDEXES = `
  select asked.key as place, list.name as index_name, list.partial, info.name as column_name
  from ${ASKED}, pragma_index_list(asked.value) as list, pragma_index_info(list.name) as info
  where list."unique" = 1`

const FOREIGN_KEYS = `
  select asked.key as place, keys.* from ${ASKED}, pragma_foreign_key_list(asked.value) as keys
  order by asked.key, keys.id, keys.seq`

const PRIMARY_KEYS = `
  select asked.key as place, info.name from ${ASKED}, pragma_table_info(asked.value) as info
  where info.pk > 0 order by asked.key, info.pk`

/** Returns view names in lower case, as SQLite compares them */
async function viewsAmong(client: QueryClientContract): Promise<Set<string>> {
  const rows: Array<{ name: string }> = await client.rawQuery(
    "select name from pragma_table_list where type = 'view'"
  )
  return new Set(rows.map(({ name }) => name.toLowerCase()))
}

/** Runs a query about the schema of several tables, and returns its rows by the table's index in `tables`. */
async function select<Row extends Placed>(
  client: QueryClientContract,
  sql: string,
  tables: readonly string[]
): Promise<Map<number, Row[]>> {
  const rows: Row[] = await client.rawQuery(sql, [JSON.stringify(tables)])
  return Map.groupBy(rows, ({ place }) => place)
}

/** Sets the kind of columns that contain numbers. A column of a view often has no declared type. */
function withNumbers(
  columns: Map<string, ColumnIntrospection>,
  numbers: ReadonlySet<string> | undefined
): Map<string, ColumnIntrospection> {
  for (const name of numbers ?? []) columns.get(name)!.kind = 'number'
  return columns
}

function columnsOf(
  infos: TableInfo[],
  uniques: UniquePart[],
  definition: string
): Map<string, ColumnIntrospection> {
  const unique = uniqueColumns(uniques)
  const choices = listedChoices(definition)
  const keys = infos.filter((info) => info.pk > 0)

  const columns = new Map<string, ColumnIntrospection>()
  for (const info of infos) {
    const sqlType = info.type.toLowerCase()
    /* A single INTEGER key is SQLite's rowid, which is incremented automatically. */
    const autoIncrement = keys.length === 1 && info.pk > 0 && sqlType === 'integer'
    columns.set(info.name, {
      sqlType,
      decimalRange: decimalRangeOf(sqlType),
      nullable: info.notnull === 0 && info.pk === 0,
      maxLength: Number(/^(?:var)?char(?:acter)?(?: varying)?\((\d+)\)/.exec(sqlType)?.[1]) || null,
      hasDefault: info.dflt_value !== null || autoIncrement || info.hidden > 1,
      defaultText: literal(info.dflt_value),
      generated: info.hidden > 1,
      autoIncrement,
      unique: unique.has(info.name) || (keys.length === 1 && info.pk > 0),
      choices: choices.get(info.name.toLowerCase()) ?? null,
      forms: { others: new Set(), isUsual: false },
    })
  }
  return columns
}

/** Returns the value of a literal default: a quoted text, a number, true or false; null for an expression. */
function literal(expression: string | null): string | null {
  if (expression === null) return null
  const [, quote, text] = /^(['"])(.*)\1$/s.exec(expression) ?? []
  if (text !== undefined) return text.replaceAll(quote + quote, quote)
  return /^(?:-?\d+(?:\.\d+)?|true|false)$/i.test(expression) ? expression : null
}

/**
 * Returns the columns with a separate unique index over every row, without partial indexes and those on several
 * columns.
 */
function uniqueColumns(rows: UniquePart[]): Set<string> {
  const byIndex = Map.groupBy(rows, (row) => row.index_name)
  return new Set(
    [...byIndex.values()]
      .filter(([part, ...others]) => others.length === 0 && !part.partial && part.column_name)
      .map((parts) => parts[0].column_name!)
  )
}

/** Returns the parts of indexes that cover every row and contain no expressions. */
function wholeIndexes(rows: UniquePart[]): UniquePart[] {
  const indexes = [...Map.groupBy(rows, (row) => row.index_name).values()]
  return indexes
    .filter((parts) => parts.every(({ column_name: name, partial }) => name && !partial))
    .flat()
}

/**
 * Returns the columns of each unique key. A primary key of one column is added, because an INTEGER key has no index.
 */
function uniqueKeysOf(infos: TableInfo[], rows: UniquePart[]): string[][] {
  const indexes = [...Map.groupBy(rows, (row) => row.index_name).values()]
  const key = primaryKeyOf(infos)
  const keys = indexes.map((parts) => parts.flatMap(({ column_name: name }) => name ?? []))
  return key.length === 1 ? [key, ...keys] : keys
}

/** Returns the key columns in order. `pk` is the position in the key, starting from 1. */
function primaryKeyOf(infos: TableInfo[]): string[] {
  const parts = infos.filter(({ pk }) => pk > 0).toSorted((one, other) => one.pk - other.pk)
  return parts.map(({ name }) => name)
}

/**
 * Returns the foreign keys of a table.
 *
 * @param keys  key columns of tables that are referenced without a column name
 */
function foreignKeysOf(rows: KeyPart[], keys: ReadonlyMap<string, string[]>): ForeignKey[] {
  const references = Map.groupBy(rows, (row) => row.id)
  return [...references.values()].map((parts) => ({
    columns: parts.map((part) => part.from),
    table: parts[0].table,
    references: parts.every((part) => part.to !== null)
      ? parts.map((part) => part.to!)
      : (keys.get(parts[0].table) ?? []),
  }))
}

/** Returns the key columns of the tables that are referenced without a column name. */
async function keysOf(
  client: QueryClientContract,
  references: KeyPart[]
): Promise<Map<string, string[]>> {
  const unnamed = references.filter(({ to }) => to === null)
  if (unnamed.length === 0) return new Map()
  const tables = [...new Set(unnamed.map(({ table }) => table))]
  const rows = await select<Placed & { name: string }>(client, PRIMARY_KEYS, tables)
  return new Map([...rows].map(([place, parts]) => [tables[place], parts.map(({ name }) => name)]))
}

/** Returns the values of `check (status in ('draft', 'sent'))`, which `enum` columns of migrations create on SQLite. */
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
