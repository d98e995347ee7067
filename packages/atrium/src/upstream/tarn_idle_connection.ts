/*
 * tarn 3.1.2, the pool of knex 3.3.0, hands out connections asynchronously: for a read that the driver
 * `better-sqlite3` does synchronously, to acquire and release takes as long as the read. Tarn has no
 * synchronous method, so the connection is looked up among those that are free (`Pool#free`, private).
 * No issue known. It can go when a pool has a synchronous acquire, or when that driver is not used.
 */
import { createRequire } from 'node:module'
import { expectGround } from './expect_ground.js'

const load = createRequire(import.meta.url)

/** @throws Exception  when a pool keeps its free connections differently */
export function checkGround({ Pool } = load('tarn')): void {
  const none = async () => ({})
  const pool = new Pool({ min: 0, max: 1, create: none, destroy: none })
  expectGround('tarn', 'tarn_idle_connection', { 'Pool#free': Array.isArray(pool.free) })
}

/** An idle connection of a pool, for one synchronous call of the driver: it stays in the pool. */
export function idleConnectionOf(pool: unknown): unknown {
  return (pool as { free?: Array<{ resource: unknown }> } | undefined)?.free?.at(-1)?.resource
}
