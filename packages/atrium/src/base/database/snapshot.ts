import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { readersOf } from './sqlite/sqlite_connection.js'
import { inSnapshot } from './transaction.js'

/** A client whose reads see one snapshot, and the function that releases it. */
export interface Snapshot {
  client: QueryClientContract
  end: () => void
}

/**
 * Begins reads from one snapshot, without blocking writers. A transaction of the caller is used unchanged. So is the
 * single connection of an SQLite database without readers, because all other requests would wait for a snapshot on it.
 *
 * @throws the database's error of BEGIN
 */
export async function beginSnapshot(client: QueryClientContract): Promise<Snapshot> {
  const readers = readersOf(client)
  const isSingle = client.dialect.name.includes('sqlite') && !readers
  if (client.isTransaction || isSingle) return { client, end: () => {} }

  const begun = Promise.withResolvers<QueryClientContract>()
  const ended = Promise.withResolvers<void>()
  const work = inSnapshot(readers ?? client, async (transaction) => {
    begun.resolve(transaction)
    await ended.promise
  })
  /* Rejects for a failed BEGIN. A later failure is ignored: the transaction only reads, so nothing is lost. */
  work.catch(begun.reject)
  return { client: await begun.promise, end: ended.resolve }
}
