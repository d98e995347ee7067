/* Captures the queries of a piece of work, including prepared statements. */
import db from '@adonisjs/lucid/services/db'
import { dialectOf } from '#base/database/dialects'
import { readersOf } from '#base/database/sqlite/sqlite_connection'

/**
 * @returns the SQL of all queries, in order
 */
export async function queriesOf(work: () => Promise<unknown>): Promise<string[]> {
  const queries: string[] = []
  const writer = db.connection()
  const clients = [writer, readersOf(writer)].flatMap((one) => one?.getWriteClient() ?? [])
  const note = ({ sql }: { sql: string }) => void queries.push(sql)
  for (const client of clients) client.on('query', note)

  /* Knex's events do not cover statements that a connection keeps prepared. */
  const dialect = dialectOf(writer)
  const { selectRows, statement } = dialect
  let isNoted = false
  dialect.selectRows = function (client, sql, values) {
    if (!client.debug) queries.push(sql)
    /* It may run the statement by the method below, before it returns. */
    isNoted = true
    const rows = selectRows.call(this, client, sql, values)
    isNoted = false
    return rows
  }
  dialect.statement = function (client, sql, values) {
    if (!isNoted) queries.push(sql)
    return statement.call(this, client, sql, values)
  }
  try {
    await work()
  } finally {
    delete (dialect as Partial<typeof dialect>).selectRows
    delete (dialect as Partial<typeof dialect>).statement
    for (const client of clients) client.removeListener('query', note)
  }
  return queries
}
