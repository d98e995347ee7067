import type { PostgreConfig, QueryClientContract } from '@adonisjs/lucid/types/database'
import { exactDecimal, exactDigits, textOf } from '../../values/numbers.js'
import {
  commonConfig,
  CONNECT_TIMEOUT,
  LOCK_TIMEOUT,
  type Done,
  type ServerOptions,
} from '../server_options.js'
import { checkLibrary, repairPostgresQueries, type QueryConnection } from '#upstream/driver_queries'
import {
  connectionForms,
  paddedDecimal,
  type ConnectionForms,
  type Conversions,
} from '../connection_forms.js'

/** The part of the driver `pg` that is used here. */
interface RawConnection extends QueryConnection {
  setTypeParser(oid: number, format: 'text', parse: (text: string) => unknown): void
}

/**
 * Returns a Lucid connection to PostgreSQL. Column values have the same form as on SQLite, so that models get the same
 * values on every database.
 *
 * @param options  address of the server, name of the database, folders of its migrations, maximum number of connections
 * @returns the connection for `connections` of config/database.ts
 * @throws ValueError  for a `pool` that is not a positive integer
 */
export function postgresConnection(options: ServerOptions): PostgreConfig {
  checkLibrary()
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

/* The time zone applies to times without one, in both directions; the date style is the one that is parsed below. */
const SETTINGS = `
  set time zone 'UTC';
  set datestyle = 'ISO, YMD';
  set lock_timeout = '${LOCK_TIMEOUT}s'`

/** Type number of decimals in the catalogue */
const NUMERIC = 1700

/** Parsers of exact values for types that the driver would round or change, by type number in the catalogue */
const EXACT_FORMS: ReadonlyMap<number, (text: string) => unknown> = new Map([
  [20, exactDigits],
  [NUMERIC, exactDecimal],
  [1082, asText],
  [1114, asText],
  [1184, withoutZone],
  [114, asText],
  [3802, asText],
])

/** Prepares each new connection of `postgresConnection`. */
function prepare(connection: RawConnection, done: Done) {
  for (const [oid, read] of EXACT_FORMS) connection.setTypeParser(oid, 'text', read)
  repairPostgresQueries(connection)
  connection.query(SETTINGS, (error: Error | null) => done(error, connection))
}

/**
 * Returns dates, times and JSON unchanged: the driver would convert them to objects, in the time zone of the process.
 */
function asText(text: string): string {
  return text
}

/** Removes the offset, because the connection's time zone is UTC. */
function withoutZone(text: string): string {
  return text.replace(/\+00(?=$| BC$)/, '')
}

type Parse = (text: string) => unknown

/** The part of `pg.types` that is used here. */
interface Types {
  getTypeParser(oid: number, format?: string): Parse
}

interface Field {
  name: string
  dataTypeID: number
  dataTypeModifier: number
}

/** Returns the forms of an ordinary connection; null for a connection of `postgresConnection`. */
export function postgresForms(client: QueryClientContract): ConnectionForms | null {
  return connectionForms(client, ({ connection, pool }) =>
    pool?.afterCreate === prepare
      ? null
      : new PostgresForms(connection?.types ?? client.getReadClient().client.driver.types)
  )
}

class PostgresForms implements ConnectionForms {
  constructor(private readonly types: Types) {}

  options(connection: Types = this.types): object {
    const getTypeParser = (oid: number, format: string = 'text') =>
      (format === 'text' && EXACT_FORMS.get(oid)) || connection.getTypeParser(oid, format)
    return { types: { getTypeParser } }
  }

  conversions(fields: readonly Field[]): Conversions {
    return fields
      .filter(({ dataTypeID }) => EXACT_FORMS.has(dataTypeID))
      .map(({ name, dataTypeID, dataTypeModifier }) => {
        const parse = this.types.getTypeParser(dataTypeID, 'text')
        if (dataTypeID !== NUMERIC) return [name, (value: unknown) => parse(String(value))]
        const scale = dataTypeModifier < 0 ? 0 : (dataTypeModifier - 4) & 0xffff
        return [name, (value: unknown) => parse(paddedDecimal(textOf(value), scale))]
      })
  }
}
