import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { RuntimeError } from '../errors.js'
import { isDecimalType, kindOf } from '../columns/column_kind.js'
import { serializerOf } from '../values/to_api.js'
import type { StoredColumn } from './dialect.js'
import { dialectOf } from './dialects.js'
import type { ColumnIntrospection, TableIntrospection } from './introspection.js'
import { ROWS_PER_READ, chunks } from '#base/chunks'

/** A row by column name, in the form of `Dialect.stored` */
export type StoredRow = Record<string, unknown>

/** A table without a model whose rows link the records of two other tables. */
export class PivotTable {
  readonly columns: readonly StoredColumn[]

  constructor(
    readonly name: string,
    private readonly introspection: TableIntrospection
  ) {
    this.columns = [...introspection.columns]
      .filter(([, { generated }]) => !generated)
      .map(([column, { kind, sqlType }]) => ({
        name: column,
        kind: kind ?? kindOf(sqlType),
        sqlType,
      }))
  }

  /** Returns the column; undefined if the table has no such column */
  column(name: string): ColumnIntrospection | undefined {
    return this.introspection.columns.get(name)
  }

  /** Returns the API form of a stored value. */
  toApi(name: string, value: unknown): unknown {
    const column = this.columns.find((one) => one.name === name)
    if (!column || value === null || value === undefined) return null
    const isDecimal = column.kind === 'number' && isDecimalType(column.sqlType)
    return serializerOf({ ...column, isDecimal, consumesItself: false, element: undefined })(value)
  }

  /**
   * Returns the rows that have any of the given values in each given column.
   *
   * @param limit  maximum number of rows
   */
  async rows(
    client: QueryClientContract,
    where: Readonly<Record<string, readonly unknown[]>>,
    { limit, lock = false }: { limit?: number; lock?: boolean } = {}
  ): Promise<StoredRow[]> {
    const dialect = dialectOf(client)
    const list = this.columns.map((column) => dialect.stored(this.name, column, column.name))
    const found: StoredRow[] = []
    for (const some of partsOf(where)) {
      const query = client
        .query()
        .from(this.name)
        .select(client.raw(list.join(', ')) as any)
      for (const [name, values] of Object.entries(some)) query.whereIn(name, values as any[])
      if (limit !== undefined) query.limit(limit - found.length)
      if (lock && client.isTransaction) query.forUpdate()
      found.push(...(await query))
      if (limit !== undefined && found.length >= limit) break
    }
    return found
  }
}

/*
 * Tables that were read, each once per process: like a model's column, a new column requires a restart of the server.
 */
const KNOWN = new Map<string, PivotTable>()

/**
 * Returns the pivot table with this name.
 *
 * @throws RuntimeError  when there is no such table
 */
export async function pivotTableOf(client: QueryClientContract, name: string): Promise<PivotTable> {
  const id = `${client.connectionName} ${name}`
  let table = KNOWN.get(id)
  if (!table) {
    const introspection = await dialectOf(client).readTable(client, name)
    if (!introspection) {
      throw new RuntimeError(
        `The pivot table ${name} does not exist on the connection "${client.connectionName}". Create it with: node ace migrate`
      )
    }
    KNOWN.set(id, (table = new PivotTable(name, introspection)))
  }
  return table
}

/** Splits the longest list of values into parts that each fit one statement; the other lists are in every part. */
function partsOf(where: Readonly<Record<string, readonly unknown[]>>) {
  const [[longest, values] = ['', []]] = Object.entries(where).toSorted(
    ([, one], [, other]) => other.length - one.length
  )
  return [...chunks(values, ROWS_PER_READ)].map((some) => ({ ...where, [longest]: some }))
}
