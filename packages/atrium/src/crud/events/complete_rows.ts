import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { dialectOf } from '#base/database/dialects'
import { noteStoredRow, storedRowOf } from '../lucid/stored_rows.js'
import { identityOf } from '#base/columns/key'
import type { Write } from './write.js'

/* Databases limit the alternatives of one condition. */
const KEYS_AT_ONCE = 200

/**
 * Adds the resulting rows to an action's writes: those that the database returned for the write, else by one statement
 * per 200 records of a model. [R7]
 */
export async function completeRows(
  writes: readonly Write[],
  client: QueryClientContract
): Promise<void> {
  const unread: Write[] = []
  for (const write of writes) {
    if (write.rows.after !== undefined) continue
    write.rows.after = storedRowOf(write.record)
    if (write.rows.after === undefined) unread.push(write)
  }
  for (const [resource, some] of Map.groupBy(unread, (write) => write.resource)) {
    const { key, reader } = resource
    for (let start = 0; start < some.length; start += KEYS_AT_ONCE) {
      const part = some.slice(start, start + KEYS_AT_ONCE)
      const where = [
        key.isAny(
          part.map((write) => write.key),
          dialectOf(client)
        ),
      ]
      const rows = await reader.rows(client, { where })
      const found = new Map(rows.map((row) => [identityOf(key.ofRow(row)), row]))
      for (const write of part) {
        const row = found.get(identityOf(write.key))
        write.rows.after = row
        if (row) noteStoredRow(write.record, row)
      }
    }
  }
  for (const write of writes) if (write.leavesRow) write.rows.before = write.rows.after
}
