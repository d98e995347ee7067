export type DriverName = 'sqlite3' | 'better-sqlite3' | 'postgres'

const DRIVERS: readonly string[] = ['sqlite3', 'better-sqlite3', 'postgres']

/**
 * Parses an integer option.
 *
 * @param text  value of the option; undefined returns `otherwise`
 * @throws Error  for no integer, or one less than `least`
 */
export function integerOption(
  name: string,
  text: string | undefined,
  { least, otherwise }: { least: number; otherwise: number }
): number {
  if (text === undefined) return otherwise
  const value = Number(text)
  if (text === '' || !Number.isInteger(value) || value < least) {
    throw new Error(`--${name} is ${text}, and must be an integer of ${least} or more`)
  }
  return value
}

/**
 * Database drivers of `--drivers`; by default all that are available.
 *
 * @throws Error  for an unknown name, and for postgres without BENCH_POSTGRES_URL
 */
export function driversOption(text: string | undefined): DriverName[] {
  const hasPostgres = Boolean(process.env.BENCH_POSTGRES_URL)
  const names = text?.split(',') ?? DRIVERS.filter((name) => name !== 'postgres' || hasPostgres)
  for (const name of names) {
    if (!DRIVERS.includes(name)) {
      throw new Error(`--drivers names ${name}; drivers are ${DRIVERS.join(', ')}`)
    }
    if (name === 'postgres' && !hasPostgres) {
      throw new Error('BENCH_POSTGRES_URL must name the server of PostgreSQL')
    }
  }
  return names as DriverName[]
}

/** Name of a driver's connection in config/database.ts. */
export function connectionOf(driver: DriverName): string {
  return driver === 'sqlite3' ? 'sqlite' : driver
}
