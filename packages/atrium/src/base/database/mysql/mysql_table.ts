import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { ColumnKind } from '../../columns/column_kind.js'
import {
  decimalRangeOf,
  type Collation,
  type ColumnIntrospection,
  type ForeignKey,
  type TableIntrospection,
} from '../introspection.js'

/** A row of the catalogue, with the position of its table in the list of requested tables */
interface Placed {
  place: number
}

interface ColumnRow extends Placed {
  name: string
  /** Such as `varchar` */
  base: string
  /** Such as `varchar(255)` */
  type: string
  nullable: 'YES' | 'NO'
  default_value: string | null
  max_length: number | string | null
  charset: string | null
  collation: string | null
  /** Such as `auto_increment` */
  extra: string
  is_view: number | string
}

interface ConstraintPart extends Placed {
  name: string
  column_name: string | null
}

interface ForeignPart extends ConstraintPart {
  column_name: string
  foreign_table: string
  foreign_column: string
}

interface Check extends Placed {
  name: string
  clause: string
}

/**
 * Reads one table, as `readMysqlTables` does.
 *
 * @returns null if there is no such table
 */
export async function readMysqlTable(
  client: QueryClientContract,
  table: string
): Promise<TableIntrospection | null> {
  const introspections = await readMysqlTables(client, [table])
  return introspections.get(table) ?? null
}

/* The server limits the length of a statement. */
const TABLES_PER_STATEMENT = 50

/**
 * Reads the columns, unique indexes, checks and foreign keys of several tables from the catalogue of MySQL or MariaDB,
 * up to 50 tables with one statement.
 *
 * @param tables  names as in a statement, with the database if necessary
 * @returns the introspections by name, without missing tables
 */
export async function readMysqlTables(
  client: QueryClientContract,
  tables: readonly string[]
): Promise<Map<string, TableIntrospection>> {
  if (tables.length === 0) return new Map()
  if (tables.length > TABLES_PER_STATEMENT) {
    const first = await readMysqlTables(client, tables.slice(0, TABLES_PER_STATEMENT))
    return new Map([
      ...first,
      ...(await readMysqlTables(client, tables.slice(TABLES_PER_STATEMENT))),
    ])
  }
  const infos = await select<ColumnRow>(client, COLUMNS, 'position', tables)
  if (infos.size === 0) return new Map()

  const [[{ version }]] = await client.rawQuery('select version() as version')
  const isMariaDb = /mariadb/i.test(version)
  const indexes = await select<ConstraintPart>(client, UNIQUE_INDEXES, 'name, position', tables)
  const foreign = await select<ForeignPart>(client, FOREIGN_KEYS, 'name, position', tables)
  const checksOf = isMariaDb ? MARIADB_CHECKS : MYSQL_CHECKS
  const checks = await select<Check>(client, checksOf, 'name', tables)

  return new Map(
    [...infos].map(([place, columns]) => [
      tables[place],
      tableOf(
        columns,
        Map.groupBy(indexes.get(place) ?? [], ({ name }) => name),
        Map.groupBy(foreign.get(place) ?? [], ({ name }) => name),
        checks.get(place) ?? [],
        isMariaDb
      ),
    ])
  )
}

function tableOf(
  infos: ColumnRow[],
  indexes: Map<string, ConstraintPart[]>,
  foreign: Map<string, ForeignPart[]>,
  checks: Check[],
  isMariaDb: boolean
): TableIntrospection {
  const alone = [...indexes.values()].filter((parts) => parts.length === 1)
  const unique = new Set(alone.map(([{ column_name: name }]) => name))
  const json = new Set(checks.map(({ clause }) => /^json_valid\(`(.+)`\)$/.exec(clause)?.[1]))
  const columns = new Map<string, ColumnIntrospection>()
  for (const info of infos) {
    columns.set(info.name, {
      ...introspectionOf(info, isMariaDb),
      unique: unique.has(info.name),
      choices: listed(/^enum\((.*)\)$/is.exec(info.type)?.[1]) ?? listedChoices(checks, info.name),
      ...(json.has(info.name) && { kind: 'json' as const }),
    })
  }
  return {
    isView: Number(infos[0].is_view) === 1,
    columns,
    primaryKey: (indexes.get('PRIMARY') ?? []).map(({ column_name: column }) => column!),
    foreignKeys: [...foreign.values()].map(toForeignKey),
    uniqueKeys: [...indexes.values()].map((parts) =>
      parts.flatMap(({ column_name: column }) => column ?? [])
    ),
    wholeKeys: [...indexes.values()]
      .filter((parts) => parts.every(({ column_name: column }) => column))
      .map((parts) => parts.map(({ column_name: column }) => column!)),
    constraints: new Map([
      ...[...indexes, ...foreign].map(([name, parts]): [string, string[]] => [
        name,
        parts.flatMap(({ column_name: column }) => column ?? []),
      ]),
      ...checks.map(({ name, clause }): [string, string[]] => [name, namesIn(clause)]),
    ]),
  }
}

function introspectionOf(info: ColumnRow, isMariaDb: boolean) {
  const counted = info.extra.includes('auto_increment')
  const generated = /\b(?:stored|virtual|persistent) generated\b/i.test(info.extra)
  const { text, expression } = defaultOf(info, isMariaDb)
  return {
    sqlType: info.type.toLowerCase(),
    kind: kindOf(info),
    collation: collationOf(info),
    integerRange: rangeOf(info),
    decimalRange: decimalRangeOf(info.type),
    special: info.base === 'time' ? DURATION : undefined,
    nullable: info.nullable === 'YES',
    /* For large text types, the catalogue contains the length in bytes. */
    maxLength: /^(?:var)?char$/.test(info.base) ? Number(info.max_length) : null,
    hasDefault: text !== null || expression !== undefined || counted || generated,
    defaultText: text,
    defaultExpression: expression,
    /* Geometry values can only be created with a database function. */
    generated: generated || GEOMETRIES.has(info.base),
    autoIncrement: counted,
  }
}

/** Types that are read as text and can't be written */
export const GEOMETRIES: ReadonlySet<string> = new Set([
  ...['geometry', 'point', 'linestring', 'polygon', 'geometrycollection', 'geomcollection'],
  ...['multipoint', 'multilinestring', 'multipolygon'],
])

const KINDS: Record<string, ColumnKind> = {
  tinyint: 'integer',
  smallint: 'integer',
  mediumint: 'integer',
  int: 'integer',
  bigint: 'integer',
  year: 'integer',
  bit: 'integer',
  decimal: 'number',
  float: 'number',
  double: 'number',
  uuid: 'uuid',
  date: 'date',
  datetime: 'datetime',
  timestamp: 'datetime',
  time: 'time',
  json: 'json',
  binary: 'binary',
  varbinary: 'binary',
  tinyblob: 'binary',
  blob: 'binary',
  mediumblob: 'binary',
  longblob: 'binary',
}

function kindOf({ base, type }: ColumnRow): ColumnKind {
  if (/^(?:tinyint|bit)\(1\)/i.test(type)) return 'boolean'
  if (/^char\(36\)/i.test(type)) return 'uuid'
  return KINDS[base] ?? 'text'
}

/** A time that is negative or has more than 24 hours */
const DURATION = /^(?:-\d{2,3}|\d{3}|2[4-9]|[3-9]\d):[0-5]\d:[0-5]\d(?:\.\d{1,6})?$/

const BITS: Record<string, bigint> = {
  tinyint: 8n,
  smallint: 16n,
  mediumint: 24n,
  int: 32n,
  bigint: 64n,
}

function rangeOf({ base, type }: ColumnRow): ColumnIntrospection['integerRange'] {
  const [, length] = /^bit\((\d+)\)/i.exec(type) ?? []
  const bits = length ? BigInt(length) : BITS[base]
  if (!bits || kindOf({ base, type } as ColumnRow) !== 'integer') return undefined
  if (length || /unsigned/i.test(type)) return { least: 0n, most: 2n ** bits - 1n }
  return bits === 64n ? undefined : { least: -(2n ** (bits - 1n)), most: 2n ** (bits - 1n) - 1n }
}

/** Returns the collation of a column. Collations that end with `_bin` ignore trailing spaces in comparisons. */
function collationOf({ base, charset, collation }: ColumnRow): Collation {
  const isExact = /^utf8mb4_(?:nopad|0900)_bin$/i.test(collation ?? '')
  return charset === 'utf8mb4' && isExact && !/^(?:enum|set)$/i.test(base) ? 'binary' : 'loose'
}

/**
 * Returns the default of a column. MySQL stores text without quotes and marks expressions; MariaDB stores both as in
 * the statement.
 */
function defaultOf({ default_value: value, extra }: ColumnRow, isMariaDb: boolean) {
  if (value === null || (isMariaDb && value === 'NULL')) return { text: null }
  if (!isMariaDb) {
    if (/default_generated/i.test(extra)) return { text: null, expression: value }
    /* MySQL 5 marks no expressions, and allows only this one. */
    return /^current_timestamp/i.test(value) ? { text: null, expression: value } : { text: value }
  }
  const [, text] = /^'((?:[^']|'')*)'$/s.exec(value) ?? []
  if (text !== undefined) return { text: text.replaceAll("''", "'") }
  return /^-?\d+(?:\.\d+)?$/.test(value) ? { text: value } : { text: null, expression: value }
}

const TABLE = `table_schema = coalesce(?, database()) and table_name = ?`

const COLUMNS = `
  select {place} as place, column_name as name, data_type as base, column_type as type, is_nullable as nullable,
    column_default as default_value, character_maximum_length as max_length,
    character_set_name as charset, collation_name as collation, extra, ordinal_position as position,
    (select t.table_type = 'VIEW' from information_schema.tables t
      where t.table_schema = c.table_schema and t.table_name = c.table_name) as is_view
  from information_schema.columns c where ${TABLE}`

const UNIQUE_INDEXES = `
  select {place} as place, index_name as name, column_name as column_name, seq_in_index as position
  from information_schema.statistics where ${TABLE} and non_unique = 0`

const FOREIGN_KEYS = `
  select {place} as place, constraint_name as name, column_name as column_name,
    referenced_table_name as foreign_table, referenced_column_name as foreign_column,
    ordinal_position as position
  from information_schema.key_column_usage
  where ${TABLE} and referenced_table_name is not null`

const MARIADB_CHECKS = `
  select {place} as place, constraint_name as name, check_clause as clause from information_schema.check_constraints
  where constraint_schema = coalesce(?, database()) and table_name = ?`

const MYSQL_CHECKS = `
  select {place} as place, c.constraint_name as name, c.check_clause as clause
  from information_schema.check_constraints c
    join information_schema.table_constraints t on t.constraint_schema = c.constraint_schema
      and t.constraint_name = c.constraint_name and t.constraint_type = 'CHECK'
  where t.table_schema = coalesce(?, database()) and t.table_name = ?`

/**
 * Reads the rows of each table, by its position in the list. Each table is looked up separately, because the server
 * setting decides whether names are case-sensitive.
 */
async function select<Row extends Placed>(
  client: QueryClientContract,
  sql: string,
  order: string,
  tables: readonly string[]
): Promise<Map<number, Row[]>> {
  const parts = tables.map((_, place) => `(${sql.replace('{place}', String(place))})`)
  const names = tables.flatMap((table) =>
    table.includes('.') ? table.split('.').slice(0, 2) : [null, table]
  )
  const [rows] = await client.rawQuery(
    `${parts.join(' union all ')} order by place, ${order}`,
    names as string[]
  )
  return Map.groupBy(rows as Row[], ({ place }) => Number(place))
}

/** Parses a list of quoted values, such as `'draft','sent'`. */
function listed(list: string | undefined): string[] | null {
  if (list === undefined) return null
  return [...list.matchAll(/'((?:[^']|'')*)'/g)].map(([, value]) => value.replaceAll("''", "'"))
}

/** Returns the values of a check such as `status in ('draft', 'sent')`. */
function listedChoices(checks: Check[], column: string): string[] | null {
  for (const { clause } of checks) {
    /* MySQL writes the character set before each text, and a backslash before quotes. */
    const plain = clause.replace(/_utf8mb4\s*\\?'/gi, "'").replaceAll("\\'", "'")
    const [, name, list] =
      /^\(*`([^`]+)` in \(((?:'(?:[^']|'')*'\s*,?\s*)+)\)+$/is.exec(plain) ?? []
    if (name === column) return listed(list)
  }
  return null
}

function namesIn(clause: string): string[] {
  return [...clause.matchAll(/`([^`]+)`/g)].map(([, name]) => name)
}

function toForeignKey(parts: ForeignPart[]): ForeignKey {
  return {
    columns: parts.map(({ column_name: name }) => name),
    table: parts[0].foreign_table,
    references: parts.map(({ foreign_column: name }) => name),
  }
}
