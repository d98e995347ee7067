import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Column } from '../../columns/column.js'
import { quoted } from '../../sql/sql.js'
import { otherForm, unusual } from './sqlite_operand.js'

/* Number of rows to read at both ends of a table */
const ROWS = 1000

/* Number of blocks to read between both ends of a table, because a block of imported rows can have other formats */
const PLACES = 9
const ROWS_BETWEEN = 200

/*
 * Maximum number of sampled rows. A table whose rowids span fewer than this many is read completely; of a view or a
 * `WITHOUT ROWID` table, the first rows are read.
 */
const ROWS_OF_SAMPLE = 2 * ROWS + PLACES * ROWS_BETWEEN

/* Number of rows in one block when every row is read, which takes one or two milliseconds */
const BLOCK = 1000

/*
 * Minimum number of rows for `isUsual`: in a smaller table, testing each value is as fast, and also covers rows that
 * other programs add later.
 */
const LARGE_TABLE = 10_000

/* Maximum number of parts and of characters in a statement, which SQLite limits */
const TABLES = 200
const CHARACTERS = 500_000

/** A column whose values are read; the forms that are found are stored in its `forms` */
type CheckedColumn = Pick<Column, 'name' | 'kind' | 'sqlType' | 'forms'>

/** A statement for one table, and the function that receives its row */
interface TableQuery<Row> {
  sql: string
  take(row: Row): void
}

/**
 * Finds the forms of the values in the columns of tables, from a sample of rows across each table: SQLite stores any
 * value in any column, and compares values as they are stored. Many tables are read with one statement. A table without
 * columns that can contain other forms is not read.
 *
 * @param tables  tables with their columns; a column to which models assign several kinds is listed once for each kind
 */
export async function sampleForms(
  client: QueryClientContract,
  tables: ReadonlyArray<{ table: string; columns: readonly CheckedColumn[] }>
): Promise<void> {
  const checked = tables
    .map(({ table, columns }) => ({ table, columns: columns.filter(mayHoldOtherForms) }))
    .filter(({ columns }) => columns.length > 0)
  if (checked.length === 0) return
  const ranges = await rowRanges(client, checked)
  await runAll<{ found: string }>(
    client,
    checked.map(({ table, columns }) => ({
      sql: sampleOf(table, columns, ranges.get(table)),
      take({ found }) {
        const isOther = JSON.parse(found) as Array<0 | 1 | null>
        columns.forEach(({ forms, kind }, index) => {
          if (isOther[index]) forms!.others.add(kind)
        })
      },
    }))
  )
}

/**
 * Returns the given columns, which have no declared type (as in a view), if their first 1,000 rows contain numbers and
 * no texts.
 *
 * @returns names of these columns by table
 */
export async function columnsOfNumbers(
  client: QueryClientContract,
  tables: ReadonlyArray<{ table: string; columns: readonly string[] }>
): Promise<Map<string, Set<string>>> {
  const found = new Map<string, Set<string>>()
  const untyped = tables.filter(({ columns }) => columns.length > 0)
  await runAll<{ found: string }>(
    client,
    untyped.map(({ table, columns }) => {
      const tests = columns.map((name) => {
        const value = quoted(name)
        return `max(+${value} < '') and not max(typeof(${value}) = 'text')`
      })
      return {
        sql: `select json_array(${tests.join(', ')}) as found from (select * from ${quoted(table)} limit ${ROWS})`,
        take(row) {
          const areNumbers = JSON.parse(row.found) as Array<0 | 1 | null>
          found.set(table, new Set(columns.filter((_, index) => areNumbers[index])))
        },
      }
    })
  )
  return found
}

/**
 * Reads every row of a table, in blocks, and completes the results of the sample. Does nothing for a view or a table
 * without row numbers.
 *
 * @param columns  all have `forms`
 * @param pause    called between blocks; returns false to stop
 */
export async function completeForms(
  table: string,
  columns: readonly CheckedColumn[],
  select: (sql: string, values: unknown[]) => Promise<Array<Record<string, unknown>>>,
  pause: () => Promise<boolean>
): Promise<void> {
  const checked = columns.filter(mayHoldOtherForms)
  if (checked.length === 0) return
  const tests = checked.flatMap(({ name, kind }, index) => [
    `max(${otherForm(quoted(name), kind)}) as other_${index}`,
    `max(${unusual(quoted(name), kind) ?? 'false'}) as unusual_${index}`,
  ])
  const block = (from: string) =>
    `select count(*) as number, cast(max(rowid) as text) as last, ${tests.join(', ')}
     from (select rowid, * from ${quoted(table)} ${from} order by rowid limit ${BLOCK})`

  const strange = new Set<CheckedColumn>()
  let rows = 0
  let [found] = await select(block(''), [])
  while (found.last !== null) {
    rows += Number(found.number)
    checked.forEach((column, index) => {
      if (found[`other_${index}`]) column.forms!.others.add(column.kind)
      if (found[`unusual_${index}`]) strange.add(column)
    })
    if (!(await pause())) return
    ;[found] = await select(block('where rowid > cast(? as integer)'), [found.last])
  }
  if (rows < LARGE_TABLE) return
  for (const column of checked) column.forms!.isUsual = !strange.has(column)
}

/**
 * True if a column can contain values in other forms. SQLite converts numerals in number columns to numbers, and
 * numbers in text columns to text.
 */
function mayHoldOtherForms({ kind, sqlType }: Pick<Column, 'kind' | 'sqlType'>): boolean {
  if (kind === 'text' || kind === 'uuid') return !/char|clob|text/.test(sqlType)
  if (kind === 'integer' || kind === 'number') return /^$|blob/.test(sqlType)
  return otherForm('', kind) !== undefined
}

/** Returns the lowest and highest row number of each table that has row numbers; undefined for an empty table. */
async function rowRanges(
  client: QueryClientContract,
  tables: ReadonlyArray<{ table: string }>
): Promise<Map<string, { least: number; most: number } | undefined>> {
  const rowless: Array<{ name: string }> = await client.rawQuery(
    "select lower(name) as name from pragma_table_list where type <> 'table' or wr"
  )
  const without = new Set(rowless.map(({ name }) => name))
  const ranges = new Map<string, { least: number; most: number } | undefined>()
  const withNumbers = tables.filter(({ table }) => !without.has(table.toLowerCase()))
  await runAll<{ least: number | null; most: number }>(
    client,
    withNumbers.map(({ table }) => ({
      sql: `select (select min(rowid) from ${quoted(table)}) as least, (select max(rowid) from ${quoted(table)}) as most`,
      take: ({ least, most }) => ranges.set(table, least === null ? undefined : { least, most }),
    }))
  )
  return ranges
}

/**
 * Runs statements that return one row each, combined. An error in one view must not prevent the others from being read.
 */
async function runAll<Row>(
  client: QueryClientContract,
  queries: ReadonlyArray<TableQuery<Row>>
): Promise<void> {
  for (const part of parts(queries)) {
    if (await run(client, part)) continue
    for (const one of part) await run(client, [one])
  }
}

async function run<Row>(client: QueryClientContract, queries: ReadonlyArray<TableQuery<Row>>) {
  try {
    const rows: Row[] = await client.rawQuery(queries.map(({ sql }) => sql).join(' union all '))
    rows.forEach((row, index) => queries[index].take(row))
    return true
  } catch {
    return false
  }
}

/** Yields groups of queries that fit in one statement. */
function* parts<Query extends { sql: string }>(queries: readonly Query[]): Generator<Query[]> {
  let part: Query[] = []
  let length = 0
  for (const one of queries) {
    if (part.length > 0 && (part.length >= TABLES || length + one.sql.length > CHARACTERS)) {
      yield part
      part = []
      length = 0
    }
    part.push(one)
    length += one.sql.length
  }
  if (part.length > 0) yield part
}

/** Returns the statement for a table: a list of 0, 1 and null, one value per column. */
function sampleOf(
  table: string,
  columns: readonly CheckedColumn[],
  range: { least: number; most: number } | undefined
): string {
  const tests = columns.map(({ name, kind }) => `max(${otherForm(quoted(name), kind)})`)
  const rows = `select * from ${quoted(table)}`
  const isWhole = !range || range.most - range.least < ROWS_OF_SAMPLE
  const sampled = isWhole
    ? `${rows} limit ${ROWS_OF_SAMPLE}`
    : [
        `select * from (${rows} order by rowid limit ${ROWS})`,
        `select * from (${rows} order by rowid desc limit ${ROWS})`,
        ...Array.from({ length: PLACES }, (_, index) => {
          const from = range.least + ((range.most - range.least) * (index + 1)) / (PLACES + 1)
          return `select * from (${rows} where rowid >= ${Math.floor(from)} order by rowid limit ${ROWS_BETWEEN})`
        }),
      ].join(' union all ')
  return `select json_array(${tests.join(', ')}) as found from (${sampled})`
}
