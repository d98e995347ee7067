import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { dialectOf } from '#base/database/dialects'
import { digestOfRow, type Reversal } from '../../events/reversal.js'
import { type KeyValue, identityOf } from '#base/columns/key'
import type { Resource } from '../../resource/resource.js'
import { arePivotsAsLeft } from './revert_pivots.js'
import { KEYS_PER_CONDITION, chunks } from '#base/chunks'

interface Left {
  key: KeyValue
  reversal: Reversal
}

/**
 * Returns the logged writes whose records have changed since the write. Locks the rows if the client is in a
 * transaction. Runs one statement per 200 records.
 */
export async function recordsNotAsLeft<One extends Left>(
  { base }: Resource,
  writes: readonly One[],
  client: QueryClientContract
): Promise<One[]> {
  const { key: keys, reader } = base
  const changed: One[] = []
  for (const some of chunks(writes, KEYS_PER_CONDITION)) {
    const where = keys.isAny(
      some.map(({ key }) => key),
      dialectOf(client)
    )
    const rows = await reader.rows(client, { where: [where], lock: client.isTransaction })
    const found = new Map(rows.map((row) => [identityOf(keys.ofRow(row)), row]))
    for (const one of some) {
      const row = found.get(identityOf(one.key))
      const isLeft = (row ? digestOfRow(base, row) : null) === one.reversal.left
      if (!isLeft || !(await arePivotsAsLeft(one.reversal.pivots, client))) changed.push(one)
    }
  }
  return changed
}
