import type { PostgreConfig } from '@adonisjs/lucid/types/database'
import { exactDecimal, exactDigits } from '../exact_numbers.js'
import {
  commonConfig,
  CONNECT_TIMEOUT,
  LOCK_TIMEOUT,
  type Done,
  type ServerOptions,
} from '../server_options.js'
import { dropErrorDetails } from '#upstream/driver_error_values'
import {
  checkGround,
  refuseUndoneCommit,
  type PostgresConnection,
} from '#upstream/knex_postgres_commit'

/** The part of the driver `pg` that is used here. */
interface RawConnection extends PostgresConnection {
  setTypeParser(oid: number, format: 'text', parse: (text: string) => unknown): void
}

/**
 * A Lucid connection to PostgreSQL. Column values have the same forms as on SQLite, so that models see
 * the same on every database. [A20]
 *
 * @param options  address of the server, name of the database, folders of its migrations, maximum number of connections
 * @returns the connection for `connections` of config/database.ts
 * @throws ValueError  for a `pool` that is not a positive integer
 */
export function postgresConnection(options: ServerOptions): PostgreConfig {
  checkGround()
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
      connectionTimeoutMillis: CONNECT_TIMEOUT,
    } as PostgreConfig['connection'],
    ...commonConfig(options, prepare),
  }
}

/* The zone applies to moments without one, in both directions; the style is the one parsed below. */
const SETTINGS = `
  set time zone 'UTC';
  set datestyle = 'ISO, YMD';
  set lock_timeout = '${LOCK_TIMEOUT}s'`

/** The type's number of decimals in the catalogue */
export const NUMERIC = 1700

/** The exact forms of values that the driver would round or change, by the type's number in the catalogue */
export const EXACT_FORMS: ReadonlyMap<number, (text: string) => unknown> = new Map([
  [20, exactDigits],
  [NUMERIC, exactDecimal],
  [1082, asText],
  [1114, asText],
  [1184, withoutZone],
  [114, asText],
  [3802, asText],
])

/** Prepares each new connection of `postgresConnection`. */
export function prepare(connection: RawConnection, done: Done) {
  for (const [oid, read] of EXACT_FORMS) connection.setTypeParser(oid, 'text', read)
  refuseUndoneCommit(connection)
  dropErrorDetails(connection)
  connection.query(SETTINGS, (error: Error | null) => done(error, connection))
}

/** Dates, moments and JSON: the driver would make objects of them, in the time zone of the process. */
function asText(text: string): string {
  return text
}

/** The connection's zone is UTC, so the offset is left out. */
function withoutZone(text: string): string {
  return text.replace(/\+00(?=$| BC$)/, '')
}
