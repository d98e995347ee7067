import type { IncomingReference } from '../../resource/incoming_references.js'
import type { Resource } from '../../resource/resource.js'

/** A `hasMany` or `hasOne` that no foreign key of the database ties. */
interface UnboundReference extends Omit<IncomingReference, 'onDelete'> {
  onDelete: 'leave'
}

/**
 * The relations of a model to known models which the database does not know of: it leaves their records alone.
 *
 * @param bound  the foreign keys of the database
 */
export function unboundReferences(
  { model, columns }: Resource,
  bound: readonly IncomingReference[],
  known: readonly Resource[]
): UnboundReference[] {
  const found: UnboundReference[] = []
  for (const relation of model.$relationsDefinitions.values()) {
    if (relation.type !== 'hasMany' && relation.type !== 'hasOne') continue
    relation.boot()
    const related = relation.relatedModel()
    const other = known.find((one) => one.model === related)
    const column = other?.columns.find(relation.foreignKey)?.name
    const target = columns.find(relation.localKey)?.name
    if (!other || column === undefined || target === undefined) continue
    const table = other.table.split('.').at(-1)!
    const isKnown = [...bound, ...found].some(
      (one) => one.table === table && one.columns.length === 1 && one.columns[0] === column
    )
    if (!isKnown) found.push({ table, columns: [column], references: [target], onDelete: 'leave' })
  }
  return found
}
