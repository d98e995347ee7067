import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '@adonisjs/lucid/database'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { RuntimeError } from '../errors.js'

/** Interval and limit of the retries, in milliseconds */
const INTERVAL = 200
const TIMEOUT = 15 * 60_000

/** Releases a lock */
type Release = () => Promise<void>

/**
 * Runs the work under a lock on the database, so that a second process that migrates waits and then has nothing left to
 * do. (Lucid's lock fails instead of waiting, and does not exist for SQLite.) The lock belongs to a connection, so it
 * ends with the process.
 *
 * @throws RuntimeError  when another process holds the lock for a quarter of an hour
 */
export async function whileLocked<Result>(
  db: Database,
  connectionName: string,
  work: () => Promise<Result>,
  { timeout = TIMEOUT } = {}
): Promise<Result> {
  const client = db.connection(connectionName)
  const acquire = acquirerOf(db, client)
  const end = performance.now() + timeout
  let release = await acquire()
  while (!release) {
    if (performance.now() > end) {
      throw new RuntimeError(
        `Another process is migrating the database of the connection "${connectionName}" for too long; end it and try again`
      )
    }
    await sleep(INTERVAL)
    release = await acquire()
  }
  try {
    return await work()
  } finally {
    await release()
  }
}

/** Returns a function that tries to lock once, and resolves to null if another process holds the lock. */
function acquirerOf(db: Database, client: QueryClientContract): () => Promise<Release | null> {
  switch (client.dialect.name) {
    case 'postgres':
      return () =>
        onOneConnection(client, [
          `select pg_try_advisory_lock(${KEY}) as locked`,
          `select pg_advisory_unlock(${KEY})`,
        ])
    case 'mysql':
      return () =>
        onOneConnection(client, [
          `select get_lock('${KEY}', 0) as locked`,
          `do release_lock('${KEY}')`,
        ])
    default:
      return () => nextToFile(db, client)
  }
}

/** Lock key of Lucid, so that its `migration:run` respects this lock */
const KEY = 1

/** Locks and unlocks on the same connection, because the lock belongs to the database session. */
async function onOneConnection(
  client: QueryClientContract,
  [lock, unlock]: [string, string]
): Promise<Release | null> {
  const knex = client.getWriteClient()
  const connection = await knex.client.acquireConnection()
  const run = async (sql: string) => await knex.raw(sql).connection(connection)
  const giveBack = () => knex.client.releaseConnection(connection)
  try {
    const result = await run(lock)
    const [row] = result.rows ?? result[0]
    if (row.locked !== true && row.locked !== 1) {
      await giveBack()
      return null
    }
  } catch (error) {
    await giveBack()
    throw error
  }
  return async () => {
    await run(unlock)
    await giveBack()
  }
}

/**
 * Locks a second, empty file next to the database file. SQLite can only lock a whole file, and the migrations need the
 * lock of the database file.
 */
async function nextToFile(db: Database, client: QueryClientContract): Promise<Release | null> {
  const { config } = db.getRawConnection(client.connectionName)!
  const { filename } = config.connection as { filename: string }
  if (filename === ':memory:') return async () => {}

  const name = `${client.connectionName}_migration_lock_${++locks}`
  db.manager.add(name, {
    client: config.client,
    connection: { filename: `${filename}-migrating` },
    useNullAsDefault: true,
    pool: { min: 0, max: 1 },
  } as typeof config)
  const release = () => db.manager.release(name)
  try {
    const connection = db.connection(name)
    await connection.rawQuery('pragma busy_timeout = 0')
    await connection.rawQuery('begin exclusive')
  } catch (error) {
    await release()
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return null
    throw error
  }
  return release
}

/** Number of attempts so far, in the name of each attempt's separate connection */
let locks = 0
