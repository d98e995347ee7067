/* Rows of the table of all value types. */
import db from '@adonisjs/lucid/services/db'
import { each, onMysql } from '#tests/helpers/databases'
import { columnOf, specimenOf, TYPE_ROWS, TYPES } from '#tests/helpers/type_specimens'

export type Row = Record<string, unknown>

export const COLUMNS = TYPES.map((_, index) => columnOf(index))

/** Rows of all values; what MySQL's strict mode refuses was stored before there was any. */
export async function fill() {
  await db.transaction(async (client) => {
    if (onMysql) {
      await client.rawQuery('set @strict = @@sql_mode')
      await client.rawQuery("set session sql_mode = ''")
    }
    for (let row = 0; row < TYPE_ROWS; row++) {
      const values = TYPES.map((_, index) => specimenOf(index, row)?.[0] ?? 'null')
      await client.rawQuery(
        `insert into typed_rows (id, name, ${COLUMNS.join(', ')}) values (${row + 1}, 'row', ${values.join(', ')})`
      )
    }
    if (onMysql) await client.rawQuery('set session sql_mode = @strict')
  })
}

/** The values as the database writes them, by type */
export async function stored(id: number): Promise<Row> {
  const expression = (name: string, type: string) =>
    each({
      sqlite: `typeof(${name}) || quote(${name})`,
      postgres: `${name}::text`,
      mysql: /blob|bin|bit|point/.test(type) ? `hex(${name})` : `cast(${name} as char)`,
    })
  const list = TYPES.map(
    ({ type }, index) => `${expression(columnOf(index), type)} as ${columnOf(index)}`
  )
  const [row] = await db
    .from('typed_rows')
    .where('id', id)
    .select(db.raw(list.join(', ')))
  return byType(row)
}

export function byType(row: Row, isWanted: (index: number) => boolean = () => true): Row {
  return Object.fromEntries(
    TYPES.flatMap(({ type }, index) => (isWanted(index) ? [[type, row[columnOf(index)]]] : []))
  )
}

export const rowsOf = () => Array.from({ length: TYPE_ROWS }, (_, row) => row)

/** True for a value that can be written to a new record */
export const isWritable = (row: number) => (index: number) => !TYPES[index].kept?.includes(row)

/** The two rows without the values that are equal, so that a failure shows the others alone */
export function differing(
  actual: Row,
  expected: Row,
  types: readonly string[] = Object.keys(expected)
): [Row, Row] {
  const names = types.filter(
    (type) => JSON.stringify(actual[type]) !== JSON.stringify(expected[type])
  )
  const those = (row: Row) => Object.fromEntries(names.map((name) => [name, row[name]]))
  return [those(actual), those(expected)]
}

/** A plain numeral for a number, without an exponent */
export function textOf(value: unknown): string {
  return typeof value === 'number'
    ? value.toLocaleString('en-US', { useGrouping: false, maximumSignificantDigits: 21 })
    : String(value)
}
