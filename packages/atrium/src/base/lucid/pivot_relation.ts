import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import type { ManyToManyRelationContract } from '@adonisjs/lucid/types/relations'
import { isSecretName } from '../values/secret_name.js'

type Relation = ManyToManyRelationContract<LucidModel, LucidModel>

/** A many-to-many relation of a model, booted. */
export class PivotRelation {
  /** Name in the API */
  readonly name: string
  /** Table of the rows that tie the records */
  readonly table: string
  /** Its columns with the keys of the model's record and of the related one */
  readonly pair: readonly [string, string]
  /** Attributes that these columns contain: the model's, and the related model's */
  readonly attributes: readonly [string, string]
  /** Its other columns, as far as the model declares them */
  readonly columns: readonly string[]
  /** Its columns that Lucid sets to the current time */
  readonly stamps: readonly string[]
  /** False if the relation has conditions of its own, which narrow it to less than the pivot rows say */
  readonly isWhole: boolean

  constructor(readonly relation: Relation) {
    relation.boot()
    this.name = relation.serializeAs!
    this.table = relation.pivotTable
    this.pair = [relation.pivotForeignKey, relation.pivotRelatedForeignKey]
    this.attributes = [relation.localKey, relation.relatedKey]
    /* Not among Lucid's types */
    this.stamps = (relation as unknown as { pivotTimestamps: string[] }).pivotTimestamps
    this.columns = relation.pivotColumns.filter(
      (one) => !this.pair.includes(one) && !this.stamps.includes(one)
    )
    this.isWhole = !(relation as { onQueryHook?: unknown }).onQueryHook
  }

  get relatedModel(): LucidModel {
    return this.relation.relatedModel()
  }

  /** The key of a record by which pivot rows refer to it. */
  keyOf(record: LucidRow): unknown {
    return (record as unknown as Record<string, unknown>)[this.attributes[0]]
  }
}

const RELATIONS = new WeakMap<LucidModel, readonly PivotRelation[]>()

/**
 * The many-to-many relations of a model that responses and events may show: those with a name in the API that is
 * not that of a column or of a secret. One that Lucid can't use is left out. [E4]
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

/** The same relation by its name in the model or in the API. */
export function pivotRelationOf(model: LucidModel, name: string): PivotRelation | undefined {
  const relations = pivotRelationsOf(model)
  return (
    relations.find(({ relation }) => relation.relationName === name) ??
    relations.find((one) => one.name === name)
  )
}

/** False if its keys are not columns. */
function isUsable(relation: Relation): boolean {
  try {
    relation.boot()
    return true
  } catch {
    return false
  }
}
