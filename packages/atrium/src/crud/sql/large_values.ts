import { randomBytes } from 'node:crypto'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { SMALL_RESPONSE, type ResponseBudget } from '../http/response_budget.js'
import type { Dialect } from '#base/database/dialect'
import { dialectOf } from '#base/database/dialects'
import type { Column } from '#base/columns/column'
import type { Key, KeyValue } from '#base/columns/key'
import { nextEventLoopTurn } from '#base/event_loop'
import type { Selection } from './select.js'

type Row = Record<string, unknown>

/** Maximum size of the values of a list, in bytes, that are read in one query. */
const IN_ONE_QUERY = 2 * 1024 * 1024
const SHORTEST = 1024

/** Maximum size of a batch of larger values, in bytes and in rows */
const BATCH = { bytes: 1024 * 1024, rows: 100 }

/** A column with at most this maximum length has no large values */
const FEW_CHARACTERS = 255

const SIZE = 'crud_size'

/**
 * Prefix of the text that replaces a large value, followed by its size, for columns that can return any type. An extra
 * column would slow down a list of 100 by a tenth. The prefix is random, so callers cannot store it.
 */
const MARK = `${randomBytes(9).toString('base64url')}:`
const LONGEST_MARK = MARK.length + 20

/**
 * A list that can contain large values is read in two steps: first the small values and the sizes of the large ones;
 * then, if the limit of a response allows it, the large values in batches.
 */
interface SizedRead {
  /** The select list of the first step */
  list: string
  /** Maximum size of a value that is read in the first step, in bytes */
  small: number
  /** Columns that can contain large values */
  columns: readonly Column[]
}

const READS = new WeakMap<Dialect, WeakMap<readonly Column[], Map<string, SizedRead>>>()

/**
 * Plans the read of columns that can contain large values.
 *
 * @param rows  maximum number of rows
 * @param cut   length in characters after which texts can be cut; 0: texts are read completely
 * @returns undefined if no value can be large
 */
export function sizedRead(
  columns: readonly Column[],
  { key, rows = 1, cut = 0 }: { key: Key; rows?: number; cut?: number },
  dialect: Dialect
): SizedRead | undefined {
  const large = largeColumns(columns, key)
  if (large.length === 0) return undefined
  const share = IN_ONE_QUERY / (Math.max(rows, 1) * large.length)
  /* Rounded to powers of two, because each size requires a separate statement. */
  const small = Math.max(SHORTEST, 2 ** Math.floor(Math.log2(share)))
  let known = READS.get(dialect)
  if (!known) READS.set(dialect, (known = new WeakMap()))
  let reads = known.get(columns)
  if (!reads) known.set(columns, (reads = new Map()))
  const id = `${small} ${cut}`
  let read = reads.get(id)
  if (!read) {
    read = makeRead(columns, large, { table: key.table, small, cut }, dialect)
    reads.set(id, read)
  }
  return read
}

function makeRead(
  columns: readonly Column[],
  large: readonly Column[],
  { table, small, cut }: { table: string; small: number; cut: number },
  dialect: Dialect
): SizedRead {
  const isCut = (column: Column) => cut > 0 && column.kind === 'text'
  const whole = large.filter((column) => !isCut(column))
  const parts = columns.map((column) => {
    const select = dialect.select(table, column)
    if (!large.includes(column)) return select
    const as = ` as ${dialect.quote(column.name)}`
    const value = select.endsWith(as) ? select.slice(0, -as.length) : select
    const size = dialect.sizeOf(table, column)
    if (isCut(column)) {
      return `case when ${size} > ${cut} then substr(${value}, 1, ${cut}) else ${value} end${as}`
    }
    const mark = dialect.mixesTypes ? `'${MARK}' || ${size}` : 'null'
    return `case when ${size} > ${small} then ${mark} else ${value} end${as}`
  })
  if (!dialect.mixesTypes) parts.push(sizeSql(table, whole, dialect))
  return { list: parts.join(', '), small, columns: whole }
}

/** Returns the extra column with the size of a row; undefined if no value can be large. */
export function sizeColumn(columns: readonly Column[], key: Key, dialect: Dialect) {
  const large = largeColumns(columns, key)
  if (large.length === 0) return undefined
  return { as: SIZE, sql: sizeSql(key.table, large, dialect) }
}

function sizeSql(table: string, columns: readonly Column[], dialect: Dialect): string {
  const sizes = columns.map((column) => `coalesce(${dialect.sizeOf(table, column)}, 0)`)
  return `${sizes.join(' + ') || '0'} as ${dialect.quote(SIZE)}`
}

/**
 * Reserves memory for rows.
 *
 * @param rows   rows that were read with their size
 * @param sized  plan of the read; not needed if only the size was read
 * @throws Problem 413 or 503
 */
export async function reserveFor(
  rows: readonly Row[],
  budget: ResponseBudget,
  sized?: SizedRead
): Promise<void> {
  let bytes = 0
  for (const row of rows) bytes += row[SIZE] === undefined ? sizeOf(row, sized!) : Number(row[SIZE])
  if (bytes > SMALL_RESPONSE) await budget.reserve(bytes)
}

/** Returns the size of a record's texts and binary values, in bytes. */
export function bytesOf({ $attributes }: LucidRow): number {
  let bytes = 0
  for (const value of Object.values($attributes)) {
    if (typeof value === 'string' || Buffer.isBuffer(value)) bytes += value.length
  }
  return bytes
}

/**
 * Returns the size of a row's values in columns that can contain large values. Replaced values are removed; if there
 * were any, the size is added to the row.
 */
function sizeOf(row: Row, { columns }: SizedRead): number {
  let small = 0
  let large = 0
  for (const { name } of columns) {
    const value = row[name]
    if (typeof value === 'string') {
      if (value.length <= LONGEST_MARK && value.startsWith(MARK)) {
        large += Number(value.slice(MARK.length))
        row[name] = null
      } else small += value.length
    } else if (Buffer.isBuffer(value)) small += value.length
  }
  if (large > 0) row[SIZE] = small + large
  return small + large
}

/**
 * Reads the large values in the second step. A row that has been deleted or hidden since the first step is left out.
 *
 * @param rows  rows of the first step, with their keys
 * @param read  reads rows with all values, in no particular order
 */
export async function readLargeValues(
  rows: Row[],
  { columns, small }: SizedRead,
  { client, key, selection }: { client: QueryClientContract; key: Key; selection: Selection },
  read: (selection: Selection) => Promise<Row[]>
): Promise<Row[]> {
  const lacking = rows.filter(
    (row) => Number(row[SIZE]) > small && columns.some(({ name }) => row[name] === null)
  )
  if (lacking.length === 0) return rows

  const { where, scope } = selection
  const found = new Map<string, Row>()
  for (const batch of batches(lacking)) {
    const isWanted = key.isAny(
      batch.map((row) => key.ofRow(row)),
      dialectOf(client)
    )
    for (const row of await read({ where: [...where, isWanted], scope })) {
      found.set(identity(key.ofRow(row)), row)
    }
    /* Drivers create the values in the server's thread, and one driver also reads in it. */
    await nextEventLoopTurn()
  }
  const isLacking = new Set(lacking)
  return rows.filter((row) => {
    if (!isLacking.has(row)) return true
    const whole = found.get(identity(key.ofRow(row)))
    if (whole) Object.assign(row, whole)
    return whole !== undefined
  })
}

function* batches(rows: readonly Row[]): Generator<Row[]> {
  let batch: Row[] = []
  let bytes = 0
  for (const row of rows) {
    const size = Number(row[SIZE])
    if (batch.length === BATCH.rows || (batch.length > 0 && bytes + size > BATCH.bytes)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(row)
    bytes += size
  }
  yield batch
}

/** Returns the columns that can contain large values. Key columns are excluded: they are indexed, and never large. */
function largeColumns(columns: readonly Column[], { columns: keys }: Key): Column[] {
  return columns.filter((column) => {
    if (keys.includes(column) || column.choices) return false
    if (column.kind === 'json' || column.kind === 'binary') return true
    const { maxLength } = column
    return column.kind === 'text' && (maxLength === null || maxLength > FEW_CHARACTERS)
  })
}

function identity(key: KeyValue): string {
  return JSON.stringify(key.map((part) => String(part)))
}
