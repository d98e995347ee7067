import type { MysqlConfig, QueryClientContract } from '@adonisjs/lucid/types/database'
import { exactDecimal, exactDigits, textOf } from '../../values/numbers.js'
import {
  commonConfig,
  CONNECT_TIMEOUT,
  LOCK_TIMEOUT,
  type Done,
  type ServerOptions,
} from '../server_options.js'
import { repairMysqlQueries } from '#upstream/driver_queries'
import {
  connectionForms,
  paddedDecimal,
  type ConnectionForms,
  type Conversions,
} from '../connection_forms.js'

/** The part of the driver `mysql2` that is used here. */
interface RawConnection {
  query(options: unknown, ...rest: unknown[]): unknown
}

/** A value of a result, as the driver passes it to `typeCast`. */
interface Field {
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
  repairMysqlQueries(connection)
  const [first, second] = SETTINGS
  connection.query(first, (error: Error | null) => {
    if (error) done(error, connection)
    else connection.query(second, (invalid: Error | null) => done(invalid, connection))
  })
}

/** Returns exact values where the driver would round them or return bytes */
function typeCast(field: Field, next: () => unknown): unknown {
  switch (field.type) {
    case 'NEWDECIMAL': {
      const text = field.string()
      return text === null ? null : exactDecimal(text)
    }
    case 'BIT': {
      const bytes = field.buffer()
      return bytes && exactDigits(String(BigInt(`0x${bytes.toString('hex')}`)))
    }
    // The text is converted here: the driver adds up the digits itself, and rounds when 16 digits exceed 2^53.
    case 'FLOAT':
    case 'DOUBLE': {
      const text = field.string()
      return text === null ? null : Number(text)
    }
    default:
      return next()
  }
}

/** Settings of a `mysql2` connection that change the form of values. */
interface Settings {
  bigNumberStrings?: boolean
  dateStrings?: boolean | string[]
  decimalNumbers?: boolean
  jsonStrings?: boolean
  supportBigNumbers?: boolean
  timezone?: string
  typeCast?: unknown
}

/** A result column of the driver. */
interface ResultColumn {
  name: string
  table: string
  schema: string
  columnType: number
  columnLength: number
  decimals: number
  extendedFormat?: string
}

type TypeCast = (field: unknown, next: () => unknown) => unknown

/** Names of the types that are read exactly, by type number */
const TYPES: ReadonlyMap<number, string> = new Map([
  [4, 'FLOAT'],
  [5, 'DOUBLE'],
  [7, 'TIMESTAMP'],
  [8, 'LONGLONG'],
  [10, 'DATE'],
  [12, 'DATETIME'],
  [16, 'BIT'],
  [245, 'JSON'],
  [246, 'NEWDECIMAL'],
])

/** Returns the forms of an ordinary connection; null for a connection of `mysqlConnection`. */
export function mysqlForms(client: QueryClientContract): ConnectionForms | null {
  return connectionForms(client, ({ connection }) =>
    connection?.typeCast === typeCast ? null : new MysqlForms(connection ?? {})
  )
}

class MysqlForms implements ConnectionForms {
  constructor(private readonly settings: Settings) {}

  options(): object {
    const own = this.settings.typeCast
    return {
      typeCast: (field: Field, next: () => unknown) => {
        if (isJson(field)) return field.string('utf8')
        switch (field.type) {
          case 'LONGLONG': {
            const digits = field.string()
            return digits === null ? null : exactDigits(digits)
          }
          case 'DATE':
          case 'DATETIME':
          case 'TIMESTAMP':
            return field.string('ascii')
          case 'NEWDECIMAL':
          case 'BIT':
          case 'FLOAT':
          case 'DOUBLE':
            return typeCast(field, next)
          default:
            return typeof own === 'function' ? (own as TypeCast)(field, next) : next()
        }
      },
    }
  }

  conversions(fields: readonly ResultColumn[]): Conversions {
    return fields.flatMap((field) => {
      const type = field.extendedFormat === 'json' ? 'JSON' : TYPES.get(field.columnType)
      return type ? [[field.name, this.#conversion(type, field)] as const] : []
    })
  }

  /** Returns the conversion that the connection's `typeCast` makes, or without one, that of the driver. */
  #conversion(type: string, field: ResultColumn): (value: unknown) => unknown {
    const { columnLength: length, schema: db, table, name, decimals, extendedFormat } = field
    const { typeCast: own } = this.settings
    return (value) => {
      const digits = textOf(value)
      const text = type === 'NEWDECIMAL' ? paddedDecimal(digits, decimals) : digits
      const bytes = type === 'BIT' ? bitsOf(text, length) : Buffer.from(text)
      const next = () => (type === 'BIT' ? bytes : this.#usual(type, text))
      if (typeof own !== 'function') return next()
      const string = () => (type === 'BIT' ? bytes.toString() : text)
      const buffer = () => bytes
      return own({ type, length, db, table, name, extendedFormat, string, buffer }, next)
    }
  }

  #usual(type: string, text: string): unknown {
    const { settings } = this
    switch (type) {
      case 'LONGLONG':
        return settings.supportBigNumbers && settings.bigNumberStrings ? text : exactDigits(text)
      case 'NEWDECIMAL':
        return settings.decimalNumbers ? Number(text) : text
      case 'JSON':
        return settings.jsonStrings ? text : JSON.parse(text)
      case 'FLOAT':
      case 'DOUBLE':
        return Number(text)
      default: {
        const { dateStrings } = settings
        const isText = Array.isArray(dateStrings) ? dateStrings.includes(type) : dateStrings
        return isText ? text : dateOf(text, settings.timezone)
      }
    }
  }
}

function isJson({ type, extendedFormat }: Field): boolean {
  return type === 'JSON' || extendedFormat === 'json'
}

/** @param timezone  time zone of the connection: `local`, `Z` or an offset */
function dateOf(text: string, timezone: string = 'local'): Date {
  const [day, time = '00:00:00'] = text.split(' ')
  return new Date(`${day}T${time}${timezone === 'local' ? '' : timezone}`)
}

function bitsOf(digits: string, length: number): Buffer {
  return Buffer.from(
    BigInt(digits)
      .toString(16)
      .padStart(Math.ceil(length / 8) * 2, '0'),
    'hex'
  )
}
