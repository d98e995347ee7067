import type { Actor } from '#crud'
import { Records, type Resource } from '#crud/internals'
import type { KeyValue } from '#base/columns/key'

/**
 * True if a record exists, deleted or not, that scopes or roles hide from the actor.
 */
export async function isHiddenRecord(
  resource: Resource,
  key: KeyValue,
  actor: Actor
): Promise<boolean> {
  const seen = await resource.for(actor)
  if (!seen.scope) return false
  const client = resource.client()
  if (!(await resource.reader.attributes(client, key))) return false
  return (await new Records(seen).itemOf(key, client, { actor })) === null
}
