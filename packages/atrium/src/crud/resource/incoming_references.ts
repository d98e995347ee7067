import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { referencesTo, type ReferenceTo } from '#base/database/references_to'
import type { Resource } from './resource.js'

/** A foreign key of another table, or of the same, that refers to a model's table. */
export type IncomingReference = ReferenceTo

const KNOWN = new WeakMap<Resource, readonly IncomingReference[]>()

/**
 * The foreign keys of the database that refer to a model's table. Read once per process: a new one needs a
 * restart of the server, like a new column.
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
