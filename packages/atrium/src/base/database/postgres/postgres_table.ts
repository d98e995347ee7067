import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { ColumnKind } from '../../columns/column_kind.js'
import {
  decimalRangeOf,
  type Collation,
  type ColumnIntrospection,
  type ForeignKey,
  type TableIntrospection,
} from '../introspection.js'
import { quoted } from '../../sql/sql.js'

/** A row of the catalogue, with the object id of its table */
interface OfTable {
  oid: string
}

interface ColumnRow extends OfTable {
  name: string
  type: string
  /** Base type of a domain, otherwise the type itself */
  base: string
  /** `typtype` of the catalogue: e for an enum */
  category: string
  nullable: boolean
  max_length: number | null
  default_expression: string | null
  identity: '' | 'a' | 'd'
  generated: '' | 's'
  deterministic: boolean
  collation: string
}

interface IndexRow extends OfTable {
  name: string
  columns: Array<string | null>
  partial: boolean
  is_primary: boolean
}

interface ConstraintRow extends OfTable {
  name: string
  type: 'c' | 'f'
  columns: string[]
  definition: string
  foreign_table: string | null
  foreign_columns: string[] | null
}

interface EnumRow extends OfTable {
  name: string
  value: string
}

/**
 * Reads one table, as `readPostgresTables` does.
 *
 * @returns null if there is no such table
 */
export async function readPostgresTable(
  client: QueryClientContract,
  table: string
): Promise<TableIntrospection | null> {
  const introspections = await readPostgresTables(client, [table])
  return introspections.get(table) ?? null
}

/**
 * Reads the columns, unique indexes, checks and foreign keys of several tables from PostgreSQL's catalogue. The number
 * of statements does not depend on the number of tables.
 *
 * @param tables  names as in a statement, with the schema if necessary
 * @returns the introspections by name, without missing tables
 */
export async function readPostgresTables(
  client: QueryClientContract,
  tables: readonly string[]
): Promise<Map<string, TableIntrospection>> {
  const named = tables.map((table) => table.split('.').map(quoted).join('.'))
  const { rows } = await client.rawQuery(TABLES, [JSON.stringify(named)])
  const found = rows as Array<{ place: number; oid: string; is_view: boolean }>
  if (found.length === 0) return new Map()

  const oids = [...new Set(found.map(({ oid }) => oid))]
  const infos = await select<ColumnRow>(client, COLUMNS, oids)
  const indexes = await select<IndexRow>(client, UNIQUE_INDEXES, oids)
  const constraints = await select<ConstraintRow>(client, CONSTRAINTS, oids)
  const enums = await select<EnumRow>(client, ENUM_VALUES, oids)

  return new Map(
    found.map(({ place, oid, is_view: isView }) => [
      tables[place],
      {
        isView,
        ...introspectionOf(
          infos.get(oid) ?? [],
          indexes.get(oid) ?? [],
          constraints.get(oid) ?? [],
          enumValues(enums.get(oid) ?? [])
        ),
      },
    ])
  )
}

function introspectionOf(
  infos: ColumnRow[],
  indexes: IndexRow[],
  constraints: ConstraintRow[],
  enums: ReadonlyMap<string, string[]>
): Omit<TableIntrospection, 'isView'> {
  const alone = indexes.filter(({ columns, partial }) => columns.length === 1 && !partial)
  const unique = new Set(alone.map(({ columns }) => columns[0]))
  const columns = new Map<string, ColumnIntrospection>()
  for (const info of infos) {
    const counted = info.identity !== '' || /^nextval\(/.test(info.default_expression ?? '')
    const element = elementOf(info)
    columns.set(info.name, {
      sqlType: info.type,
      kind: element ? 'json' : (KINDS[info.base] ?? 'text'),
      element,
      collation: collationOf(info),
      integerRange: RANGES[info.base],
      decimalRange: decimalRangeOf(info.type),
      special: SPECIAL[info.base],
      nullable: info.nullable,
      maxLength: info.max_length,
      hasDefault: info.default_expression !== null || info.identity !== '',
      defaultText: info.generated ? null : literal(info.default_expression),
      generated: info.generated !== '' || info.identity === 'a',
      autoIncrement: counted,
      unique: unique.has(info.name),
      choices: enums.get(info.name) ?? listedChoices(constraints, info.name),
    })
  }
  return {
    columns,
    primaryKey: (indexes.find((index) => index.is_primary)?.columns ?? []) as string[],
    foreignKeys: constraints.filter(({ type }) => type === 'f').map(toForeignKey),
    uniqueKeys: indexes.map(({ columns: parts }) => parts.filter((part) => part !== null)),
    wholeKeys: indexes
      .filter(({ columns: parts, partial }) => !partial && !parts.includes(null!))
      .map(({ columns: parts }) => parts as string[]),
    constraints: new Map([
      ...indexes.map(({ name, columns: parts }): [string, string[]] => [
        name,
        parts.filter((part) => part !== null),
      ]),
      ...constraints.map(({ name, columns: parts }): [string, string[]] => [name, parts]),
    ]),
  }
}

/** Returns the properties of an array's items. The catalogue names the type `_int4` and displays it as `integer[]`. */
function elementOf({ base, type }: ColumnRow): ColumnIntrospection['element'] {
  if (!base.startsWith('_') || !type.endsWith('[]')) return undefined
  const [name, sqlType] = [base.slice(1), type.slice(0, -2)]
  const [, length] = /^character(?: varying)?\((\d+)\)$/.exec(sqlType) ?? []
  return {
    sqlType,
    kind: KINDS[name] ?? 'text',
    integerRange: RANGES[name],
    decimalRange: decimalRangeOf(sqlType),
    special: SPECIAL[name],
    maxLength: length ? Number(length) : null,
  }
}

/** Kinds of columns by type name in the catalogue; any other type is read and compared as text. */
const KINDS: Record<string, ColumnKind> = {
  bool: 'boolean',
  int2: 'integer',
  int4: 'integer',
  int8: 'integer',
  oid: 'integer',
  float4: 'number',
  float8: 'number',
  numeric: 'number',
  money: 'number',
  uuid: 'uuid',
  date: 'date',
  timestamp: 'datetime',
  timestamptz: 'datetime',
  time: 'time',
  json: 'json',
  jsonb: 'json',
  bytea: 'binary',
}

const DAYS = String.raw`(?:\d{5,7}-\d\d-\d\d%|\d{4,7}-\d\d-\d\d% BC)`
const CLOCK = String.raw` \d\d:\d\d:\d\d(?:\.\d{1,6})?`

/** Infinity, years BC, and years with more than four digits */
const SPECIAL: Record<string, RegExp> = {
  date: new RegExp(`^(?:-?infinity|${DAYS.replaceAll('%', '')})$`),
  timestamp: new RegExp(`^(?:-?infinity|${DAYS.replaceAll('%', CLOCK)})$`),
  timestamptz: new RegExp(`^(?:-?infinity|${DAYS.replaceAll('%', CLOCK)})$`),
}

const RANGES: Record<string, ColumnIntrospection['integerRange']> = {
  int2: { least: -(2n ** 15n), most: 2n ** 15n - 1n },
  int4: { least: -(2n ** 31n), most: 2n ** 31n - 1n },
  oid: { least: 0n, most: 2n ** 32n - 1n },
}

const TABLES = `
  select place::int - 1 as place, found.oid::text as oid, found.relkind in ('v', 'm') as is_view
  from json_array_elements_text(?::json) with ordinality as asked (name, place)
    join pg_class as found on found.oid = to_regclass(asked.name)`

/* A domain can be based on another domain; the type and its modifier are those of the innermost one. */
const COLUMNS = `
  with recursive bottom (attrelid, attnum, type, typmod) as (
    select attrelid, attnum, atttypid, atttypmod from pg_attribute
    where attrelid = any(?::oid[]) and attnum > 0
    union all
    select bottom.attrelid, bottom.attnum, t.typbasetype, case when bottom.typmod < 0 then t.typtypmod else bottom.typmod end
    from bottom join pg_type t on t.oid = bottom.type and t.typtype = 'd'
  )
  select a.attrelid::text as oid, a.attname as name,
    format_type(bottom.type, bottom.typmod) as type,
    t.typname as base,
    t.typtype as category,
    not (a.attnotnull or domain.typnotnull) as nullable,
    case when t.typname in ('varchar', 'bpchar') and bottom.typmod > 4 then bottom.typmod - 4 end as max_length,
    coalesce(pg_get_expr(d.adbin, d.adrelid), domain.typdefault) as default_expression,
    a.attidentity as identity,
    a.attgenerated as generated,
    coalesce(c.collisdeterministic, true) as deterministic,
    coalesce(
      case when c.collname <> 'default' then c.collcollate
        when to_jsonb(db) ->> 'datlocprovider' = 'i' then 'icu'
        when to_jsonb(db) ->> 'datlocprovider' = 'b' then 'C'
        else db.datcollate end,
      '') as collation
  from pg_attribute a
    join bottom on bottom.attrelid = a.attrelid and bottom.attnum = a.attnum
    join pg_type t on t.oid = bottom.type and t.typtype <> 'd'
    join pg_type domain on domain.oid = a.atttypid
    join pg_database db on db.datname = current_database()
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    left join pg_collation c on c.oid = a.attcollation
  where a.attrelid = any(?::oid[]) and a.attnum > 0 and not a.attisdropped
  order by a.attrelid, a.attnum`

const UNIQUE_INDEXES = `
  select x.indrelid::text as oid, i.relname as name, x.indpred is not null as partial,
    x.indisprimary as is_primary,
    (select json_agg(a.attname order by part.place)
      from unnest((x.indkey::int2[])[0:x.indnkeyatts - 1]) with ordinality as part (attnum, place)
      left join pg_attribute a on a.attrelid = x.indrelid and a.attnum = part.attnum) as columns
  from pg_index x join pg_class i on i.oid = x.indexrelid
  where x.indrelid = any(?::oid[]) and x.indisunique and x.indisvalid`

const CONSTRAINTS = `
  select c.conrelid::text as oid, c.conname as name, c.contype as type,
    pg_get_constraintdef(c.oid) as definition,
    f.relname as foreign_table,
    (select coalesce(json_agg(a.attname order by part.place), '[]')
      from unnest(c.conkey) with ordinality as part (attnum, place)
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = part.attnum) as columns,
    (select json_agg(a.attname order by part.place)
      from unnest(c.confkey) with ordinality as part (attnum, place)
      join pg_attribute a on a.attrelid = c.confrelid and a.attnum = part.attnum) as foreign_columns
  from pg_constraint c left join pg_class f on f.oid = c.confrelid
  where c.conrelid = any(?::oid[]) and c.contype in ('c', 'f')
  order by c.oid`

const ENUM_VALUES = `
  select a.attrelid::text as oid, a.attname as name, e.enumlabel as value
  from pg_attribute a join pg_enum e on e.enumtypid = a.atttypid
  where a.attrelid = any(?::oid[]) and not a.attisdropped
  order by e.enumsortorder`

/** Reads the rows of each table. Lists are returned as JSON, which the connection does not parse. */
async function select<Row extends OfTable>(
  client: QueryClientContract,
  sql: string,
  oids: readonly string[]
): Promise<Map<string, Row[]>> {
  const places = sql.split('?').length - 1
  const { rows } = await client.rawQuery(sql, Array(places).fill(`{${oids.join()}}`))
  for (const row of rows) {
    for (const name of ['columns', 'foreign_columns']) {
      if (typeof row[name] === 'string') row[name] = JSON.parse(row[name])
    }
  }
  return Map.groupBy(rows as Row[], ({ oid }) => oid)
}

function enumValues(rows: EnumRow[]): Map<string, string[]> {
  const byColumn = Map.groupBy(rows, ({ name }) => name)
  return new Map([...byColumn].map(([name, values]) => [name, values.map(({ value }) => value)]))
}

/* Collations that sort by code point, which C.UTF-8 does, too */
const BY_CODE_POINT = /^(?:C|POSIX|C\.utf-?8|ucs_basic)$/i

function collationOf({ base, deterministic, collation }: ColumnRow): Collation {
  if (!deterministic || base === 'citext') return 'loose'
  return BY_CODE_POINT.test(collation) ? 'binary' : 'sorting'
}

/**
 * Returns a default that is the same for every row, such as `'open'::character varying`, a number or a boolean; null
 * for any other expression.
 */
function literal(expression: string | null): string | null {
  if (expression === null) return null
  const [, text] = /^'((?:[^']|'')*)'(?:::[\w ."]+(?:\([\d, ]+\))?)?$/s.exec(expression) ?? []
  if (text !== undefined) return text.replaceAll("''", "'")
  const [, number] = /^\(?(-?\d+(?:\.\d+)?)\)?(?:::[\w ]+(?:\([\d, ]+\))?)?$/.exec(expression) ?? []
  return number ?? (/^(?:true|false)$/.test(expression) ? expression : null)
}

/**
 * Returns the values of `check (status in ('draft', 'sent'))`, which `enum` columns of migrations create, in
 * PostgreSQL's notation.
 */
function listedChoices(constraints: ConstraintRow[], column: string): string[] | null {
  const any = /^CHECK \(+[^'=]+ = ANY \(+ARRAY\[((?:'(?:[^']|'')*'(?:::[\w ]+)?(?:, )?)+)\][^']*$/s
  for (const { type, columns, definition } of constraints) {
    if (type !== 'c' || columns.length !== 1 || columns[0] !== column) continue
    const [, values] = any.exec(definition) ?? []
    if (values === undefined) continue
    return [...values.matchAll(/'((?:[^']|'')*)'/g)].map(([, value]) => value.replaceAll("''", "'"))
  }
  return null
}

function toForeignKey(row: ConstraintRow): ForeignKey {
  return { columns: row.columns, table: row.foreign_table!, references: row.foreign_columns! }
}
