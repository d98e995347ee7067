import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { readersOf } from './sqlite/sqlite_connection.js'
import { inSnapshot } from './transaction.js'

/** A client whose reads are of one moment, and the function that gives it back. */
export interface Snapshot {
  client: QueryClientContract
  end: () => void
}

/**
 * Begins reads of one moment, which writers do not wait for. A transaction of the caller stays as it is,
 * and so does the single connection of an SQLite database without readers, as all others would wait for it.
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
  /* It has read only: a connection that is lost by its end has nothing to lose. */
  work.catch(begun.reject)
  return { client: await begun.promise, end: ended.resolve }
}
