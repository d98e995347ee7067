/** A row as the driver gives it. */
export type Row = Record<string, any>

/** A statement that the connection keeps ready. */
export type Statement = (values: readonly unknown[]) => Promise<Row[]> | Row[]

/**
 * As little as can be between the code and a database driver. SQL has a question mark for each value.
 */
export interface BareDriver {
  prepare(sql: string): Statement
  /** How a column is read so that the row holds the wire's value, where the driver has another */
  read: { decimal(name: string): string; datetime(name: string): string }
}

/* What the application sets for its own: no contender writes more carelessly, or has less of a cache. */
export const PRAGMAS = [
  'busy_timeout = 5000',
  'cache_size = -16384',
  'journal_mode = WAL',
  'synchronous = NORMAL',
  'foreign_keys = ON',
]

const DRIVERS: Record<
  string,
  () => Promise<{ open(database: string): Promise<BareDriver> | BareDriver }>
> = {
  'sqlite3': () => import('./sqlite3.js'),
  'better-sqlite3': () => import('./better_sqlite3.js'),
  'postgres': () => import('./postgres.js'),
}

/**
 * The driver that the environment names.
 */
export async function openDriver(): Promise<BareDriver> {
  const { BENCH_DRIVER: name, BENCH_DATABASE: database } = process.env
  const driver = DRIVERS[name!]
  if (!driver) throw new Error(`BENCH_DRIVER is ${name}, which is no driver`)
  const { open } = await driver()
  return await open(database!)
}
