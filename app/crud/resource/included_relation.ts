import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import type { RelationshipsContract } from '@adonisjs/lucid/types/relations'
import type { Query, StoredColumn } from '../database/dialect.js'
import { listed, ValueError } from '../errors.js'
import type { Column } from './column.js'
import type { ColumnSet } from './column_set.js'
import { throughModelOf } from '#upstream/lucid_through_model'

/** The properties of the related resource that are needed here. */
interface RelatedTable {
  readonly table: string
  readonly columns: ColumnSet
}

/** The column that links a related row to the items that include it. */
export interface RelatedColumn {
  table: string
  column: StoredColumn
}

/** A relation whose items a model's answers can include. [Q3] */
export class RelationTo<Related extends RelatedTable> {
  /** Name in the API: the relation's `serializeAs` */
  readonly name: string
  /** True for a list of items; false for one item or null */
  readonly isList: boolean
  /** The column of the including model that links it to the related rows */
  readonly column: Column

  readonly #relation: RelationshipsContract
  readonly #resourceOf: (model: LucidModel) => Related

  /**
   * @param relation    booted
   * @param resourceOf  returns the resource of a related model
   */
  constructor(
    relation: RelationshipsContract,
    columns: ColumnSet,
    resourceOf: (model: LucidModel) => Related
  ) {
    this.#relation = relation
    this.#resourceOf = resourceOf
    this.name = relation.serializeAs!
    this.isList = !['belongsTo', 'hasOne'].includes(relation.type)
    const attribute = relation.type === 'belongsTo' ? relation.foreignKey : relation.localKey
    this.column = columns.all.find((one) => one.attribute === attribute)!
  }

  /**
   * The resource of the related model: that of its first endpoints, if it has any. Resolved after all
   * models are known, as two may include each other.
   */
  get resource(): Related {
    return this.#resourceOf(this.#relation.relatedModel())
  }

  /** True if the relation goes through another table. */
  get isIndirect(): boolean {
    return ['manyToMany', 'hasManyThrough'].includes(this.#relation.type)
  }

  get relatedColumn(): RelatedColumn {
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
          table: throughModelOf(relation).table,
          column: { name: relation.foreignKeyColumnName, kind, sqlType },
        }
    }
  }

  /**
   * Begins the query of the related rows, with the relation's own `onQuery`.
   *
   * @param values  of the including items' column, as the driver returned them; none of them null
   */
  query(client: QueryClientContract, values: readonly unknown[]): Query {
    const parents = values.map((value) => ({ [this.column.attribute]: value }))
    return (this.#relation as any).eagerQuery(parents, client) as Query
  }
}

/**
 * The relations of the option `include`, by their name or their API name. [Q3]
 *
 * @param taken  API names of the items' other fields
 * @throws ValueError  for an unknown relation, or one that cannot be included
 */
export function includedRelationsOf<Related extends RelatedTable>(
  model: LucidModel,
  names: Iterable<string>,
  columns: ColumnSet,
  taken: readonly string[],
  resourceOf: (model: LucidModel) => Related
): Map<string, RelationTo<Related>> {
  const relations = [...model.$relationsDefinitions.values()] as RelationshipsContract[]
  const includes = new Map<string, RelationTo<Related>>()
  for (const name of names) {
    const relation =
      relations.find(({ relationName }) => relationName === name) ??
      relations.find(({ serializeAs }) => serializeAs === name)
    const fault = relation ? faultOf(relation, taken) : noRelation(relations)
    if (fault) throw new ValueError(`${model.name}: include names '${name}', ${fault}`)
    const include = new RelationTo(relation!, columns, resourceOf)
    includes.set(include.name, include)
  }
  return includes
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
    return `which has the same name '${serializeAs}' in the API as a field; give one of them another serializeAs`
  }
  try {
    relation.boot()
  } catch (error) {
    return `which can't be used: ${(error as Error).message}`
  }
}
