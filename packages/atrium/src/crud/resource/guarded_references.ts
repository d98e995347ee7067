import { connectionOf } from '#base/database/connection_of'
import type { Column } from '#base/columns/column'
import { knownResources, type Resource } from './resource.js'

/** A reference of a record, by one or more columns, to models with a policy or a scope. */
export interface GuardedReference {
  /** Columns of the record; `references` are the columns of the other table, in the same order */
  columns: readonly Column[]
  references: readonly string[]
  /** The models of the other table that have a policy or a scope */
  targets: readonly Resource[]
}

interface Resolved {
  /** Value of `knownResources.changes` when the references were computed */
  changes: number
  references: readonly GuardedReference[]
}

const RESOLVED = new WeakMap<Resource, Resolved>()

/**
 * Returns the references of a model's records to records with a policy or a scope: through its belongs-to relations and
 * the foreign keys of the table. Computed again only when the known resources change.
 */
export function guardedReferencesOf(resource: Resource): readonly GuardedReference[] {
  const known = RESOLVED.get(resource)
  if (known?.changes === knownResources.changes) return known.references
  const references = referencesGuardedBy(resource, isGuarded)
  /* Foreign keys are known only after the table is loaded. */
  if (resource.isLoaded) RESOLVED.set(resource, { changes: knownResources.changes, references })
  return references
}

/** Returns the references to models for which the given function returns true. */
export function referencesGuardedBy(
  resource: Resource,
  isGuard: (target: Resource) => boolean
): GuardedReference[] {
  const guardsOf = (table: string, references: readonly string[]) =>
    targetsOf(resource, table, references).filter(isGuard)
  const declared = [...declaredReferences(resource)].map(({ column, related, target }) => {
    const references = [target]
    const targets = isGuard(related) ? [related] : guardsOf(related.table, references)
    return { columns: [column], references, targets }
  })
  const known = new Set(declared.map(({ columns }) => columns[0]))
  const constrained = resource.foreignKeys.flatMap(({ columns: names, table, references }) => {
    const columns = names.flatMap((name) => resource.columns.all.find((one) => one.name === name)!)
    const isKnown = columns.length === 1 && known.has(columns[0])
    return isKnown || columns.includes(undefined!)
      ? []
      : [{ columns, references, targets: guardsOf(table, references) }]
  })
  return [...declared, ...constrained].filter(({ targets }) => targets.length > 0)
}

/** Yields the belongs-to relations of the model; the related model comes before other models of the same table. */
function* declaredReferences(
  resource: Resource
): Iterable<{ column: Column; related: Resource; target: string }> {
  for (const relation of resource.model.$relationsDefinitions.values()) {
    if (relation.type !== 'belongsTo') continue
    relation.boot()
    const related = knownResources.of(relation.relatedModel())
    const column = resource.columns.all.find(({ attribute }) => attribute === relation.foreignKey)
    const target = related.columns.all.find(({ attribute }) => attribute === relation.localKey)
    if (!column || !target) continue
    yield { column, related, target: target.name }
  }
}

/** Returns the models to which records of a model can refer. */
export function referredTo(resource: Resource): ReadonlySet<Resource> {
  const constrained = resource.foreignKeys.flatMap(({ table }) => knownResources.ofTable(table))
  const declared = [...declaredReferences(resource)].map(({ related }) => related)
  const others = declared.flatMap(({ table }) => knownResources.ofTable(table))
  return new Set([...declared, ...others, ...constrained])
}

function targetsOf({ model }: Resource, table: string, references: readonly string[]): Resource[] {
  return knownResources
    .ofTable(table)
    .filter(
      (one) =>
        connectionOf(one.model) === connectionOf(model) &&
        references.every((name) => one.columns.all.some((column) => column.name === name))
    )
}

/** True if a policy or a scope restricts the model's records. */
export function isGuarded({ policy, scope }: Resource): boolean {
  return policy !== undefined || scope !== undefined
}
