import { splitFilterName } from '#base/columns/filter'
import { accessToInclude } from '../endpoints/access.js'
import { RelatedPath } from '../operations/related/related_path.js'
import type { Resource } from '../resource/resource.js'

/** Loads the resources of the relations that the filters of a resource name. */
export async function loadRelated(resource: Resource): Promise<void> {
  const { openNames, relatedNames } = resource.filters
  const places = relatedNames.map((name) => splitFilterName(name).column.split('.').slice(0, -1))
  for (const place of [...places, ...[...openNames].map((name) => [name])]) {
    await RelatedPath.load(resource, place)
  }
}

/** Returns the names of related fields that the list can be sorted by. */
export function relatedSorts(resource: Resource): string[] {
  const { filters } = resource
  const declared = filters.relatedNames.map((name) => splitFilterName(name).column)
  const open = [...filters.openNames].flatMap((relation) =>
    fieldsOf(resource, relation).map(({ apiName }) => `${relation}.${apiName}`)
  )
  return [...new Set([...declared, ...open])].filter((place) => {
    const path = pathOf(resource, place)
    return path?.isToOne && path.resource.sortable.has(lastOf(place))
  })
}

/** Returns the fields of a relation's records. */
export function fieldsOf(resource: Resource, relation: string) {
  return pathOf(resource, `${relation}.`)?.resource.fields ?? []
}

/**
 * Returns the path of the relations in a name; null for an unknown path, or one whose records no caller can read.
 *
 * @param place  relations and a field, such as `distributor.name`
 */
export function pathOf(resource: Resource, place: string): RelatedPath | null {
  const path = RelatedPath.unrestricted(resource, place.split('.').slice(0, -1))
  return path?.includes.every((include) => accessToInclude(include)) ? path : null
}

/** Returns the field at the end of a name such as `distributor.name`. */
export function lastOf(place: string): string {
  return place.split('.').at(-1)!
}
