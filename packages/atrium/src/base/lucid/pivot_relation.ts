import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import type { ManyToManyRelationContract } from '@adonisjs/lucid/types/relations'
import { onQueryOf, pivotTimestampsOf } from '#upstream/lucid_relations'
import { isSecretName } from '../values/text.js'

type Relation = ManyToManyRelationContract<LucidModel, LucidModel>

/** A booted many-to-many relation of a model. */
export class PivotRelation {
  /** API name */
  readonly name: string
  /** The pivot table */
  readonly table: string
  /** Columns of the pivot table with the keys of the model's record and of the related record */
  readonly pair: readonly [string, string]
  /** Attributes whose values these columns contain: the model's, and the related model's */
  readonly attributes: readonly [string, string]
  /** Other columns of the pivot table that the model declares */
  readonly columns: readonly string[]
  /** Columns of the pivot table that Lucid sets to the current time */
  readonly stamps: readonly string[]
  /** False if the relation has additional conditions, so that it does not include all pivot rows */
  readonly isWhole: boolean

  constructor(readonly relation: Relation) {
    relation.boot()
    this.name = relation.serializeAs!
    this.table = relation.pivotTable
    this.pair = [relation.pivotForeignKey, relation.pivotRelatedForeignKey]
    this.attributes = [relation.localKey, relation.relatedKey]
    this.stamps = pivotTimestampsOf(relation)
    this.columns = relation.pivotColumns.filter(
      (one) => !this.pair.includes(one) && !this.stamps.includes(one)
    )
    this.isWhole = !onQueryOf(relation)
  }

  get relatedModel(): LucidModel {
    return this.relation.relatedModel()
  }

  /** Returns the value that identifies a record in the record's pivot rows. */
  keyOf(record: LucidRow): unknown {
    return (record as unknown as Record<string, unknown>)[this.attributes[0]]
  }
}

const RELATIONS = new WeakMap<LucidModel, readonly PivotRelation[]>()

/**
 * Returns the many-to-many relations of a model that responses and events are allowed to show: those with an API name
 * that is not that of a column or a secret. Relations that Lucid can't use are left out.
 */
export function pivotRelationsOf(model: LucidModel): readonly PivotRelation[] {
  let relations = RELATIONS.get(model)
  if (!relations) {
    const taken = new Set(
      [...model.$columnsDefinitions.values()].map(({ serializeAs }) => serializeAs)
    )
    relations = [...model.$relationsDefinitions.values()]
      .filter(
        (relation): relation is Relation =>
          relation.type === 'manyToMany' &&
          relation.serializeAs !== null &&
          !taken.has(relation.serializeAs) &&
          ![relation.relationName, relation.serializeAs].some(isSecretName)
      )
      .flatMap((relation) => (isUsable(relation) ? new PivotRelation(relation) : []))
    RELATIONS.set(model, relations)
  }
  return relations
}

/** Returns a relation by its name in the model or in the API. */
export function pivotRelationOf(model: LucidModel, name: string): PivotRelation | undefined {
  const relations = pivotRelationsOf(model)
  return (
    relations.find(({ relation }) => relation.relationName === name) ??
    relations.find((one) => one.name === name)
  )
}

/** False if the keys of the relation are not columns. */
function isUsable(relation: Relation): boolean {
  try {
    relation.boot()
    return true
  } catch {
    return false
  }
}
