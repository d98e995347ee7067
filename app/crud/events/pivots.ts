import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { ManyToManyRelationContract } from '@adonisjs/lucid/types/relations'
import type { Resource } from '../resource/resource.js'
import { isSecretName } from './secrets.js'
import { isWatched } from './watch.js'
import { isSame, toJson, Write, type Changes } from './write.js'
import { scopeOf } from './write_scope.js'

type Relation = ManyToManyRelationContract<any, any>
type Keys = Map<Relation, unknown[]>

const RELATIONS = new WeakMap<Resource, readonly Relation[]>()

/**
 * Changes of a record's many-to-many relations by own code while the record is written. Pivot rows are
 * not records; their changes are part of the record's own write. [E3]
 */
export class Pivots {
  readonly #before: Keys = new Map()

  private constructor(
    private readonly resource: Resource,
    private readonly record: LucidRow,
    private readonly relations: readonly Relation[]
  ) {}

  /**
   * Reads the record's relations, if events of its model report any.
   *
   * @param isNew  true if the record is not stored yet, so that its relations are empty
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
      pivots.#before.set(relation, isNew ? [] : await relatedKeys(record, relation))
    }
    return pivots
  }

  /** Adds the changes since then to the record's write in the action, or creates such a write. */
  async note(client: TransactionClientContract): Promise<void> {
    const changes: Changes = {}
    for (const relation of this.relations) {
      const old = this.#before.get(relation)
      const now = await relatedKeys(this.record, relation)
      if (!isSame(old, now)) changes[relation.serializeAs!] = { old, new: now }
    }
    if (Object.keys(changes).length > 0) {
      noteChanges(this.resource, this.record, changes, client)
    }
  }
}

/**
 * Adds changes of a record's relations to its write in the action that runs in the transaction, or creates such
 * a write.
 *
 * @param changes  the keys of the related records, by relation name
 */
export function noteChanges(
  resource: Resource,
  record: LucidRow,
  changes: Changes,
  client: TransactionClientContract
): void {
  const scope = scopeOf(client)
  if (!scope || !isWatched(resource.model)) return
  let writes = scope.writes.filter((write) => write.record === record)
  if (writes.length === 0) {
    const { $attributes } = record
    const { actor, origin } = scope
    const write = new Write(
      resource,
      record,
      { ...$attributes },
      { ...$attributes },
      { actor, origin }
    )
    scope.writes.push(write)
    writes = [write]
  }
  for (const write of writes) write.addChanges(changes)
}

/** The relations that the model's answers may show. [E4] */
function loggedRelations(resource: Resource): readonly Relation[] {
  let relations = RELATIONS.get(resource)
  if (!relations) {
    const taken = new Set(resource.columns.all.map(({ apiName }) => apiName))
    relations = [...resource.model.$relationsDefinitions.values()].filter(
      (relation): relation is Relation =>
        relation.type === 'manyToMany' &&
        relation.serializeAs !== null &&
        !taken.has(relation.serializeAs) &&
        ![relation.relationName, relation.serializeAs].some(isSecretName)
    )
    for (const relation of relations) relation.boot()
    RELATIONS.set(resource, relations)
  }
  return relations
}

/** The keys of the related records, as the pivot rows store them, sorted. */
async function relatedKeys(record: LucidRow, relation: Relation): Promise<unknown[]> {
  const column = relation.pivotRelatedForeignKey
  const rows: Array<Record<string, unknown>> = await (record as any)
    .related(relation.relationName)
    .pivotQuery()
    .select(column)
  return rows.map((row) => toJson(row[column])).toSorted(inOrder)
}

function inOrder(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return String(one) < String(other) ? -1 : 1
}
