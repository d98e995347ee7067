import type { TableIntrospection } from '#base/database/introspection'
import { readTables } from '#base/database/read_tables'
import type { Resource } from './resource.js'

/**
 * Reads the introspection of the tables of resources, each table once, and all tables of one connection
 * together: one by one, hundreds of models would need thousands of queries at the start.
 *
 * @returns null for a missing table; nothing for an unsupported database
 */
export async function introspectTables(
  resources: Iterable<Resource>
): Promise<Map<Resource, TableIntrospection | null>> {
  const introspections = new Map<Resource, TableIntrospection | null>()
  const connections = Map.groupBy(resources, (resource) => resource.client().connectionName)
  for (const asking of connections.values()) {
    const tables = [...new Set(asking.map(({ table }) => table))]
    const known = await readTables(asking[0].client(), tables)
    if (!known) continue
    for (const resource of asking) introspections.set(resource, known.get(resource.table) ?? null)
  }
  return introspections
}
