import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import type { RelationshipsContract } from '@adonisjs/lucid/types/relations'
import type { Query, StoredColumn } from '../database/dialect.js'
import { listed, ValueError } from '../errors.js'
import type { Column } from './column.js'
import type { ColumnSet } from './column_set.js'
import { knownResource } from './known_resources.js'
import type { Resource } from './resource.js'

/**
 * Where the value stands that ties a related row to the items that include it.
 */
export interface Link {
  table: string
  column: StoredColumn
}

/**
 * A relation whose items a model's answers can embed. [Q3]
 */
export class Inclusion {
  /** What the wire calls it: the relation's `serializeAs` */
  readonly name: string
  /** Whether it is a list of items, or one item or null */
  readonly isList: boolean
  /** The column of the including model whose value ties it to the others */
  readonly column: Column

  readonly #relation: RelationshipsContract
  readonly #create: (model: LucidModel) => Resource

  /**
   * @param relation  booted
   * @param create    makes the resource of a related model that nobody knows
   */
  constructor(
    relation: RelationshipsContract,
    columns: ColumnSet,
    create: (model: LucidModel) => Resource
  ) {
    this.#relation = relation
    this.#create = create
    this.name = relation.serializeAs!
    this.isList = !['belongsTo', 'hasOne'].includes(relation.type)
    const attribute = relation.type === 'belongsTo' ? relation.foreignKey : relation.localKey
    this.column = columns.all.find((one) => one.attribute === attribute)!
  }

  /**
   * What is known of the related model: the one whose endpoints came first, if it has any. Only asked
   * for once all models are there, as two may include each other.
   */
  get resource(): Resource {
    return knownResource(this.#relation.relatedModel(), this.#create)
  }

  /**
   * Whether other tables stand between the two.
   */
  get isIndirect(): boolean {
    return ['manyToMany', 'hasManyThrough'].includes(this.#relation.type)
  }

  get link(): Link {
    const relation = this.#relation
    const { columns, table } = this.resource
    const own = (attribute: string) => columns.all.find((one) => one.attribute === attribute)!
    const { kind, sqlType } = this.column
    switch (relation.type) {
      case 'belongsTo':
        return { table, column: own(relation.localKey) }
      case 'hasOne':
      case 'hasMany':
        return { table, column: own(relation.foreignKey) }
      case 'manyToMany':
        return {
          table: relation.pivotTable,
          column: { name: relation.pivotForeignKey, kind, sqlType },
        }
      case 'hasManyThrough':
        return {
          table: (relation as any).throughModel().table,
          column: { name: relation.foreignKeyColumnName, kind, sqlType },
        }
    }
  }

  /**
   * Begins the query of the related rows, with what the relation's own `onQuery` wants of it.
   *
   * @param values  of the including items' column, as the driver gave them; none of them null
   */
  query(client: QueryClientContract, values: readonly unknown[]): Query {
    const parents = values.map((value) => ({ [this.column.attribute]: value }))
    return (this.#relation as any).eagerQuery(parents, client) as Query
  }
}

/**
 * The relations that the option `include` names, by their name or their wire name. [Q3]
 *
 * @param taken  wire names that the items use already
 * @throws ValueError  for a name that is no relation, or a relation that can't be included
 */
export function inclusionsOf(
  model: LucidModel,
  names: Iterable<string>,
  columns: ColumnSet,
  taken: readonly string[],
  create: (model: LucidModel) => Resource
): Map<string, Inclusion> {
  const relations = [...model.$relationsDefinitions.values()] as RelationshipsContract[]
  const inclusions = new Map<string, Inclusion>()
  for (const name of names) {
    const relation =
      relations.find(({ relationName }) => relationName === name) ??
      relations.find(({ serializeAs }) => serializeAs === name)
    const fault = relation ? faultOf(relation, taken) : noRelation(relations)
    if (fault) throw new ValueError(`${model.name}: include names '${name}', ${fault}`)
    const inclusion = new Inclusion(relation!, columns, create)
    inclusions.set(inclusion.name, inclusion)
  }
  return inclusions
}

function noRelation(relations: RelationshipsContract[]): string {
  return relations.length === 0
    ? 'but the model has no relations'
    : `which is no relation of the model; its relations are ${listed(relations.map((one) => one.relationName))}`
}

/** Completes "include names 'x', ..." */
function faultOf(relation: RelationshipsContract, taken: readonly string[]): string | undefined {
  const { serializeAs } = relation
  if (!serializeAs) {
    return 'which answers must not hold, as its serializeAs is null; give it a name or leave it out'
  }
  if (taken.includes(serializeAs)) {
    return `which has the same name '${serializeAs}' on the wire as a field; give one of them another serializeAs`
  }
  try {
    relation.boot()
  } catch (error) {
    return `which can't be used: ${(error as Error).message}`
  }
}
