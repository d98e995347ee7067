import { nothingStored } from '#base/http/problems'
import type { WriteAction } from '#upstream/lucid_record_queries'

/**
 * Makes Lucid's query for the write of one record throw if a trigger or a rule of the database prevented the write,
 * because Lucid ignores the number of written rows.
 */
export function ensured<Query extends { exec(): Promise<unknown> }>(
  query: Query,
  action: WriteAction
): Query {
  if (action === 'refresh') return query
  const exec = query.exec.bind(query)
  query.exec = async () => {
    const result = await exec()
    if (isNothing(result, action)) throw nothingStored()
    return result
  }
  return query
}

/** True if nothing was written. An insert returns the keys of its rows, an update and a delete the number of rows. */
function isNothing(result: unknown, action: WriteAction): boolean {
  if (action === 'insert') return Array.isArray(result) && result.length === 0
  return (Array.isArray(result) ? result[0] : result) === 0
}
