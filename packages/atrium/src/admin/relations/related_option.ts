import type { LucidModel } from '@adonisjs/lucid/types/model'

/**
 * Names of the relations whose records are listed below a record: those of the option `related`, else every
 * `hasMany` without conditions of its own, which a list does not know.
 */
export function relatedNames(model: LucidModel, option: Iterable<string> | undefined): string[] {
  if (option) return [...new Set(option)]
  return [...model.$relationsDefinitions]
    .filter(([, relation]) => relation.type === 'hasMany' && isWhole(relation))
    .map(([name]) => name)
}

/**
 * Errors of the option `related`.
 */
export function relatedFault(model: LucidModel, names: Iterable<string>): string | null {
  for (const name of names) {
    const relation = model.$relationsDefinitions.get(name)
    if (relation?.type !== 'hasMany' && relation?.type !== 'hasOne') {
      return `related names '${name}', which is not a hasMany or hasOne relation of the model`
    }
    if (!isWhole(relation)) {
      return `related names '${name}', whose onQuery can't be applied to a list`
    }
  }
  return null
}

/** Conditions of a relation's own narrow it to less than the foreign key says. */
function isWhole(relation: object): boolean {
  return !(relation as { onQueryHook?: unknown }).onQueryHook
}
