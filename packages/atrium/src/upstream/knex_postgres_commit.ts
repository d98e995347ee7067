/*
 * knex 3.3.0, pg 8.23.1: if a statement of a transaction has failed, PostgreSQL handles COMMIT as ROLLBACK, which only
 * the command in the result shows. Knex does not check it, and its `commit()` resolves. No issue known for Knex;
 * https://github.com/knex/knex/issues/3370 is about a COMMIT that fails. The code can be removed when the test "knex
 * still treats a COMMIT that was rolled back as successful" fails; the source texts are checked when a connection is
 * configured.
 */
import { createRequire } from 'node:module'
import { expectLibrary, hasText } from './expect_library.js'

const load = createRequire(import.meta.url)

type Callback = (error: Error | null, result?: { command?: string }) => void

/** The part of the driver `pg` that is used here. */
export interface PostgresConnection {
  query(config: string | { text: string }, ...rest: unknown[]): unknown
}

/**
 * Checks the parts of Knex that this file relies on.
 *
 * @throws Exception  when Knex commits with another statement, or passes it to the driver in a different way
 */
export function checkLibrary({
  Transaction = load('knex/lib/execution/transaction.js'),
  PostgresClient = load('knex/lib/dialects/postgres/index.js'),
}: Record<string, any> = {}): void {
  const query = PostgresClient.prototype._query
  expectLibrary('knex', 'knex_postgres_commit', {
    "'COMMIT;' in Transaction#commit": hasText(Transaction.prototype.commit, "'COMMIT;'"),
    'text: obj.sql in Client_PG#_query': hasText(query, 'text: obj.sql'),
    'connection.query(queryConfig, function in Client_PG#_query': hasText(
      query,
      'connection.query(queryConfig, function'
    ),
  })
}

/** Makes a COMMIT on the connection fail if PostgreSQL has rolled back instead. */
export function refuseUndoneCommit(connection: PostgresConnection): void {
  const query = connection.query.bind(connection)
  connection.query = (config, ...rest) => {
    const callback = rest.at(-1)
    const isCommit = typeof config === 'object' && config.text === 'COMMIT;'
    if (!isCommit || typeof callback !== 'function') return query(config, ...rest)
    const guarded: Callback = (error, result) => {
      const isUndone = !error && result?.command === 'ROLLBACK'
      ;(callback as Callback)(isUndone ? rolledBack() : error, result)
    }
    return query(config, ...rest.slice(0, -1), guarded)
  }
}

function rolledBack(): Error {
  return new Error('The transaction was rolled back, as one of its statements had failed')
}
