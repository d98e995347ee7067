import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, ModelColumnOptions } from '@adonisjs/lucid/types/model'
import { dialectOf } from '#base/database/dialects'
import { listed, RuntimeError, ValueError } from '#base/errors'
import { toApi } from '#base/values/to_api'
import { Column } from '#base/columns/column'

/** Field of an item that contains the pivot table's columns */
export const PIVOT = 'pivot'

/** Alias prefix of pivot columns in a result, followed by a number */
const READ_AS = 'crud_pivot_'

interface PivotColumn {
  /** Name in the pivot table and in the API */
  name: string
  /** The same column under its alias in a result */
  read: Column
}

/** The columns of a pivot table that the items of a relation show. */
export class PivotColumns {
  #columns: readonly PivotColumn[] = []

  /**
   * @param names  names of columns of the table
   */
  constructor(
    readonly table: string,
    readonly names: readonly string[]
  ) {}

  /** @throws RuntimeError  before `load()` */
  get columns(): readonly PivotColumn[] {
    if (this.#columns.length > 0) return this.#columns
    throw new RuntimeError(
      `Nothing is known yet of the table ${this.table}: await resources.load() first`
    )
  }

  /**
   * Loads the introspection of the table once.
   *
   * @param related  model of the items
   * @param which    beginning of error messages
   * @throws RuntimeError  when the table is missing
   * @throws ValueError    for a name that is not a column
   */
  async load(related: LucidModel, client: QueryClientContract, which: string): Promise<void> {
    if (this.#columns.length > 0) return
    const table = await dialectOf(client).readTable(client, this.table)
    if (!table) {
      throw new RuntimeError(
        `${which}, whose table ${this.table} does not exist; run: node ace migrate`
      )
    }
    this.#columns = this.names.map((name, index) => {
      const introspection = table.columns.get(name)
      if (!introspection) {
        throw new ValueError(
          `${which} with the pivot column '${name}', which ${this.table} does not have; its columns are ${listed(table.columns.keys())}`
        )
      }
      const definition = { columnName: `${READ_AS}${index}`, serializeAs: name, isPrimary: false }
      const read = new Column(related, name, definition as ModelColumnOptions)
      read.introspected(introspection)
      return { name, read }
    })
  }

  /**
   * Returns the values in the API's form.
   *
   * @param row  a row with the columns under their aliases
   */
  valuesOf(row: Record<string, unknown>): Record<string, unknown> {
    return Object.fromEntries(
      this.columns.map(({ name, read }) => [name, toApi(read, row[read.name])])
    )
  }
}
