/*
 * Errors of database drivers contain values of the row, which must not be logged:
 * - pg 8.23.1: `detail`, `where` and `internalQuery` can quote the whole row;
 * - mysql2 3.24.6: `sql` is the statement with its values.
 *
 * These drivers have no option to prevent it. This is their intended behaviour, so no issue is known. The code can be
 * removed when the tests "an error of pg by itself still contains values of the row" and "an error of mysql2 by itself
 * still contains values of the row" fail.
 */
type Callback = (error: Error | null, ...results: any[]) => void

interface QueryConnection {
  query(statement: any, ...rest: unknown[]): unknown
}

/**
 * Removes the properties of a `pg` connection's errors that quote a row, and stores the server's message as `reason`,
 * because Knex puts the statement with its values before it.
 */
export function dropErrorDetails(connection: QueryConnection): void {
  onErrors(connection, (error) => {
    noteReason(error)
    for (const name of ['detail', 'where', 'internalQuery']) Reflect.deleteProperty(error, name)
  })
}

/** Stores a driver's message as `reason`, a property that loggers do not write and Knex does not change. */
export function noteReason(error: unknown): void {
  if (!(error instanceof Error) || 'reason' in error) return
  Object.defineProperty(error, 'reason', { value: error.message })
}

/** Makes the statement in errors of a `mysql2` connection non-enumerable, so that loggers do not write it. */
export function hideErrorStatements(connection: QueryConnection): void {
  onErrors(connection, (error) => {
    if ('sql' in error) Object.defineProperty(error, 'sql', { value: error.sql, enumerable: false })
  })
}

function onErrors(connection: QueryConnection, change: (error: Error) => void): void {
  const query = connection.query.bind(connection)
  connection.query = (statement, ...rest) => {
    const callback = rest.at(-1)
    if (typeof callback !== 'function') return query(statement, ...rest)
    const guarded: Callback = (error, ...results) => {
      if (error) change(error)
      ;(callback as Callback)(error, ...results)
    }
    return query(statement, ...rest.slice(0, -1), guarded)
  }
}
