import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Column } from '#base/columns/column'
import type { PivotRelation } from '#base/lucid/pivot_relation'
import { keyOf } from '#base/items'
import { ListRequest } from '#crud/internals'
import { pivotTableOf } from '#base/database/pivot_table'
import { readersOf } from '#base/database/sqlite/sqlite_connection'
import type { KeyValue } from '#base/columns/key'
import type { ModelView, ViewSite } from '../views/model_view.js'
import { personal } from '../permissions/may.js'
import { isDeletedItem } from '../views/record_items.js'
import type { Reference } from './references.js'
import { ROWS_PER_READ, chunks } from '#base/chunks'

/** A many-to-many relation between a view and another model of the site. */
export interface ManyToMany {
  /** API name, which is also the name of the form field */
  name: string
  label: string
  relation: PivotRelation
  /** Provides choices and titles like a reference to the other model. */
  reference: Reference
}

/** Returns the many-to-many relations of a view, regardless of the user. */
function manyToManyOf(site: ViewSite, view: ModelView): ManyToMany[] {
  return view.manyToMany.flatMap((relation): ManyToMany[] => {
    const other = [...site.models.values()].find(({ model }) => model === relation.relatedModel)
    const [own, target] = [view, other].map((one, index) => {
      const attribute = relation.attributes[index]
      return one?.resource.columns.all.find((column) => column.attribute === attribute)
    })
    if (!other || !own || !target || isHidden(own) || isHidden(target)) return []
    const { name } = relation
    const reference = { column: own, view: other, target }
    return [{ name, label: view.labelOf(name), relation, reference }]
  })
}

/**
 * Returns the many-to-many relations of a view that are visible to the signed-in user: without those whose other model
 * the user is not allowed to view, or whose field the roles hide on any record.
 *
 * @param view  view with the permissions of the user's roles
 */
export async function seenManyToMany(
  ctx: HttpContext,
  site: ViewSite,
  view: ModelView
): Promise<ManyToMany[]> {
  const { projection } = view.resource
  const relations = manyToManyOf(site, view).filter(
    ({ name }) => !projection?.hidden.has(name) && !projection?.mixed.has(name)
  )
  const seen = await Promise.all(
    relations.map(async (one) => {
      const { column, target, view: other } = one.reference
      if (!(await other.isVisibleTo(ctx))) return null
      if (!other.resource.isLoaded) await other.resource.load()
      const own = await personal(ctx, other)
      const found = own?.resource.columns.find(target.apiName)
      if (!own || !found || isHidden(found)) return null
      return { ...one, reference: { column, view: own, target: found } }
    })
  )
  return seen.filter((one) => one !== null)
}

/** Returns whether a column is hidden. Primary keys never count as hidden, because every link contains the key. */
function isHidden({ hidden, isPrimary }: Column): boolean {
  return hidden && !isPrimary
}

/* Maximum number of pivot rows of one record to read, including those of records that are not visible. */
const MOST_ROWS = 5000

/** The records attached to a record */
export interface Attached {
  records: AttachedRecord[]
  /** True if there are more than were requested */
  isMore: boolean
  /** True if a record is attached more than once */
  hasDuplicates: boolean
}

/** A record that is attached to another record. */
export interface AttachedRecord {
  /** Value that identifies the record in pivot rows, as text */
  value: string
  label: string
  key: KeyValue
  isDeleted: boolean
  /** Row of the pivot table, by column name */
  row: Record<string, unknown>
}

/**
 * Returns those attached records of a record that the signed-in user is allowed to see, ordered by title. Runs one
 * query for the pivot rows, and one for each chunk of records.
 *
 * @param many   relation as visible to the user
 * @param limit  maximum number of records
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
    hasDuplicates: byValue.size < rows.length,
  }
}

async function readRecords(
  ctx: HttpContext,
  { target, view }: ManyToMany['reference'],
  rows: ReadonlyMap<string, Record<string, unknown>>
): Promise<AttachedRecord[]> {
  const values = [...rows.keys()]
  const found: AttachedRecord[] = []
  for (const some of chunks(values, ROWS_PER_READ)) {
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
