import type { PostgreConfig } from '@adonisjs/lucid/types/database'
import { exactDecimal, exactDigits } from '../exact_numbers.js'
import { commonConfig, CONNECT_PATIENCE, LOCK_PATIENCE } from '../server_options.js'
import type { Done, ServerOptions } from '../server_options.js'

type Callback = (error: Error | null, result?: { command?: string }) => void

/** What of the driver `pg` is used here. */
interface RawConnection {
  query(config: string | { text: string }, ...rest: unknown[]): unknown
  setTypeParser(oid: number, format: 'text', parse: (text: string) => unknown): void
}

/**
 * A Lucid connection to PostgreSQL. It gives the values of columns in the forms that SQLite gives them
 * in, so that models see the same on every database. [A20]
 */
export function postgresConnection(options: ServerOptions): PostgreConfig {
  const { host, port, user, password, database, tls } = options
  return {
    client: 'pg',
    connection: {
      host,
      port,
      user,
      password,
      database,
      ssl: tls ? { rejectUnauthorized: true } : false,
      application_name: 'atrium',
      connectionTimeoutMillis: CONNECT_PATIENCE,
    } as PostgreConfig['connection'],
    ...commonConfig(options, prepare),
  }
}

/* The zone is that of moments without one, in both directions; the style is what is read below. */
const SETTINGS = `
  set time zone 'UTC';
  set datestyle = 'ISO, YMD';
  set lock_timeout = '${LOCK_PATIENCE}s'`

/** By the type's number in the catalogue */
const FORMS: Array<[oid: number, read: (text: string) => unknown]> = [
  [20, exactDigits],
  [1700, exactDecimal],
  [1082, asText],
  [1114, asText],
  [1184, withoutZone],
  [114, asText],
  [3802, asText],
]

function prepare(connection: RawConnection, done: Done) {
  for (const [oid, read] of FORMS) connection.setTypeParser(oid, 'text', read)
  guardQueries(connection)
  connection.query(SETTINGS, (error: Error | null) => done(error, connection))
}

/** Dates, moments and JSON: the driver would make objects of them, by the zone of the process. */
function asText(text: string): string {
  return text
}

/** The connection's zone is UTC, which needs not be said. */
function withoutZone(text: string): string {
  return text.endsWith('+00') ? text.slice(0, -3) : text
}

/**
 * In a transaction of which a statement has failed, PostgreSQL takes COMMIT for a ROLLBACK, and says so
 * in passing; it is to be heard. And what it says beside its message may be the whole row, which must
 * not get into a log.
 */
function guardQueries(connection: RawConnection) {
  const query = connection.query.bind(connection)
  connection.query = (config, ...rest) => {
    const callback = rest.at(-1)
    if (typeof callback !== 'function') return query(config, ...rest)
    const isCommit = typeof config === 'object' && config.text === 'COMMIT;'
    const guarded: Callback = (error, result) => {
      for (const name of ['detail', 'where', 'internalQuery']) {
        if (error && name in error) delete (error as unknown as Record<string, unknown>)[name]
      }
      const isUndone = isCommit && !error && result?.command === 'ROLLBACK'
      ;(callback as Callback)(isUndone ? rolledBack() : error, result)
    }
    return query(config, ...rest.slice(0, -1), guarded)
  }
}

function rolledBack(): Error {
  return new Error('The transaction was rolled back, as one of its statements had failed')
}
