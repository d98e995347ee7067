import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { pivotTableOf, type PivotTable } from '#base/database/pivot_table'
import { identityOf, type KeyValue } from '#base/columns/key'
import { pivotRelationsOf, type PivotRelation } from '#base/lucid/pivot_relation'
import type { Resource } from '../resource/resource.js'
import { pivotChange, type PivotChange } from '#base/database/pivot_change'
import { isSecretName } from '#base/values/text'
import { isWatched } from './observers.js'
import { isSame, toJson } from '#base/values/to_api'
import { Write, type Changes } from './write.js'
import { scopeOf } from './write_scope.js'
import { copyAttributes } from '#base/lucid/exact_attributes'

type Row = Record<string, unknown>

/** Pivot rows of a record; for a relation with additional conditions also the keys that meet them */
interface Tied {
  table: PivotTable
  rows: Row[]
  keys?: unknown[]
}

/**
 * Changes of a record's many-to-many relations during a write of the record. Pivot rows are not records; their changes
 * are part of the record's write.
 */
export class Pivots {
  readonly #before = new Map<PivotRelation, Tied>()

  private constructor(
    private readonly resource: Resource,
    private readonly record: LucidRow,
    private readonly relations: readonly PivotRelation[]
  ) {}

  /**
   * Reads the relations of a record, if events of its model report them.
   *
   * @param isNew  true if the record is not stored yet, so its relations are empty
   */
  static async of(
    resource: Resource,
    record: LucidRow,
    { isNew = false } = {}
  ): Promise<Pivots | undefined> {
    const relations = loggedRelations(resource)
    if (relations.length === 0 || !isWatched(resource.model)) return undefined
    const pivots = new Pivots(resource, record, relations)
    for (const relation of relations) {
      if (!isNew) pivots.#before.set(relation, await tiedTo(resource, record, relation))
    }
    return pivots
  }

  /**
   * Adds the changes since `of` to the record's write in the current action, or creates such a write.
   */
  async note(client: TransactionClientContract): Promise<void> {
    const changes: Changes = {}
    /* Each row change is noted once, because several relations can use the same rows. */
    const rows = new Map<string, PivotChange>()
    for (const relation of this.relations) {
      const now = await tiedTo(this.resource, this.record, relation)
      const old = this.#before.get(relation) ?? { table: now.table, rows: [] }
      const values = { old: loggedValue(relation, old), new: loggedValue(relation, now) }
      const change = pivotChange(relation, old.rows, now.rows)
      if (change) rows.set(JSON.stringify([change.table, change.pair]), change)
      if (!isSame(values.old, values.new)) changes[relation.name] = values
    }
    if (Object.keys(changes).length + rows.size === 0) return
    noteChanges(this.resource, this.record, changes, client, [...rows.values()])
  }
}

/**
 * Adds changes of a record's relations to the record's write in the action that runs in the transaction, or creates
 * such a write.
 *
 * @param changes  the related keys, by relation name
 * @param rows     the changed pivot rows; undefined if they are not known, so the change can't be reverted
 */
export function noteChanges(
  resource: Resource,
  record: LucidRow,
  changes: Changes,
  client: TransactionClientContract,
  rows?: readonly PivotChange[]
): void {
  noteChangesOf(resource, resource.key.of(record), record, changes, client, rows)
}

/**
 * Adds changes of relations like `noteChanges`, by the record's key.
 *
 * @param record  null for a record that the action has deleted
 */
export function noteChangesOf(
  resource: Resource,
  key: KeyValue,
  record: LucidRow | null,
  changes: Changes,
  client: TransactionClientContract,
  rows?: readonly PivotChange[]
): void {
  const scope = scopeOf(client)
  if (!scope || !isWatched(resource.model)) return
  const id = identityOf(key)
  const writes = scope.writes.filter(
    (write) => write.model === resource.model && identityOf(write.key) === id
  )
  if (writes.length === 0) {
    if (!record) return
    const { actor, origin } = scope
    const [before, after] = [copyAttributes(record), copyAttributes(record)]
    const write = new Write(resource, record, before, after, { actor, origin, leavesRow: true })
    scope.writes.push(write)
    writes.push(write)
  }
  for (const write of writes) write.addChanges(changes)
  if (rows) writes[0].pivots.push(...rows)
  else writes[0].hasUnreportedRelations = true
}

/** Returns the relations to log, without relations that show only a part of the rows of another one. */
function loggedRelations({ model }: Resource): PivotRelation[] {
  const all = pivotRelationsOf(model)
  const isPartOf = (one: PivotRelation) => (other: PivotRelation) =>
    other.isWhole && other.table === one.table && isSame(other.pair, one.pair)
  return all.filter((one) => one.isWhole || !all.some(isPartOf(one)))
}

/** Returns the sorted keys of the related records, with the pivot columns that the model declares. */
export function loggedValue(
  relation: PivotRelation,
  { table, rows, keys }: { table: PivotTable; rows: readonly Row[]; keys?: unknown[] }
): unknown[] {
  if (keys) return keys
  const [, other] = relation.pair
  const columns = relation.columns.filter((name) => !isSecretName(name))
  const sorted = rows
    .map((row) => ({ row, key: toJson(table.toApi(other, row[other])) }))
    .toSorted((one, next) => inOrder(one.key, next.key))
  if (columns.length === 0) return sorted.map(({ key }) => key)
  return sorted.map(({ row, key }) => ({
    id: key,
    ...Object.fromEntries(columns.map((name) => [name, toJson(table.toApi(name, row[name]))])),
  }))
}

/** Reads the pivot rows of a record. */
export async function pivotRowsOf(
  relation: PivotRelation,
  key: unknown,
  client: QueryClientContract
): Promise<{ table: PivotTable; rows: Row[] }> {
  const table = await pivotTableOf(client, relation.table)
  if (key === null || key === undefined) return { table, rows: [] }
  return { table, rows: await table.rows(client, { [relation.pair[0]]: [key] }) }
}

async function tiedTo(
  resource: Resource,
  record: LucidRow,
  relation: PivotRelation
): Promise<Tied> {
  const client = record.$trx ?? resource.client()
  const tied = await pivotRowsOf(relation, relation.keyOf(record), client)
  if (relation.isWhole) return tied
  const [, attribute] = relation.attributes
  const related: Row[] = await (record as any).related(relation.relation.relationName).query()
  return { ...tied, keys: related.map((one) => toJson(one[attribute])).toSorted(inOrder) }
}

function inOrder(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return String(one) < String(other) ? -1 : 1
}
