/** A row as returned by the driver. */
export type Row = Record<string, any>

/** A prepared statement. */
export type Statement = (values: readonly unknown[]) => Promise<Row[]> | Row[]

/**
 * A minimal layer over a database driver. SQL has a question mark for each value.
 */
export interface BareDriver {
  prepare(sql: string): Statement
  /** SQL expressions that read a column as the API's value, if the driver returns another */
  read: { decimal(name: string): string; datetime(name: string): string }
}

/**
 * What a power cut may take, for all contenders of a run: the application reads it from the same variable, with the
 * same default.
 */
export const SYNCHRONOUS = process.env.DB_SYNCHRONOUS || 'full'

/* The application's own settings: no contender writes less safely or has a smaller cache. */
export const PRAGMAS = [
  'busy_timeout = 5000',
  'cache_size = -16384',
  'journal_mode = WAL',
  `synchronous = ${SYNCHRONOUS}`,
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
 * Opens the driver that the environment names.
 */
export async function openDriver(): Promise<BareDriver> {
  const { BENCH_DRIVER: name, BENCH_DATABASE: database } = process.env
  const driver = DRIVERS[name!]
  if (!driver) throw new Error(`BENCH_DRIVER is ${name}, which is not a driver`)
  const { open } = await driver()
  return await open(database!)
}
