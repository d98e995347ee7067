/**
 * Where a database server answers, and how it is used.
 */
export interface ServerOptions {
  /** A name, an address, or the path of a socket; default: this machine */
  host?: string
  /** Default: the usual one of the server */
  port?: number
  user?: string
  password?: string
  database: string
  /** Whether to speak TLS, and only to a server whose certificate is valid */
  tls?: boolean
  /** How many connections to open at the most; default 10 */
  pool?: number
  /** The folders of its migrations */
  migrations?: string[]
}

export type Done = (error: Error | null, connection: unknown) => void

/** Seconds that a statement waits for rows that another transaction has locked */
export const LOCK_PATIENCE = 5

/** Milliseconds that a server has for answering at all */
export const CONNECT_PATIENCE = 5000

/**
 * What the connections to all servers have in common.
 *
 * @param afterCreate  is given each new connection before it is used
 */
export function commonConfig(
  { pool = 10, migrations }: ServerOptions,
  afterCreate: (connection: any, done: Done) => void
) {
  return {
    pool: { min: 0, max: pool, acquireTimeoutMillis: 15_000, afterCreate },
    ...(migrations && { migrations: { naturalSort: true, paths: migrations } }),
    schemaGeneration: { enabled: false },
    /* Errors get into the log; the values of a statement, passwords' hashes among them, must not. */
    compileSqlOnError: false,
  }
}
