import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { dialectOf } from './dialects.js'
import type { Sql } from '../sql/sql.js'
import { commitGroupsOf } from './sqlite/sqlite_connection.js'
import { withWriter } from './with_connection.js'

/**
 * Writes with one statement, which is stored as a whole or not at all, so that it needs neither BEGIN nor COMMIT. On
 * SQLite, a statement that has to wait for other writes shares their commit.
 *
 * @param client  no transaction
 * @returns the rows of its `returning`, after the commit
 * @throws the database's error
 */
export async function runSingleStatement(
  client: QueryClientContract,
  { sql, bindings }: Sql
): Promise<Array<Record<string, unknown>>> {
  const statement = dialectOf(client).statement(client, sql, bindings)
  const groups = commitGroupsOf(client)
  return groups ? await groups.runStatement(client, statement) : await withWriter(client, statement)
}
