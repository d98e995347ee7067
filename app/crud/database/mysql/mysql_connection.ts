import type { MysqlConfig } from '@adonisjs/lucid/types/database'
import { exactDecimal } from '../exact_numbers.js'
import { commonConfig, CONNECT_PATIENCE, LOCK_PATIENCE } from '../server_options.js'
import type { Done, ServerOptions } from '../server_options.js'

type Callback = (error: Error | null, ...results: unknown[]) => void

/** What of the driver `mysql2` is used here. */
interface RawConnection {
  query(options: unknown, ...rest: unknown[]): unknown
}

interface Field {
  type: string
  length: number
  string(): string | null
  buffer(): Buffer | null
}

/**
 * A Lucid connection to MySQL or MariaDB. It gives the values of columns in the forms that SQLite gives
 * them in, so that models see the same on every database. [A20]
 */
export function mysqlConnection(options: ServerOptions): MysqlConfig {
  const { host, port, user, password, database, tls } = options
  return {
    client: 'mysql2',
    connection: {
      ...(host?.startsWith('/') ? { socketPath: host } : { host, port }),
      user,
      password,
      database,
      ...(tls && { ssl: { rejectUnauthorized: true } }),
      connectTimeout: CONNECT_PATIENCE,
      timezone: 'Z',
      dateStrings: true,
      supportBigNumbers: true,
      jsonStrings: true,
      typeCast,
    } as unknown as MysqlConfig['connection'],
    ...commonConfig(options, prepare),
  }
}

/* What does not fit is refused, 0 is a key like others, and one transaction sees what another has
 * committed meanwhile, as on PostgreSQL. */
const SETTINGS = [
  `set session
    time_zone = '+00:00',
    sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ZERO_DATE,NO_ZERO_IN_DATE,NO_ENGINE_SUBSTITUTION,NO_AUTO_VALUE_ON_ZERO',
    innodb_lock_wait_timeout = ${LOCK_PATIENCE}`,
  'set session transaction isolation level read committed',
]

function prepare(connection: RawConnection, done: Done) {
  concealStatements(connection)
  const [first, second] = SETTINGS
  connection.query(first, (error: Error | null) => {
    if (error) done(error, connection)
    else connection.query(second, (fault: Error | null) => done(fault, connection))
  })
}

function typeCast(field: Field, next: () => unknown): unknown {
  switch (field.type) {
    case 'NEWDECIMAL': {
      const text = field.string()
      return text === null ? null : exactDecimal(text)
    }
    case 'BIT': {
      const bytes = field.buffer()
      return field.length === 1 && bytes ? bytes[0] : bytes
    }
    // The driver adds up the digits itself, and rounds where 16 of them are over 2^53.
    case 'FLOAT':
    case 'DOUBLE': {
      const text = field.string()
      return text === null ? null : Number(text)
    }
    default:
      return next()
  }
}

/** The driver's errors bring the whole statement with its values, which must not get into a log. */
function concealStatements(connection: RawConnection) {
  const query = connection.query.bind(connection)
  connection.query = (options, ...rest) => {
    const callback = rest.at(-1)
    if (typeof callback !== 'function') return query(options, ...rest)
    const guarded: Callback = (error, ...results) => {
      if (error && 'sql' in error) {
        Object.defineProperty(error, 'sql', { value: error.sql, enumerable: false })
      }
      ;(callback as Callback)(error, ...results)
    }
    return query(options, ...rest.slice(0, -1), guarded)
  }
}
