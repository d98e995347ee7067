import type { ProductRow } from './products.js'

/** User for the logins to the admin pages */
export interface BenchUser {
  username: string
  hashedPassword: string
}

/** A database with the application's tables. */
export interface BenchDatabase {
  /** File or URL that a contender opens */
  readonly location: string
  /** Environment variables for the application */
  readonly variables: Record<string, string>
  fill(rows: Iterable<ProductRow>, user?: BenchUser): Promise<void>
  /** Copies the database; it must not be open elsewhere */
  copy(name: string): Promise<BenchDatabase>
  /**
   * Removes the products beyond the given number, and logged events. Keys continue, as a pending
   * request may still use the next one.
   */
  shrink(products: number): Promise<void>
  /** Runs a statement without values */
  run(sql: string): Promise<void>
  /** Runs a select */
  select(sql: string, values?: unknown[]): Promise<Array<Record<string, any>>>
  /** Closes the connection; the database stays */
  close(): Promise<void>
  /** Closes the connection and removes a database outside the benchmark's directory */
  remove(): Promise<void>
}
