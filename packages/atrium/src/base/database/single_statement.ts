import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { dialectOf } from './dialects.js'
import type { Sql } from '../sql/sql.js'
import { commitGroupsOf } from './sqlite/sqlite_connection.js'
import { withWriter } from './with_connection.js'

type Row = Record<string, unknown>

/**
 * Writes with one statement, which is stored as a whole or not at all, so that BEGIN and COMMIT are not needed. On
 * SQLite, a statement that has to wait for other writes shares their commit.
 *
 * @param client     no transaction
 * @param committed  called with the rows of its `returning` after the commit, in the order of the writes; must not throw
 * @returns the rows
 * @throws the database's error
 */
export async function runSingleStatement(
  client: QueryClientContract,
  { sql, bindings }: Sql,
  committed: (rows: Row[]) => void = () => {}
): Promise<Row[]> {
  const dialect = dialectOf(client)
  const command = (text: string) => dialect.statement(client, text, [])
  const run = dialect.statement(client, sql, bindings)
  const groups = commitGroupsOf(client)
  if (groups) return await groups.runStatement(client, { command, run, committed })
  const rows = await withWriter(client, run)
  committed(rows)
  return rows
}
