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
 * What own code does to the many-to-many relations of a record while it is written. The rows between the
 * two tables are nobody's records; that they changed is a part of the record's own write. [E3]
 */
export class Pivots {
  readonly #before: Keys = new Map()

  private constructor(
    private readonly resource: Resource,
    private readonly record: LucidRow,
    private readonly relations: readonly Relation[]
  ) {}

  /**
   * Begins to look at the record's relations, if events of its model can tell of any.
   *
   * @param isNew  whether the record is not stored yet, and so has nothing in its relations
   */
  static async of(
    resource: Resource,
    record: LucidRow,
    { isNew = false } = {}
  ): Promise<Pivots | undefined> {
    const relations = toldRelations(resource)
    if (relations.length === 0 || !isWatched(resource.model)) return undefined
    const pivots = new Pivots(resource, record, relations)
    for (const relation of relations) {
      pivots.#before.set(relation, isNew ? [] : await relatedKeys(record, relation))
    }
    return pivots
  }

  /**
   * Adds what has changed since to the record's writes of the action, or makes one of it.
   */
  async note(client: TransactionClientContract): Promise<void> {
    const changes: Changes = {}
    for (const relation of this.relations) {
      const old = this.#before.get(relation)
      const now = await relatedKeys(this.record, relation)
      if (!isSame(old, now)) changes[relation.serializeAs!] = { old, new: now }
    }
    if (Object.keys(changes).length === 0) return
    const scope = scopeOf(client)!
    let writes = scope.writes.filter(({ record }) => record === this.record)
    if (writes.length === 0) {
      const { $attributes } = this.record
      const { actor, origin } = scope
      const write = new Write(
        this.resource,
        this.record,
        { ...$attributes },
        { ...$attributes },
        { actor, origin }
      )
      scope.writes.push(write)
      writes = [write]
    }
    for (const write of writes) write.addChanges(changes)
  }
}

/** Those that answers may show, by the model itself. [E4] */
function toldRelations(resource: Resource): readonly Relation[] {
  let relations = RELATIONS.get(resource)
  if (!relations) {
    const taken = new Set(resource.columns.all.map(({ wire }) => wire))
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

/**
 * The keys of the related records, by what the rows between the tables hold of them, in their order.
 */
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
