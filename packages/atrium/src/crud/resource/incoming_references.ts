import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { referencesTo, type ReferenceTo } from '#base/database/references_to'
import type { Resource } from './resource.js'

/** A foreign key that refers to a model's table, from another table or the same one. */
export type IncomingReference = ReferenceTo

const KNOWN = new WeakMap<Resource, readonly IncomingReference[]>()

/**
 * Returns the foreign keys of the database that refer to a model's table. Read once per process: like a new column, a
 * new foreign key requires a restart of the server.
 */
export async function incomingReferences(
  { base }: Resource,
  client: QueryClientContract
): Promise<readonly IncomingReference[]> {
  let known = KNOWN.get(base)
  if (!known) {
    const found = await referencesTo(client, base.table)
    known = found.map((one) =>
      one.references.length > 0
        ? one
        : { ...one, references: base.key.columns.map(({ name }) => name) }
    )
    KNOWN.set(base, known)
  }
  return known
}
