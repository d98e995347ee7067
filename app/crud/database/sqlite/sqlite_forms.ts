import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { quoted } from '../../sql/quoted.js'
import type { StoredForms } from '../introspection.js'

/* Rows whose values are read at either end of a table */
const ROWS = 1000

/* The same at places between, as an import is a block of rows */
const PLACES = 9
const ROWS_BETWEEN = 200

/* SQLite limits the parts and the length of a statement. */
const TABLES = 200
const CHARACTERS = 500_000

const TESTS: Record<keyof StoredForms, (name: string) => string> = {
  numbers: (name) => `typeof(${name}) in ('integer', 'real')`,
  notBits: (name) => `${name} is not null and ${name} not in (0, 1)`,
  texts: (name) => `typeof(${name}) = 'text'`,
  notDatetimes: (name) => notLike(name, `${like('9999-19-39')} ${like('29:59:59')}`),
  notDates: (name) => notLike(name, like('9999-19-39')),
  notTimes: (name) => notLike(name, like('29:59:59')),
}

const NAMES = Object.keys(TESTS) as Array<keyof StoredForms>

/** A table whose values are to be looked at. */
export interface SampledTable {
  name: string
  columns: readonly string[]
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
    const tests = NAMES.map((test) => `max(${TESTS[test](quoted(column))})`)
    return `json_array(${tests.join(', ')})`
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

function formsIn(found: string, columns: readonly string[]): ReadonlyMap<string, StoredForms> {
  const lists = JSON.parse(found) as Array<Array<0 | 1 | null>>
  return new Map(
    columns.map((column, index) => {
      const tests = NAMES.map((name, test) => [name, lists[index][test] === 1])
      return [column, Object.fromEntries(tests) as StoredForms]
    })
  )
}

/** A pattern of digits, each up to the given one. */
function like(text: string): string {
  return text.replace(/\d/g, (digit) => `[0-${digit}]`)
}

function notLike(name: string, pattern: string): string {
  return `typeof(${name}) = 'text' and ${name} not glob '${pattern}'`
}
