import { shown, ValueError } from '../errors.js'

/** Address and settings of a database server. */
export interface ServerOptions {
  /** A host name, an address, or the path of a socket; default: this machine */
  host?: string
  /** Default: the server's usual port */
  port?: number
  user?: string
  password?: string
  database: string
  /** True to connect over TLS, and only to a server with a valid certificate */
  tls?: boolean
  /** Maximum number of connections; default 10 */
  pool?: number
  /** Folders of the connection's migrations */
  migrations?: string[]
}

export type Done = (error: Error | null, connection: unknown) => void

/** Seconds that a statement waits for rows locked by another transaction */
export const LOCK_TIMEOUT = 5

/** Milliseconds until a connection attempt fails */
export const CONNECT_TIMEOUT = 5000

/**
 * Returns the settings that connections to all servers share.
 *
 * @param afterCreate  receives each new connection before its first use
 * @throws ValueError  for an invalid `pool`
 */
export function commonConfig(
  { pool = 10, migrations }: ServerOptions,
  afterCreate: (connection: any, done: Done) => void
) {
  if (!Number.isInteger(pool) || pool < 1) {
    throw new ValueError(
      `config/database.ts: pool (DB_POOL) is ${shown(pool)}, and must be a positive integer`
    )
  }
  return {
    pool: { min: 0, max: pool, acquireTimeoutMillis: 15_000, afterCreate },
    ...(migrations && { migrations: { naturalSort: true, paths: migrations } }),
    schemaGeneration: { enabled: false },
    /* Errors are logged, but the values of a statement, such as password hashes, must not be. */
    compileSqlOnError: false,
  }
}
