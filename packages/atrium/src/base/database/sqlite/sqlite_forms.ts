import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Column } from '../../columns/column.js'
import { kindOf, type ColumnKind } from '../../columns/column_kind.js'
import { quoted } from '../../sql/quoted.js'
import type { StoredForms } from '../introspection.js'
import { otherForm, unusual } from './sqlite_operand.js'

/* Rows whose values are read at either end of a table */
const ROWS = 1000

/* The same at places between, as an import is a block of rows */
const PLACES = 9
const ROWS_BETWEEN = 200

/* Rows that are read in one piece where every row is read: a millisecond or two */
const BLOCK = 1000

/* A smaller table is as quick with a test of each value, which also covers rows that other programs add later. */
const LARGE_TABLE = 10_000

/* SQLite limits the parts and the length of a statement. */
const TABLES = 200
const CHARACTERS = 500_000

/* Kinds that models declare for columns of a type, and of which such columns hold other forms */
const DECLARED: Record<ColumnKind, ColumnKind[]> = {
  text: ['integer', 'text', 'boolean', 'date', 'datetime', 'time'],
  uuid: ['text'],
  integer: ['boolean', 'date', 'datetime'],
  number: ['boolean', 'date', 'datetime'],
  boolean: ['boolean'],
  date: ['date', 'datetime'],
  datetime: ['date', 'datetime'],
  time: ['time'],
  json: [],
  binary: ['integer', 'text'],
}

/** A table whose values are to be looked at. */
export interface SampledTable {
  name: string
  columns: ReadonlyArray<{ name: string; sqlType: string }>
  /** True for a view and a table without row numbers, of which only first rows are read */
  isRowless: boolean
}

/**
 * The forms of the values that the columns of tables hold, in a sample of rows over the whole of each: SQLite stores any
 * value in any column, and compares each as it is stored. Many tables take one statement.
 *
 * @returns by the name of the column, for each table; none for a table that cannot be read
 */
export async function sampleForms(
  client: QueryClientContract,
  tables: readonly SampledTable[]
): Promise<Array<ReadonlyMap<string, StoredForms>>> {
  const forms: Array<ReadonlyMap<string, StoredForms>> = []
  for (const part of parts(tables.map((table) => ({ table, sql: sampleOf(table) })))) {
    const found = await sample(client, part)
    /* One broken view must not prevent the others from being read. */
    if (found) forms.push(...found)
    else for (const one of part) forms.push(...((await sample(client, [one])) ?? [new Map()]))
  }
  return forms
}

/** A column whose forms are completed. */
export type CheckedColumn = Pick<Column, 'name' | 'kind' | 'sqlType' | 'forms'>

/**
 * Reads every row of a table, block by block, and completes what the sample found. Nothing for a view and a table
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

/** SQLite makes numbers of numerals in a column of numbers, and texts of numbers in a column of texts. */
function mayHoldOtherForms({ kind, sqlType }: Pick<Column, 'kind' | 'sqlType'>): boolean {
  if (kind === 'text' || kind === 'uuid') return !/char|clob|text/.test(sqlType)
  if (kind === 'integer' || kind === 'number') return /^$|blob/.test(sqlType)
  return otherForm('', kind) !== undefined
}

interface Sample {
  table: SampledTable
  sql: string
}

async function sample(client: QueryClientContract, samples: readonly Sample[]) {
  try {
    const rows: Array<{ found: string }> = await client.rawQuery(
      samples.map(({ sql }) => sql).join(' union all ')
    )
    return rows.map(({ found }, index) => formsIn(found, samples[index].table.columns))
  } catch {
    return undefined
  }
}

/** As many as one statement takes. */
function* parts(samples: readonly Sample[]): Generator<Sample[]> {
  let part: Sample[] = []
  let length = 0
  for (const one of samples) {
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

/** The statement for a table: a list of lists, one of numbers for each column. */
function sampleOf({ name, columns, isRowless }: SampledTable): string {
  const lists = columns.map((column) => {
    const value = quoted(column.name)
    const tests = sampledKinds(column).map((kind) => `max(${otherForm(value, kind)})`)
    const types = `max(+${value} < ''), max(typeof(${value}) = 'text')`
    return `json_array(${[types, ...tests].join(', ')})`
  })
  const rows = `select * from ${quoted(name)}`
  const sampled = isRowless
    ? `${rows} limit ${ROWS}`
    : [
        `select * from (${rows} order by rowid limit ${ROWS})`,
        `select * from (${rows} order by rowid desc limit ${ROWS})`,
        ...Array.from({ length: PLACES }, (_, index) => {
          const from = rowAt(name, (index + 1) / (PLACES + 1))
          return `select * from (${rows} where rowid >= ${from} order by rowid limit ${ROWS_BETWEEN})`
        }),
      ].join(' union all ')
  return `select '[' || ${lists.join(" || ',' || ")} || ']' as found from (${sampled})`
}

/** The row number at a part of a table: each of the queries reads one end of the table's tree. */
function rowAt(name: string, part: number): string {
  const from = quoted(name)
  const [least, most] = [`(select min(rowid) from ${from})`, `(select max(rowid) from ${from})`]
  return `${least} + (${most} - ${least}) * ${part}`
}

function formsIn(
  found: string,
  columns: SampledTable['columns']
): ReadonlyMap<string, StoredForms> {
  const lists = JSON.parse(found) as Array<Array<0 | 1 | null>>
  return new Map(
    columns.map((column, index) => {
      const [numbers, texts, ...tests] = lists[index].map((one) => one === 1)
      const others = new Set(sampledKinds(column).filter((_, place) => tests[place]))
      if (others.has('integer')) others.add('number')
      if (others.has('text')) others.add('uuid')
      return [column.name, { numbers, texts, others, isUsual: false }]
    })
  )
}

function sampledKinds({ sqlType }: { sqlType: string }): ColumnKind[] {
  const kinds = DECLARED[kindOf(sqlType)]
  return kinds.filter((kind) => mayHoldOtherForms({ kind, sqlType }))
}
