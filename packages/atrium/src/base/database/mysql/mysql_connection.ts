import type { MysqlConfig } from '@adonisjs/lucid/types/database'
import { exactDecimal, exactDigits } from '../../values/numbers.js'
import {
  commonConfig,
  CONNECT_TIMEOUT,
  LOCK_TIMEOUT,
  type Done,
  type ServerOptions,
} from '../server_options.js'
import { hideErrorStatements } from '#upstream/driver_error_values'

/** The part of the driver `mysql2` that is used here. */
interface RawConnection {
  query(options: unknown, ...rest: unknown[]): unknown
}

/** A value of a result, as the driver passes it to `typeCast`. */
export interface Field {
  type: string
  extendedFormat?: string
  string(encoding?: string): string | null
  buffer(): Buffer | null
}

/**
 * Returns a Lucid connection to MySQL or MariaDB. Column values have the same form as on SQLite, so that models get the
 * same values on every database.
 *
 * @param options  address of the server, name of the database, folders of its migrations, maximum number of connections
 * @returns the connection for `connections` of config/database.ts
 * @throws ValueError  for a `pool` that is not a positive integer
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
      connectTimeout: CONNECT_TIMEOUT,
      timezone: 'Z',
      dateStrings: true,
      supportBigNumbers: true,
      jsonStrings: true,
      typeCast,
    } as unknown as MysqlConfig['connection'],
    ...commonConfig(options, prepare),
  }
}

/*
 * Values that do not fit are refused, 0 is a valid key, and a transaction sees what others have committed
 * since it began, as on PostgreSQL.
 */
const SETTINGS = [
  `set session
    time_zone = '+00:00',
    sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ZERO_DATE,NO_ZERO_IN_DATE,NO_ENGINE_SUBSTITUTION,NO_AUTO_VALUE_ON_ZERO',
    innodb_lock_wait_timeout = ${LOCK_TIMEOUT}`,
  'set session transaction isolation level read committed',
]

function prepare(connection: RawConnection, done: Done) {
  hideErrorStatements(connection)
  const [first, second] = SETTINGS
  connection.query(first, (error: Error | null) => {
    if (error) done(error, connection)
    else connection.query(second, (invalid: Error | null) => done(invalid, connection))
  })
}

/** Returns exact values where the driver would round them or return bytes */
export function typeCast(field: Field, next: () => unknown): unknown {
  switch (field.type) {
    case 'NEWDECIMAL': {
      const text = field.string()
      return text === null ? null : exactDecimal(text)
    }
    case 'BIT': {
      const bytes = field.buffer()
      return bytes && exactDigits(String(BigInt(`0x${bytes.toString('hex')}`)))
    }
    // The driver adds up the digits itself, and rounds when 16 digits exceed 2^53.
    case 'FLOAT':
    case 'DOUBLE': {
      const text = field.string()
      return text === null ? null : Number(text)
    }
    default:
      return next()
  }
}
