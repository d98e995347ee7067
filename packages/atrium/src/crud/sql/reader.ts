import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { ResponseBudget } from '../http/response_budget.js'
import type { Query } from '#base/database/dialect'
import { dialectOf } from '#base/database/dialects'
import { noteKey } from '#base/items'
import type { KeyValue } from '#base/columns/key'
import type { Item } from '../types.js'
import { noteLockedRow } from '../lucid/stored_rows.js'
import { recordFromRow } from '#base/lucid/lucid_moments'
import type { Fields } from '#base/columns/fields'
import type { ExtraColumn } from '#base/sql/sql'
import { asConnectionReturns, copyOf } from '#base/database/connection_forms'
import { Aggregates } from './aggregates.js'
import { Counts } from './counts.js'
import { ItemForm, itemOf } from './item_form.js'
import { RowStatements, type Readable, type ReadHook } from './row_statements.js'
import type { Selection } from './select.js'

type Row = Record<string, unknown>

/** What to read for each item. */
interface Wanted {
  /** Fields of the items; default: all fields */
  fields?: Fields
  /** True to remember the keys of the items for `keyOf` */
  keys?: boolean
  extras?: readonly ExtraColumn[]
  /** Memory budget of the items; without it, the memory is not limited */
  budget?: ResponseBudget
  /** Length in characters after which texts can be cut; default: no limit */
  cut?: number
  /** Selection for the second read, of large values by key. Default: the selection of the first read */
  again?: Selection
}

/** A record and its extra columns. */
export interface Read {
  record: LucidRow
  extras: Row
}

/** An item and its extra columns, by their aliases in the result. */
export interface Found {
  item: Item
  extras: Row
}

/**
 * Reads items. Rows are converted to items without a model instance if the result is the same; a model with read hooks,
 * computed properties or columns with custom conversion is hydrated by Lucid.
 */
export class Reader {
  readonly statements: RowStatements
  readonly counts: Counts
  readonly aggregates: Aggregates
  readonly form: ItemForm

  constructor(private readonly resource: Readable) {
    this.statements = new RowStatements(resource)
    this.counts = new Counts(resource, this.statements)
    this.aggregates = new Aggregates(resource, this.statements)
    this.form = new ItemForm(resource)
  }

  /** Returns the items of a list. */
  async items(
    client: QueryClientContract,
    selection: Selection,
    wanted: Wanted = {}
  ): Promise<Item[]> {
    const found = await this.find(client, selection, wanted)
    return found.map(({ item }) => item)
  }

  /**
   * Returns the items of a list with their extra columns.
   *
   * @param begun  a query to extend; default: a query of all rows
   */
  async find(
    client: QueryClientContract,
    selection: Selection,
    wanted: Wanted,
    begun?: Query
  ): Promise<Found[]> {
    const {
      fields = this.resource.responseFields,
      keys = false,
      extras = [],
      budget,
      cut,
      again,
    } = wanted
    const { key } = this.resource
    if (this.#needsHydration(fields, 'before:fetch', 'after:fetch')) {
      const read = await this.readRecords(client, selection, { extras, begun, budget })
      return read.map((one) => this.foundOf(one, wanted))
    }
    const columns = keys ? this.statements.withKeys(fields.columns) : fields.columns
    const rows = budget
      ? await this.statements.rowsWithin(budget, client, selection, columns, {
          extras,
          begun,
          cut,
          again,
        })
      : await this.statements.rows(client, selection, columns, { extras, begun })
    const toItem = itemOf(fields)
    return rows.map((row) => {
      const item = toItem(row)
      return { item: keys ? noteKey(item, key.ofRow(row)) : item, extras: row }
    })
  }

  /**
   * Returns the records of a list with their extra columns.
   *
   * @param begun   a query to extend; default: a query of all rows
   * @param budget  memory budget; without it, the memory is not limited
   * @throws Problem 413 or 503  when the budget does not suffice
   */
  async readRecords(
    client: QueryClientContract,
    selection: Selection,
    {
      extras = [],
      begun,
      budget,
    }: { extras?: readonly ExtraColumn[]; begun?: Query; budget?: ResponseBudget }
  ): Promise<Read[]> {
    const { columns, model } = this.resource
    if (budget) await this.statements.reserve(client, selection, budget, begun)
    const isPlain = !begun && !this.statements.needsBuilder(selection)
    if (!isPlain || this.statements.hasHooks('before:fetch', 'after:fetch')) {
      const records = await this.statements.query(client, selection, columns.all, { extras, begun })
      return records.map((record: LucidRow) => ({ record, extras: takeExtras(record, extras) }))
    }
    const rows = await this.statements.rows(client, selection, columns.all, { extras })
    return rows.map((row) => {
      const record = recordFromRow(model, row, optionsOf(client))
      return { record, extras: takeExtras(record, extras) }
    })
  }

  /** Returns the item of a record. */
  foundOf({ record, extras }: Read, { fields, keys = false }: Wanted = {}): Found {
    const item = this.form.toItem(record, fields)
    return { item: keys ? noteKey(item, this.resource.key.of(record)) : item, extras }
  }

  /** Returns one item, or null. */
  async item(client: QueryClientContract, selection: Selection): Promise<Item | null> {
    const found = await this.findOne(client, selection, {})
    return found && found.item
  }

  /** Returns one item with its extra columns, or null. */
  async findOne(
    client: QueryClientContract,
    selection: Selection,
    {
      fields = this.resource.responseFields,
      extras = [],
      authorize,
    }: Omit<Wanted, 'keys'> & {
      /** Throws if the actor is not allowed to see the record */
      authorize?: (record: LucidRow) => Promise<void>
    }
  ): Promise<Found | null> {
    if (authorize || this.#needsHydration(fields, 'before:find', 'after:find')) {
      const record = await this.record(client, selection, extras)
      if (record) await authorize?.(record)
      return record && this.foundOf({ record, extras: takeExtras(record, extras) }, { fields })
    }
    const one = { ...selection, limit: 1 }
    const [row] = await this.statements.rows(client, one, fields.columns, { extras })
    return row ? { item: itemOf(fields)(row), extras: row } : null
  }

  /**
   * Returns the item of a row.
   *
   * @param row  row with all columns, as `Dialect.select` returns them
   * @returns undefined if the item cannot be created from the row alone
   */
  itemOfRow(row: Row): Item | undefined {
    return this.returnsRowsDirectly ? itemOf(this.resource.responseFields)(row) : undefined
  }

  /** True if a row can be read with a prebuilt statement and becomes an item without a model instance. */
  get returnsRowsDirectly(): boolean {
    const isPlain = !this.#needsHydration(this.resource.responseFields, 'before:find', 'after:find')
    return isPlain && !this.statements.needsBuilder({ where: [] })
  }

  /** True if rows of a list can be read with prebuilt statements and become items without model instances. */
  readsRowsDirectly(fields: Fields): boolean {
    const isPlain = !this.#needsHydration(fields, 'before:fetch', 'after:fetch')
    return isPlain && !this.statements.needsBuilder({ where: [] })
  }

  /** True if the model has no fetch hooks or custom query builder that could see the order in which a list is read. */
  get readsInAnyOrder(): boolean {
    return (
      !this.statements.hasHooks('before:fetch', 'after:fetch') &&
      !this.statements.needsBuilder({ where: [] })
    )
  }

  /** Returns one item as a model instance, or null. */
  async record(
    client: QueryClientContract,
    selection: Selection,
    extras: readonly ExtraColumn[] = []
  ): Promise<LucidRow | null> {
    const { columns, model } = this.resource
    if (this.statements.hasHooks('before:find', 'after:find')) {
      const run = (query: Query) => query.first()
      return await this.statements.query(client, selection, columns.all, { extras, run })
    }
    const [row] = await this.statements.rows(client, { ...selection, limit: 1 }, columns.all, {
      extras,
    })
    if (!row) return null
    return selection.lock
      ? this.recordOfRow(client, row)
      : recordFromRow(model, row, optionsOf(client))
  }

  /**
   * Returns the model instance of a row, and remembers the row for the write of the record.
   *
   * @param row  row with all columns, as `Dialect.select` returns them
   */
  recordOfRow(client: QueryClientContract, row: Row): LucidRow {
    const { model } = this.resource
    const record = recordFromRow(model, copyOf(row), optionsOf(client))
    noteLockedRow(record, row)
    return record
  }

  /** Returns items as model instances. */
  async records(client: QueryClientContract, selection: Selection): Promise<LucidRow[]> {
    const { columns } = this.resource
    if (!selection.lock || this.statements.hasHooks('before:fetch', 'after:fetch')) {
      return await this.statements.query(client, selection, columns.all)
    }
    const rows = await this.statements.rows(client, selection, columns.all)
    return rows.map((row) => this.recordOfRow(client, row))
  }

  /** Returns the stored attributes of one row, without any scope or hook. In a transaction the row is locked. */
  async attributes(
    client: QueryClientContract,
    key: KeyValue
  ): Promise<Record<string, unknown> | null> {
    const found = await this.stored(client, key)
    return found && found.attributes
  }

  /** Returns the attributes as `attributes` does, together with the row. */
  async stored(
    client: QueryClientContract,
    key: KeyValue
  ): Promise<{ attributes: Record<string, unknown>; row: Row } | null> {
    const { key: keys } = this.resource
    const where = [keys.is(key, dialectOf(client))]
    const [row] = await this.rows(client, { where, limit: 1, lock: client.isTransaction })
    return row ? { attributes: this.attributesOfRow(row), row } : null
  }

  /** Returns the model's attributes of a row, or of some of its columns. */
  attributesOfRow(row: Row): Record<string, unknown> {
    const { columns, model } = this.resource
    const usual = asConnectionReturns(row)
    const own = { ...row }
    for (const { consumesItself, name } of usual ? columns.all : []) {
      if (consumesItself) own[name] = usual![name]
    }
    const record = recordFromRow(model, own)
    const named = columns.all.filter(({ name }) => name in row)
    return Object.fromEntries(
      named.map(({ attribute }) => [attribute, record.$attributes[attribute]])
    )
  }

  /** Returns rows with all columns, as `Dialect.select` returns them, without any scope or hook. */
  async rows(client: QueryClientContract, selection: Selection): Promise<Row[]> {
    return await this.statements.rows(client, selection, this.resource.columns.all)
  }

  #needsHydration(fields: Fields, ...hooks: ReadHook[]) {
    return this.form.needsRecord(fields) || this.statements.hasHooks(...hooks)
  }
}

/** Moves the extra columns from a record to a separate object. */
function takeExtras(record: LucidRow, expressions: readonly ExtraColumn[]): Row {
  const extras: Row = {}
  for (const { as } of expressions) {
    extras[as] = record.$extras[as]
    delete record.$extras[as]
  }
  return extras
}

/**
 * Returns the options that Lucid's queries pass to the instances they create. A record that is created after the
 * transaction has ended, for example by a listener, must not write in it.
 */
function optionsOf(client: QueryClientContract) {
  const isOver = client.isTransaction && (client as TransactionClientContract).isCompleted
  return { ...(!isOver && { client }), connection: client.connectionName }
}
