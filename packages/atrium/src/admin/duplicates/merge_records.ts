import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { Problem } from '#crud'
import { gatherWrites, moveReferences } from '#crud/internals'
import { chunks, ROWS_PER_WRITE } from '#base/chunks'
import type { Column } from '#base/columns/column'
import { identityOf, type KeyValue } from '#base/columns/key'
import { inTransaction } from '#base/database/transaction'
import { UnknownKey } from '#base/errors'
import { NotAllowed } from '../http/errors.js'
import { may } from '../permissions/may.js'
import type { ModelView } from '../views/model_view.js'
import { isDeletedRecord } from '../views/record_items.js'
import type { Site } from '../views/site.js'
import { Exception } from '@adonisjs/core/exceptions'

/** What a user has chosen for a merge. */
export interface Merge {
  /** Keys of all records of the merge, including the target */
  keys: readonly KeyValue[]
  /** Key of the record that remains */
  target: KeyValue
  /** The record from which each field of the target gets its value, by API name; other fields stay unchanged */
  from: ReadonlyMap<string, KeyValue>
  /** Versions of the records that the user saw, in the order of `keys` */
  versions: readonly string[]
}

type WriteOptions = Pick<ReturnType<ModelView['callOptions']>, 'actor' | 'origin'> & {
  client: TransactionClientContract
}

/** Returns the views whose records can refer to those of a view. */
export function referringViews(site: Site, view: ModelView): ModelView[] {
  return [...site.models.values()].filter(
    (other) => !other.adminModel && refersTo(other, view.base)
  )
}

function refersTo({ model }: ModelView, { model: target }: ModelView): boolean {
  return [...model.$relationsDefinitions.values()].some((relation) => {
    if (relation.type !== 'belongsTo' && relation.type !== 'manyToMany') return false
    relation.boot()
    return relation.relatedModel() === target
  })
}

/**
 * Returns true if the user can merge records of the view: update and delete them, and update the records of all models
 * that refer to these records.
 */
export async function mayMerge(ctx: HttpContext, site: Site, view: ModelView): Promise<boolean> {
  const own = (await may(ctx, view, 'update')) && (await may(ctx, view, 'delete'))
  if (!own) return false
  for (const other of referringViews(site, view)) {
    if (!(await may(ctx, other, 'update'))) return false
  }
  return true
}

/**
 * Merges records: references to the other records move to the target, which gets the chosen values, and the other
 * records are deleted. One transaction, and one event.
 *
 * @param fields  columns of the form that the user can change
 * @param within  client of a transaction that the merge takes part in
 * @throws MergeRefused  if a record has changed, or records that the user cannot change refer to one of them
 * @throws NotAllowed    if the user cannot merge records of the view
 * @throws Problem       if a write fails
 */
export async function mergeRecords(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  fields: readonly Column[],
  merge: Merge,
  within?: QueryClientContract
): Promise<LucidRow> {
  if (!(await mayMerge(ctx, site, view))) throw new NotAllowed()
  const { crud, resource } = view
  const { actor, client: outer, origin } = view.callOptions(ctx)
  origin.action = 'merge'
  origin.form = { model: view.name, id: resource.key.toPath(merge.target).slice(1) }
  return await inTransaction(within ?? outer, (client) =>
    gatherWrites(client, { model: resource.model, actor, origin }, async () => {
      const options = { client, actor, origin }
      const records = await locked(view, merge.keys, options)
      const seen = records.map((record) => resource.columns.versionOf(record))
      if (seen.some((version, index) => version !== merge.versions[index])) {
        throw new MergeRefused(409, 'merge.changed')
      }
      const isTarget = (key: KeyValue) => identityOf(key) === identityOf(merge.target)
      const target = records[merge.keys.findIndex(isTarget)]
      const others = records.filter((record) => record !== target)
      const notePivots = await move(ctx, site, view, { target, others }, options)
      const values = chosenValues(view, fields, merge, records, target)
      await crud.deleteMany(
        others.map((record) => resource.key.of(record)),
        options
      )
      const files = new Set(Object.values(values).filter((one) => typeof one === 'string'))
      await crud.update(plain(view, merge.target), values, { ...options, files })
      await notePivots()
      return target
    })
  )
}

/**
 * Returns the records in the order of `keys`. Locks them in the order of their ids, so that concurrent merges of the
 * same records do not deadlock.
 */
async function locked(
  view: ModelView,
  keys: readonly KeyValue[],
  options: WriteOptions
): Promise<LucidRow[]> {
  const found = new Map<string, LucidRow>()
  for (const [id, key] of keys.map((one) => [identityOf(one), one] as const).toSorted()) {
    const record = await view.crud.find(plain(view, key), { ...options, lock: true })
    if (!record) throw new MergeRefused(409, 'merge.gone')
    found.set(id, record)
  }
  return keys.map((key) => found.get(identityOf(key))!)
}

/**
 * Changes all references to the other records so that they refer to the target, with the permissions of the user.
 *
 * @returns see `moveReferences`
 * @throws MergeRefused  if the user cannot see or change a record that refers to one of the others
 */
async function move(
  ctx: HttpContext,
  site: Site,
  { resource }: ModelView,
  merged: { target: LucidRow; others: readonly LucidRow[] },
  options: WriteOptions
): Promise<() => Promise<void>> {
  const views = [...site.models.values()].filter(({ adminModel }) => !adminModel)
  try {
    return await moveReferences(resource, merged, {
      ...options,
      resources: views.map((one) => one.base.resource),
      move: async ({ column, resource: referring }, records, value) => {
        const other = views.find((one) => one.resource === referring)!
        await refer(await other.for(ctx), column, records, value, options)
      },
    })
  } catch (error) {
    const isRefused = error instanceof Problem && error.status === 403
    throw isRefused || error instanceof UnknownKey ? new MergeRefused(403, 'merge.unseen') : error
  }
}

/** Writes a value to the column of locked records. */
async function refer(
  view: ModelView,
  { attribute }: Column,
  all: readonly LucidRow[],
  value: unknown,
  options: WriteOptions
): Promise<void> {
  const values = { [attribute]: value }
  for (const records of chunks(all, ROWS_PER_WRITE)) {
    const present = records.filter((record) => !isDeletedRecord(view, record))
    const changes = present.map((record) => ({ key: view.resource.key.of(record), values }))
    const isDone = changes.length > 0 && (await view.crud.updateTogether(changes, options))
    for (const record of isDone ? records.filter((one) => !present.includes(one)) : records) {
      const id = plain(view, view.resource.key.of(record))
      await view.crud.update(id, values, { ...options, located: record })
    }
  }
}

/** Returns the values that the target gets from others, by attribute name. */
function chosenValues(
  { resource }: ModelView,
  fields: readonly Column[],
  { from, keys }: Merge,
  records: readonly LucidRow[],
  target: LucidRow
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const { apiName, attribute } of fields) {
    const key = from.get(apiName)
    const index = keys.findIndex((one) => key && identityOf(one) === identityOf(key))
    const source = records[index]
    if (source && source !== target) values[attribute] = source.$attributes[attribute]
  }
  /*
   * A reference of the target to one of the deleted records would become a reference to the target itself, so it is
   * cleared.
   */
  const others = new Set(records.filter((one) => one !== target).map((one) => one.$primaryKeyValue))
  for (const relation of resource.model.$relationsDefinitions.values()) {
    if (relation.type !== 'belongsTo' || relation.relatedModel() !== resource.model) continue
    relation.boot()
    const name = relation.foreignKey
    const value = name in values ? values[name] : target.$attributes[name]
    if (others.has(value as never) || value === target.$primaryKeyValue) values[name] = null
  }
  return values
}

function plain({ resource }: ModelView, key: KeyValue): unknown {
  return resource.key.isComposite ? key : key[0]
}

/** Returns the columns whose value a merge can take from another record: those of the form. */
export function mergeFields({ resource }: ModelView): Column[] {
  return resource.updateBody.fields.flatMap(({ column }) =>
    column && !column.isPrimary && !column.hidden && resource.fields.includes(column)
      ? [column]
      : []
  )
}

/** Returns true for a field without a value. */
export function isEmptyField(column: Column, record: LucidRow): boolean {
  return [null, undefined, ''].includes(record.$attributes[column.attribute])
}

/** A merge that is not possible, with the catalogue key of its message. */
export class MergeRefused extends Exception {
  constructor(
    status: number,
    readonly key: string,
    readonly data: Record<string, unknown> = {}
  ) {
    super(key, { status })
  }
}
