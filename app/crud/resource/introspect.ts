import type { TableFacts } from '../database/introspection.js'
import { readTables } from '../database/read_tables.js'
import type { Resource } from './resource.js'

/**
 * What the databases know of the tables of resources; of each table once, and of those on one
 * connection together: one by one, hundreds of models would take thousands of queries to start.
 *
 * @returns null for a table that does not exist; nothing where the database is not supported
 */
export async function readFacts(
  resources: Iterable<Resource>
): Promise<Map<Resource, TableFacts | null>> {
  const facts = new Map<Resource, TableFacts | null>()
  const connections = Map.groupBy(resources, (resource) => resource.client().connectionName)
  for (const asking of connections.values()) {
    const tables = [...new Set(asking.map(({ table }) => table))]
    const known = await readTables(asking[0].client(), tables)
    if (!known) continue
    for (const resource of asking) facts.set(resource, known.get(resource.table) ?? null)
  }
  return facts
}
