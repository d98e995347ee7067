import type { TransactionClientContract, QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { ManyToManyClientContract } from '@adonisjs/lucid/types/relations'
import type { PivotTable } from '#base/database/pivot_table'
import { RuntimeError } from '#base/errors'
import { fieldsReadOnly } from '#base/http/access_problems'
import { invalidBody } from '#base/http/problems'
import { pivotRowsOf } from '../../events/pivots.js'
import { isSame, toJson } from '#base/values/to_api'
import { pivotRelationOf, type PivotRelation } from '#base/lucid/pivot_relation'
import {
  type CallOptions,
  MOST_RELATED,
  type PivotValues,
  type RelatedWrites,
  type WantedRelated,
} from '../call_options.js'
import type { CrudContext } from '../crud_context.js'
import { unwritableFields } from '../writes/written_fields.js'
import { chunks, ROWS_PER_READ } from '#base/chunks'
import db from '@adonisjs/lucid/services/db'
import { currentActor } from '#base/actor'
import type { Condition } from '#base/columns/condition'
import { isExcludedFromInclude } from '../../resource/included_relation.js'
import { knownResources } from '../../resource/resource.js'
import type { DeletedMode } from '#base/columns/soft_delete'
import { Records } from '../records.js'

type Row = Record<string, unknown>

/**
 * Attaches and detaches related records with Lucid's methods, in the transaction of the write. Records that the actor
 * is not allowed to see can't be attached, and remain attached; deleted records can't be attached.
 *
 * @param writes  undefined to leave the relations unchanged
 * @throws RuntimeError  for a name that is not a relation of the model
 * @throws Problem 403   for a relation that is read-only for the actor
 * @throws Problem 422   for keys that can't be attached, or too many keys
 */
export async function attachRelated(
  { resource }: CrudContext,
  operation: 'create' | 'update',
  record: LucidRow,
  writes: RelatedWrites | undefined,
  client: TransactionClientContract,
  options: CallOptions
): Promise<void> {
  if (!writes || writes.size === 0) return
  const fields = [...writes.keys()].map((apiName) => ({ apiName }))
  const refused = await unwritableFields(resource, operation, fields, record, client, options)
  if (refused.length > 0) throw fieldsReadOnly(refused.map(({ apiName }) => apiName))
  for (const [name, wanted] of writes) {
    const relation = pivotRelationOf(resource.model, name)
    if (!relation?.isWhole) {
      throw new RuntimeError(
        `${resource.name}: ${name} is not a many-to-many relation that can be written`
      )
    }
    await new Attachment(relation, record, client, options).write(wanted)
  }
}

class Attachment {
  readonly #related: ManyToManyClientContract<any, any>

  constructor(
    private readonly relation: PivotRelation,
    private readonly record: LucidRow,
    private readonly client: TransactionClientContract,
    private readonly options: CallOptions
  ) {
    record.useTransaction(client)
    this.#related = (record as any).related(relation.relation.relationName)
  }

  async write({ keys, shown, values = new Map() }: WantedRelated): Promise<void> {
    const wanted = byText(keys)
    if (wanted.size > MOST_RELATED)
      throw this.#error(`has ${wanted.size} values, and must have ${MOST_RELATED} at most`, 'max')
    const { present, rows, table } = await this.#present()
    const seen = await this.#visible([...present.values()], 'include')
    const begun = shown ? byText(shown) : seen

    /* An attached record outside the actor's scope is handled like one that is not attached. */
    const missing = [...wanted].filter(([id]) => !begun.has(id) && !seen.has(id))
    const added = await this.#visible(
      missing.map(([, key]) => key),
      'exclude'
    )
    const unknown = missing.filter(([id]) => !added.has(id)).map(([, key]) => key)
    if (unknown.length > 0) throw this.#unknown(unknown)
    const removed = [...seen].filter(([id]) => begun.has(id) && !wanted.has(id))
    await this.#detach(removed.map(([id]) => present.get(id)))
    await this.#attach(added, values, table)
    const stored = [...values].filter(([id]) => wanted.has(id) && seen.has(id))
    for (const [id, wish] of stored) await this.#change(id, wish, rows.get(id)!, table)
  }

  /** Reads the attached related keys from the pivot table, by the text of each key. */
  async #present() {
    const [, column] = this.relation.pair
    const { rows, table } = await pivotRowsOf(
      this.relation,
      this.relation.keyOf(this.record),
      this.client
    )
    const keyOf = (row: Row) => table.toApi(column, row[column])
    return {
      table,
      present: byText(rows.map(keyOf)),
      rows: new Map(rows.map((row) => [String(keyOf(row)), row])),
    }
  }

  async #visible(keys: readonly unknown[], deleted: 'include' | 'exclude') {
    if (keys.length === 0) return new Map<string, unknown>()
    return await visibleRelated(this.relation, keys, this.client, this.options, deleted)
  }

  async #attach(
    keys: ReadonlyMap<string, unknown>,
    values: ReadonlyMap<string, PivotValues>,
    table: PivotTable
  ): Promise<void> {
    const plain: unknown[] = []
    for (const [id, key] of keys) {
      const own = values.get(id)?.values ?? {}
      this.#checkRequired(id, own, table)
      if (Object.keys(own).length === 0) plain.push(key)
      else await this.#related.attach({ [id]: own as Row }, this.client)
    }
    for (const some of chunks(plain, ROWS_PER_READ))
      await this.#related.attach(some as any[], this.client)
  }

  #checkRequired(id: string, values: Readonly<Row>, table: PivotTable) {
    const given = [...this.relation.pair, ...this.relation.stamps]
    const missing = table.columns.find(({ name }) => {
      const { autoIncrement, hasDefault, nullable } = table.column(name)!
      const isNeeded = !nullable && !hasDefault && !autoIncrement && !given.includes(name)
      return isNeeded && (values[name] ?? null) === null
    })
    if (missing) throw this.#error(`needs the ${missing.name} of ${id}`, 'pivot')
  }

  /** Updates the columns of a pivot row that already existed. */
  async #change(id: string, { begun, values }: PivotValues, row: Row, table: PivotTable) {
    const now = (name: string) => toJson(table.toApi(name, row[name]))
    const changed = Object.keys(values).filter(
      (name) => !isSame(now(name), toJson(table.toApi(name, values[name])))
    )
    if (changed.length === 0) return
    const lost = changed.find((name) => begun && !isSame(now(name), begun[name] ?? null))
    if (lost) {
      const value = String(now(lost) ?? 'nothing').slice(0, 80)
      throw this.#error(
        `was changed by another user in the meantime: the ${lost} of ${id} is ${value} now`,
        'changed'
      )
    }
    const written = Object.fromEntries(changed.map((name) => [name, values[name]]))
    await this.#related.sync({ [id]: written as Row }, false, this.client)
  }

  /** Detaches the keys. An empty list is never passed to Lucid, which would detach all records. */
  async #detach(keys: readonly unknown[]): Promise<void> {
    for (const some of chunks(keys, ROWS_PER_READ))
      await this.#related.detach(some as any[], this.client)
  }

  #unknown(keys: readonly unknown[]) {
    const named = keys.slice(0, 10).map((key) => String(key).slice(0, 80))
    const rest = keys.length > named.length ? ', …' : ''
    const names = `${named.join(', ')}${rest}`
    const reason = keys.length === 1 ? `${names}, which is` : `${names}, which are`
    return this.#error(`names ${reason} nothing that can be chosen`, 'foreign_key')
  }

  #error(reason: string, rule: string) {
    const { name } = this.relation
    return invalidBody([{ field: name, rule, message: `The ${name} field ${reason}` }])
  }
}

function byText(keys: readonly unknown[]): Map<string, unknown> {
  return new Map(keys.map((key) => [String(key), key]))
}

/**
 * Returns those related records that the actor is allowed to see by roles, scope and policy.
 *
 * @param keys  values of the column that the relation refers to
 * @returns the stored values of this column, by their text
 */
export async function visibleRelated(
  relation: PivotRelation,
  keys: readonly unknown[],
  client: QueryClientContract,
  options: CallOptions,
  deleted: DeletedMode
): Promise<Map<string, unknown>> {
  const known = new Map<string, unknown>()
  const resource = knownResources.of(relation.relatedModel)
  const reader = clientOf(relation, client)
  await resource.load(reader)
  const actor = options.actor ?? currentActor()
  /*
   * The site's own models are not restricted: roles cannot grant access to them, and they are only offered to
   * superusers.
   */
  const seen = isExcludedFromInclude(resource.model) ? resource : await resource.for(actor, reader)
  const [, attribute] = relation.attributes
  const column = seen.columns.all.find((one) => one.attribute === attribute)
  if (!seen.permits('read') || !column) return known

  const records = new Records(seen)
  for (const values of chunks(keys, ROWS_PER_READ)) {
    const condition: Condition = { type: 'list', column, values, negate: false }
    const narrow = records.byConditions({ conditions: [condition], deleted }, reader, options)
    for (const record of await seen.reader.records(reader, narrow)) {
      if (!(await records.allows('read', options, record))) continue
      const key = (record as LucidRow & Record<string, unknown>)[attribute]
      known.set(String(key), key)
    }
  }
  return known
}

/** Returns the transaction's client, unless the other model is in another database. */
function clientOf({ relatedModel }: PivotRelation, client: QueryClientContract) {
  const { connection } = relatedModel
  const isElsewhere = connection !== undefined && connection !== client.connectionName
  return isElsewhere && db.manager.has(connection) ? db.connection(connection) : client
}
