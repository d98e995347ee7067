import { isDeepStrictEqual } from 'node:util'
import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { KeyValue } from '#base/columns/key'
import { endLongTurn } from '#base/event_loop'
import { fromStored } from '#base/values/stored_json'
import { writtenColumns, type Reversal } from '../../events/reversal.js'
import { plainValues } from '../../lucid/direct_writes.js'
import { noteKey } from '#base/items'
import type { Item } from '../../types.js'
import { type CallOptions, clientFor } from '../call_options.js'
import { decidedForCreate } from '../create.js'
import type { CrudContext } from '../crud_context.js'
import { operationOf, type RevertOptions } from '../revert.js'
import { updateItem } from '../update.js'
import { insertRows, updateRows, type RowChange } from './statement_path.js'
import {
  canReadTogether,
  changesByStatement,
  rowByStatement,
  stampsByStatement,
} from './write_path.js'
import { runWrite } from './record_path.js'
import { ROWS_PER_WRITE, chunks, KEYS_PER_CONDITION, VALUES_PER_STATEMENT } from '#base/chunks'

type Row = Record<string, unknown>

/** New values of an item, by attribute name */
export interface ItemChange {
  key: KeyValue
  values: Readonly<Row>
}

/**
 * Stores new items, many per statement. See `LucidCrud.createMany`.
 *
 * @param create  stores one item on the record path
 */
export async function createMany(
  context: CrudContext,
  all: readonly Row[],
  { returning = true, ...options }: CallOptions & { returning?: boolean },
  create: (values: Row, options: CallOptions) => Promise<Item>
): Promise<Item[]> {
  const { resource } = context
  const client = await clientFor(resource, options)
  const rows = await rowsOf(context, all, client, options, returning)
  return await runWrite(context, options, async (transaction) => {
    const items: Item[] = []
    if (rows) {
      const stored = await insertRows(context, alikeParts(rows), transaction)
      if (!returning) return []
      return stored.map((row) => noteKey(resource.reader.itemOfRow(row)!, resource.key.ofRow(row)))
    }
    for (const values of all) {
      await endLongTurn()
      const item = await create(values, { ...options, client: transaction })
      if (returning) items.push(item)
    }
    return items
  })
}

/** Returns the rows to insert; undefined if any row requires a Lucid record */
async function rowsOf(
  context: CrudContext,
  all: readonly Row[],
  client: QueryClientContract,
  options: CallOptions,
  needsItems: boolean
): Promise<Row[] | undefined> {
  const rows: Row[] = []
  for (const values of all) {
    await endLongTurn()
    const decided = decidedForCreate(context.resource, values, options)
    const row = await rowByStatement(context, decided, client, options, needsItems)
    if (!row) return undefined
    rows.push(row)
  }
  return rows
}

/** Yields consecutive rows with the same columns, grouped. */
function* alikeParts(rows: readonly Row[]): Generator<Row[]> {
  let part: Row[] = []
  let names = ''
  for (const row of rows) {
    const columns = Object.keys(row)
    const own = columns.join()
    const most = Math.min(ROWS_PER_WRITE, Math.floor(VALUES_PER_STATEMENT / columns.length))
    if (part.length > 0 && (own !== names || part.length >= most)) {
      yield part
      part = []
    }
    names = own
    part.push(row)
  }
  if (part.length > 0) yield part
}

/** Changes items, many per statement. See `LucidCrud.updateTogether`. */
export async function updateTogether(
  context: CrudContext,
  all: readonly ItemChange[],
  options: CallOptions
): Promise<boolean> {
  const client = await clientFor(context.resource, options)
  if (!client.isTransaction || !(await canReadTogether(context, client))) return false
  await runWrite(context, options, async (transaction) => {
    for (const some of chunks(all, KEYS_PER_CONDITION)) {
      const changes = await rowChanges(context, some, transaction, options)
      if (changes) await updateRows(context, changes, transaction, options)
      else await updateEach(context, some, transaction, options)
    }
  })
  return true
}

async function updateEach(
  context: CrudContext,
  all: readonly ItemChange[],
  client: TransactionClientContract,
  options: CallOptions
): Promise<void> {
  const keys = all.map(({ key }) => key)
  const located = await context.records.locateMany(keys, client, options, true)
  for (const [index, { values }] of all.entries()) {
    const own = { ...options, client, joins: true, located: located[index] }
    await updateItem(context, keys[index], values, own)
  }
}

/** Returns the changes of rows; undefined if any change requires a Lucid record */
async function rowChanges(
  context: CrudContext,
  all: readonly ItemChange[],
  client: QueryClientContract,
  options: CallOptions
): Promise<RowChange[] | undefined> {
  const groups = new Groups()
  for (const { key, values } of all) {
    const row = () => changesByStatement(context, values, client, options)
    if (!(await groups.add(key, values, row))) return undefined
  }
  return groups.changes
}

/** Reverts items, many per statement. See `LucidCrud.revertTogether`. */
export async function revertTogether(
  context: CrudContext,
  all: ReadonlyArray<{ key: KeyValue; reversal: Reversal }>,
  options: RevertOptions & Required<Pick<RevertOptions, 'whole'>>
): Promise<boolean> {
  const { resource } = context
  const { whole } = options
  await resource.load(whole)
  const stamps = await stampsByStatement(context, whole, options)
  if (!stamps) return false
  const columns = writtenColumns(resource).filter((column) => !resource.isStamp(column))
  const groups = new Groups()
  for (const { key, reversal } of all) {
    if (!resource.permits(operationOf(resource, reversal))) return false
    const before = reversal.before!
    const changed = columns.filter(({ name }) => name in before)
    if (changed.length === 0) return false
    const values = Object.fromEntries(changed.map(({ name }) => [name, fromStored(before[name])]))
    if (!(await groups.add(key, values, () => plainValues({ ...values, ...stamps })))) return false
  }
  await updateRows(context, groups.changes, whole, options, 'include')
  return true
}

/** List of changes in which consecutive changes with the same values are merged. */
class Groups {
  readonly changes: RowChange[] = []
  #last: Row | undefined

  /** Adds the change of one item; returns false if the values cannot be converted to a row */
  async add(key: KeyValue, values: Row, rowOf: () => Row | null | Promise<Row | null>) {
    if (this.#last && isDeepStrictEqual(this.#last, values)) {
      this.changes.at(-1)!.keys.push(key)
      return true
    }
    const row = await rowOf()
    if (row) this.changes.push({ row, keys: [key] })
    this.#last = values
    return row !== null
  }
}
