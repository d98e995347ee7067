import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { Problem, systemActor } from '#crud'
import { ListRequest, neighbours, pageOf, Records } from '#crud/internals'
import { chunks, KEYS_PER_CONDITION } from '#base/chunks'
import { dialectOf } from '#base/database/dialects'
import { inTransaction } from '#base/database/transaction'
import { identityOf, type KeyValue } from '#base/columns/key'
import { GAP, numberAfter, numbersBetween } from '#base/columns/order_numbers'
import type { Column } from '#base/columns/column'
import type { ModelView } from '../views/model_view.js'

/** Where a record is moved to: next to another one. */
export interface Target {
  side: 'before' | 'after'
  key: KeyValue
}

/** A row with its number in the order */
interface PlacedRow {
  key: KeyValue
  place: number | null
}

/** Minimum ratio of numbers to rows in a range that is renumbered; rows are added to the range until it is reached */
const ROOM = 2

/** Maximum number of rows that are renumbered one by one; beyond it, all rows are numbered. */
const MOST_MOVED = 200

type Options = ReturnType<ModelView['callOptions']>

/**
 * Moves a record next to another one, in one transaction. Only the number of the record is written. If there is no free
 * number between its new neighbours, the following rows are renumbered in the same order; if that is not possible
 * either, all rows of the table are. Moves within a table run one after the other, so that each sees the result of the
 * previous one.
 *
 * @param view     the view, limited by the user's roles
 * @param options  options of the update, which checks the permission
 * @returns false if the record already is there
 * @throws Problem 403  if the user is not allowed to update the record
 * @throws Problem 409  if the column has fewer numbers than the table has rows
 */
export async function moveRecord(
  view: ModelView,
  key: KeyValue,
  target: Target,
  options: Options
): Promise<boolean> {
  return await inTransaction(options.client, async (client) => {
    const rows = new OrderedRows(view, client)
    await rows.lock()
    const place = await rows.placeFor(key, target)
    if (place === null) return false
    const { attribute } = view.orderColumn!
    const one = view.resource.key.isComposite ? key : key[0]
    await view.crud.update(one, { [attribute]: place }, { ...options, client })
    return true
  })
}

/** All rows of a table in their order, whether or not a user can see them. */
class OrderedRows {
  readonly #records: Records
  readonly #column: Column
  readonly #actor = systemActor('Order of rows')

  constructor(
    view: ModelView,
    private readonly client: TransactionClientContract
  ) {
    this.#records = new Records(view.base.resource)
    this.#column = view.base.orderColumn!
  }

  get #table() {
    return this.client.from(this.#records.resource.table)
  }

  /** Waits for other moves of the same table, and delays later ones until this transaction ends. */
  async lock(): Promise<void> {
    const { key } = this.#records.resource
    if (this.client.dialect.name.includes('sqlite')) {
      /* The statement changes no row, but acquires the write lock before anything is read. */
      await this.#table.whereRaw('1 = 0').update({ [this.#column.name]: 0 })
      return
    }
    const query = this.#table.select(key.columns.map(({ name }) => name)).limit(1)
    for (const { name } of key.columns) query.orderBy(name)
    await query.forUpdate()
  }

  /**
   * Returns the new number of a record; null if it already is at the target.
   *
   * @param isNumbered  true if all rows have just been numbered
   * @throws Problem 409  if the column has fewer numbers than the table has rows
   */
  async placeFor(key: KeyValue, target: Target, isNumbered = false): Promise<number | null> {
    const others = (row: KeyValue) => identityOf(row) !== identityOf(key)
    const at = await this.#placed(target.key)
    const isBefore = target.side === 'before'
    const previous = isBefore ? await this.#next(target.key, 'before', () => true) : at
    if (previous && !others(previous.key)) return null
    const next = isBefore ? at : await this.#next(target.key, 'after', () => true)
    if (next && !others(next.key)) return null
    const isPlaced = previous?.place !== null && next?.place !== null
    const place = isPlaced ? await this.#between(previous?.place ?? null, next, others) : null
    if (place !== null) return place
    if (isNumbered) throw noNumbers()
    await this.#numberAll()
    return await this.placeFor(key, target, true)
  }

  /**
   * Returns a number between two rows. If there is none, rows that follow are renumbered.
   *
   * @returns null if these are too many, or if their numbers would exceed the column's range
   */
  async #between(
    low: number | null,
    next: PlacedRow | null,
    isOther: (key: KeyValue) => boolean
  ): Promise<number | null> {
    const { least, most } = this.#range
    if (!next) return low! < most ? numberAfter(low, most) : null
    const [place] = numbersBetween(low, next.place, 1) ?? []
    if (place !== undefined && place >= least) return place
    const begin = low ?? least - 1
    const moved: PlacedRow[] = []
    let high: number | null = null
    for await (const row of this.#from(next, isOther)) {
      if (row.place !== null && row.place - begin > ROOM * (moved.length + 1)) {
        high = row.place
        break
      }
      moved.push(row)
      if (moved.length > MOST_MOVED) return null
    }
    const [own, ...places] = numbersBetween(begin, high, moved.length + 1)!
    if (places.at(-1)! > most) return null
    for (const [index, row] of moved.entries()) await this.#write(row, places[index])
    return own
  }

  get #range(): { least: number; most: number } {
    const { integerRange: range } = this.#column
    return {
      least: Number(range?.least ?? Number.MIN_SAFE_INTEGER),
      most: Number(range?.most ?? Number.MAX_SAFE_INTEGER),
    }
  }

  async *#from(first: PlacedRow, isOther: (key: KeyValue) => boolean): AsyncGenerator<PlacedRow> {
    yield first
    for await (const keys of this.#neighbours(first.key, 'after')) {
      for (const key of keys) if (isOther(key)) yield await this.#placed(key)
    }
  }

  async #next(
    key: KeyValue,
    direction: 'before' | 'after',
    isWanted: (key: KeyValue) => boolean
  ): Promise<PlacedRow | null> {
    for await (const keys of this.#neighbours(key, direction)) {
      const found = keys.find(isWanted)
      if (found) return await this.#placed(found)
    }
    return null
  }

  #neighbours(key: KeyValue, direction: 'before' | 'after'): AsyncGenerator<KeyValue[]> {
    const sorts = [{ column: this.#column, direction: 'asc' }] as const
    const request = new ListRequest([], sorts, pageOf(1, 1), 'include', {})
    const options = { client: this.client, actor: this.#actor, showsDeleted: true }
    return neighbours(this.#records, request, key, direction, options)
  }

  async #placed(key: KeyValue): Promise<PlacedRow> {
    const { reader } = this.#records
    const stored = await reader.stored(this.client, key)
    return { key, place: numberIn(stored?.row[this.#column.name]) }
  }

  async #write({ key }: PlacedRow, place: number): Promise<void> {
    const { sql, bindings } = this.#records.resource.key.is(key, dialectOf(this.client))
    await this.#table.whereRaw(sql, bindings as never).update({ [this.#column.name]: place })
  }

  /** Numbers all rows in their order, many per statement. */
  async #numberAll(): Promise<void> {
    const { key, table } = this.#records.resource
    const dialect = dialectOf(this.client)
    const order = [this.#column, ...key.columns].map((column) =>
      dialect.order(table, column, 'asc')
    )
    const names = key.columns.map(({ name }) => name)
    const rows = await this.#table.select(names).orderByRaw(order.join(', '))
    const gap = Math.min(GAP, Math.floor(this.#range.most / (rows.length + 1)))
    if (gap < 1) throw noNumbers()
    const all = rows.map((row, index) => ({ key: key.ofRow(row), place: gap * (index + 1) }))
    for (const some of chunks(all, KEYS_PER_CONDITION)) {
      const cases = some.map((one) => ({ ...key.is(one.key, dialect), place: one.place }))
      const sql = cases.map((one) => `when ${one.sql} then ${one.place}`).join(' ')
      const bindings = cases.flatMap((one) => one.bindings)
      const place = this.client.raw(`case ${sql} end`, bindings as never)
      const wanted = key.isAny(
        some.map((one) => one.key),
        dialect
      )
      await this.#table
        .whereRaw(wanted.sql, wanted.bindings as never)
        .update({ [this.#column.name]: place })
    }
  }
}

function noNumbers(): Problem {
  return new Problem(409, 'The column of the order has fewer numbers than there are rows')
}

function numberIn(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value)
}
