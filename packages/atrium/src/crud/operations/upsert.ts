import { endLongTurn } from '#base/event_loop'
import type { Column } from '#base/columns/column'
import type { Condition } from '#base/columns/condition'
import { unavailability } from '#base/database/unavailable'
import { listed, Problem, ValueError } from '#base/errors'
import { needsValue } from '#base/http/problems'
import { noteKey, noteUnreadable } from '#base/items'
import { isHiddenFrom } from '../request/item_request.js'
import { conditionOfValue } from '../resource/filters.js'
import type { Resource } from '../resource/resource.js'
import type { Item } from '../types.js'
import {
  type CallOptions,
  type CreateOptions,
  type UpdateOptions,
  clientFor,
} from './call_options.js'
import type { CrudContext } from './crud_context.js'
import { omit } from './writes/written_fields.js'
import { runWrite } from './writes/record_path.js'

type Values = Record<string, unknown>

/** Options of an upsert. */
export interface UpsertOptions extends CallOptions {
  /** The columns of a unique key, by attribute or API name, that find the item to change */
  on: readonly string[]
}

/** The writes of the `LucidCrud`, which a subclass can override. */
interface SingleWrites {
  create(values: Values, options: CreateOptions): Promise<Item>
  update(key: unknown, values: Values, options: UpdateOptions): Promise<Item | null>
}

/** Maximum number of attempts: another writer can create, delete or lock the same item between read and write. */
export const MOST_ATTEMPTS = 6

/**
 * Changes the item that has the values of the key, or creates it. See `LucidCrud.upsert`. If a concurrent write of
 * the same key makes an attempt fail, the attempt is repeated. In a transaction of the caller, it is repeated in
 * another savepoint and with locking reads, because the snapshot of the transaction might not contain the other item.
 */
export async function upsertItem(
  context: CrudContext,
  values: Values,
  { on, ...options }: UpsertOptions,
  writes: SingleWrites
): Promise<Item> {
  const client = await clientFor(context.resource, options)
  const columns = uniqueColumns(context.resource, on)
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptUpsert(context, values, columns, options, writes, attempt > 1)
    } catch (error) {
      const isOver = attempt === MOST_ATTEMPTS || !isRace(error, columns, client.isTransaction)
      if (isOver) throw error
    }
  }
}

/** Upserts several items, all of them or none. See `LucidCrud.upsertMany`. */
export async function upsertItems(
  context: CrudContext,
  all: readonly Values[],
  options: UpsertOptions,
  upsert: (values: Values, options: UpsertOptions) => Promise<Item>
): Promise<Item[]> {
  return await runWrite(context, options, async (client) => {
    const items: Item[] = []
    for (const values of all) {
      await endLongTurn()
      items.push(await upsert(values, { ...options, client, joins: false }))
    }
    return items
  })
}

async function attemptUpsert(
  context: CrudContext,
  values: Values,
  columns: readonly Column[],
  options: CallOptions,
  writes: SingleWrites,
  lock: boolean
): Promise<Item> {
  const { records, resource } = context
  const condition = conditionOfKey(columns, values)
  return await runWrite(context, options, async (client) => {
    /*
     * Each write runs in a savepoint, because further queries explain the error of a failed write.
     */
    const own = { ...options, client, joins: false }
    const [found] = await records.locateBy(condition, client, options, lock)
    if (!found) return await writes.create(values, own)
    const key = resource.key.of(found.record)
    const changes = omit(
      values,
      columns.flatMap((column) => [column.attribute, column.name])
    )
    const item = await writes.update(key, changes, { ...own, returning: true })
    return item ?? noteUnreadable(noteKey({}, key))
  })
}

/**
 * Returns the columns of a unique key that applies to all rows.
 *
 * @param on  attribute or API names
 * @throws ValueError  for columns that are no such key, or hidden from the actor
 */
export function uniqueColumns(resource: Resource, on: readonly string[]): Column[] {
  const { columns, key, name, wholeKeys } = resource
  const found = on.map((one) =>
    columns.all.find(
      (column) =>
        (column.attribute === one || column.apiName === one) && !isHiddenFrom(resource, column)
    )
  )
  const named = new Set(found.map((column) => column?.name))
  const isKey = [key.columns.map((column) => column.name), ...wholeKeys].some(
    (names) => names.length === named.size && names.every((one) => named.has(one))
  )
  if (isKey && !named.has(undefined)) return found as Column[]
  throw new ValueError(
    `${name}: on is ${listed(on)}, and must name the columns of the primary key or of a unique index`
  )
}

/**
 * Returns the condition for the values of a key.
 *
 * @param values  values by attribute name
 * @throws Problem 422  for a missing or invalid value
 */
export function conditionOfKey(columns: readonly Column[], values: Values): Condition {
  const conditions = columns.map((column): Condition => {
    const value = values[column.attribute] ?? values[column.name]
    if (value === null || value === undefined) throw needsValue(column.apiName)
    try {
      return conditionOfValue(column, 'exact', value)
    } catch {
      throw needsValue(column.apiName)
    }
  })
  return { type: 'and', conditions }
}

/**
 * True if a write of another transaction can be the cause of the error.
 *
 * @param isWithin  true in a transaction of the caller, which a deadlock ends as a whole
 */
function isRace(error: unknown, columns: readonly Column[], isWithin: boolean): boolean {
  if (!(error instanceof Problem)) return !isWithin && unavailability(error) === 'busy'
  if (error.status === 404) return true
  const { errors = [], status } = error
  const names = columns.map(({ apiName }) => apiName)
  return (
    status === 409 &&
    errors.length > 0 &&
    errors.every(({ field, rule }) => rule === 'unique' && names.includes(field))
  )
}
