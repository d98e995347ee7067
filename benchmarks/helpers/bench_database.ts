import type { ProductRow } from './products.js'

/** Who signs in to the admin pages */
export interface BenchUser {
  username: string
  hashedPassword: string
}

/**
 * A database with the application's tables.
 */
export interface BenchDatabase {
  /** What a contender opens: a file, or an URL */
  readonly location: string
  /** How the application is told of it */
  readonly variables: Record<string, string>
  fill(rows: Iterable<ProductRow>, user?: BenchUser): Promise<void>
  /** Another one with the same content; nobody else may have this one open */
  copy(name: string): Promise<BenchDatabase>
  /**
   * Removes the products beyond so many, and what was logged. The keys go on: a request that is still
   * under way may have the next one.
   */
  shrink(products: number): Promise<void>
  /** The rows of a select */
  select(sql: string, values?: unknown[]): Promise<Array<Record<string, any>>>
  /** Ends the connection; the database stays */
  close(): Promise<void>
  /** Ends it, and removes the database where it would outlive the benchmark's folder */
  remove(): Promise<void>
}
