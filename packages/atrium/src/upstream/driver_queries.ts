/*
 * `query` of a driver's connection, as Knex 3.3.0 calls it, with a callback:
 * - pg 8.23.1: `detail`, `where` and `internalQuery` of an error can quote the whole row; mysql2 3.24.6: `sql` is the
 *   statement with its values. Values must not be logged. The drivers have no option to prevent it, which is their
 *   intended behaviour, so no issue is known.
 * - PostgreSQL handles COMMIT as ROLLBACK if a statement of the transaction has failed, which only the command in the
 *   result shows. Knex does not check it, and its `commit()` resolves. No issue known for Knex;
 *   https://github.com/knex/knex/issues/3370 is about a COMMIT that fails.
 *
 * The first part can be removed when the tests "an error of pg by itself still contains values of the row" and "an error
 * of mysql2 by itself still contains values of the row" fail, the second when "knex still treats a COMMIT that was rolled
 * back as successful" does; its source texts are checked when a connection is configured.
 */
import { createRequire } from 'node:module'
import { expectLibrary, hasText } from './expect_library.js'

const load = createRequire(import.meta.url)

/** The part of a driver's connection that is used here. */
export interface QueryConnection {
  query(statement: any, ...rest: unknown[]): unknown
}

type Callback = (error: Error | null, ...results: any[]) => void

/**
 * Checks the parts of Knex that this file relies on.
 *
 * @throws Exception  when Knex commits with another statement, or passes it to pg in a different way
 */
export function checkLibrary({
  Transaction = load('knex/lib/execution/transaction.js'),
  PostgresClient = load('knex/lib/dialects/postgres/index.js'),
}: Record<string, any> = {}): void {
  const query = PostgresClient.prototype._query
  expectLibrary('knex', 'driver_queries', {
    "'COMMIT;' in Transaction#commit": hasText(Transaction.prototype.commit, "'COMMIT;'"),
    'text: obj.sql in Client_PG#_query': hasText(query, 'text: obj.sql'),
    'connection.query(queryConfig, function in Client_PG#_query': hasText(
      query,
      'connection.query(queryConfig, function'
    ),
  })
}

/**
 * Makes a COMMIT on a `pg` connection fail if PostgreSQL has rolled back instead. Removes the properties of the
 * connection's errors that quote a row, and stores the server's message as `reason`, because Knex puts the statement
 * with its values before it.
 */
export function repairPostgresQueries(connection: QueryConnection): void {
  changeErrors(connection, (error, statement, result) => {
    if (!error) return isUndone(statement, result) ? rolledBack() : null
    noteReason(error)
    for (const name of ['detail', 'where', 'internalQuery']) Reflect.deleteProperty(error, name)
    return error
  })
}

/** Makes the statement in errors of a `mysql2` connection non-enumerable, so that loggers do not write it. */
export function repairMysqlQueries(connection: QueryConnection): void {
  changeErrors(connection, (error) => {
    if (error && 'sql' in error) Object.defineProperty(error, 'sql', { enumerable: false })
    return error
  })
}

/** Stores a driver's message as `reason`, a property that loggers do not write and Knex does not change. */
export function noteReason(error: unknown): void {
  if (!(error instanceof Error) || 'reason' in error) return
  Object.defineProperty(error, 'reason', { value: error.message })
}

function changeErrors(
  connection: QueryConnection,
  change: (error: Error | null, statement: unknown, result: unknown) => Error | null
): void {
  const query = connection.query.bind(connection)
  connection.query = (statement, ...rest) => {
    const callback = rest.at(-1)
    if (typeof callback !== 'function') return query(statement, ...rest)
    const guarded: Callback = (error, ...results) =>
      (callback as Callback)(change(error, statement, results[0]), ...results)
    return query(statement, ...rest.slice(0, -1), guarded)
  }
}

function isUndone(statement: unknown, result: unknown): boolean {
  return (
    (statement as { text?: string }).text === 'COMMIT;' &&
    (result as { command?: string } | undefined)?.command === 'ROLLBACK'
  )
}

function rolledBack(): Error {
  return new Error('The transaction was rolled back, as one of its statements had failed')
}
