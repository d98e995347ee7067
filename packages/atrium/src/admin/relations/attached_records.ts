import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { keyOf } from '#base/items'
import { ListRequest } from '#crud/internals'
import { pivotTableOf } from '#base/database/pivot_table'
import { readersOf } from '#base/database/sqlite/sqlite_connection'
import type { KeyValue } from '#base/columns/key'
import { isDeletedItem } from '../record/item_of.js'
import type { ModelView } from '../model_view.js'
import type { ManyToMany } from './many_to_many.js'

/* Pivot rows of one record that are looked at: records out of sight are among them. */
const MOST_ROWS = 5000

/* Databases limit the values of one statement. */
const KEYS_AT_ONCE = 500

/** The records attached to another one */
export interface Attached {
  records: AttachedRecord[]
  /** True if there are more than were asked for */
  isMore: boolean
  /** True if one of them is attached more than once */
  hasTwins: boolean
}

/** A record that is attached to another one. */
export interface AttachedRecord {
  /** Value that pivot rows have for it, as text */
  value: string
  label: string
  key: KeyValue
  isDeleted: boolean
  /** The pivot row, by column name */
  row: Record<string, unknown>
}

/**
 * The records attached to a record that the signed-in user may see, by title. Two queries. [R3, U4]
 *
 * @param many   as the user may see it
 * @param limit  most records
 */
export async function attachedRecords(
  ctx: HttpContext,
  view: ModelView,
  { reference, relation }: ManyToMany,
  record: LucidRow,
  limit: number
): Promise<Attached> {
  const key = relation.keyOf(record)
  const client = readersOf(view.client()) ?? view.client()
  const table = await pivotTableOf(client, relation.table)
  const [own, other] = relation.pair
  const options = { limit: MOST_ROWS + 1 }
  const rows = key === null ? [] : await table.rows(client, { [own]: [key] }, options)
  const byValue = new Map(rows.map((row) => [String(table.toApi(other, row[other])), row]))
  const found = await readRecords(ctx, reference, byValue)
  const records = found.toSorted((one, next) => one.label.localeCompare(next.label))
  return {
    records: records.slice(0, limit),
    isMore: records.length > limit || rows.length > MOST_ROWS,
    hasTwins: byValue.size < rows.length,
  }
}

async function readRecords(
  ctx: HttpContext,
  { target, view }: ManyToMany['reference'],
  rows: ReadonlyMap<string, Record<string, unknown>>
): Promise<AttachedRecord[]> {
  const values = [...rows.keys()]
  const found: AttachedRecord[] = []
  for (let start = 0; start < values.length; start += KEYS_AT_ONCE) {
    const some = values.slice(start, start + KEYS_AT_ONCE)
    const request = new ListRequest(
      [{ type: 'list', column: target, values: some, negate: false }],
      [],
      { shape: 'offset', offset: 0, limit: some.length },
      'include',
      { count: false }
    )
    const { data } = await view.crud.getMulti(request, { ...view.callOptions(ctx), keys: true })
    for (const item of data) {
      const key = keyOf(item)!
      const place = view.resource.key.columns.indexOf(target)
      const value = String(place < 0 ? item[target.apiName] : key[place])
      const row = rows.get(value)
      if (!row) continue
      const isDeleted = isDeletedItem(view, item)
      found.push({ value, label: view.titleOf(item), key, isDeleted, row })
    }
  }
  return found
}
