import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { dialectOf } from '#base/database/dialects'
import { identityIn, modelOf, rowsReferring } from '../../events/caused_writes.js'
import { incomingReferences, type IncomingReference } from '../../resource/incoming_references.js'
import type { KeyValue } from '#base/columns/key'
import type { Resource } from '../../resource/resource.js'

type Row = Record<string, unknown>

/**
 * True if a row of any table refers to a record, other than the record itself: deleting the record could delete that
 * row or empty the reference in it.
 *
 * @param ignored  records whose references are ignored unless they prevent the deletion, by `identityIn`
 */
export async function isReferredTo(
  { base }: Resource,
  key: KeyValue,
  client: QueryClientContract,
  ignored: ReadonlySet<string> = new Set()
): Promise<boolean> {
  const references = await incomingReferences(base, client)
  if (references.length === 0) return false
  const where = [base.key.is(key, dialectOf(client))]
  const [row] = await base.reader.rows(client, { where, limit: 1 })
  if (!row) return false
  const others = new Set([...ignored, identityIn(base, row)])
  for (const reference of references) {
    const child = modelOf(reference, base)
    const isReferred = child
      ? await refersFrom(child, reference, row, client, others)
      : await refersFromTable(base, reference, row, client)
    if (isReferred) return true
  }
  return false
}

async function refersFrom(
  child: Resource,
  reference: IncomingReference,
  row: Row,
  client: QueryClientContract,
  ignored: ReadonlySet<string>
): Promise<boolean> {
  const rows = await rowsReferring(child, reference, row, client, ignored.size + 1)
  return rows.some((one) => !ignored.has(identityIn(child, one)))
}

/** True if a row of a table without a model, such as a pivot table, refers to the record. */
async function refersFromTable(
  { table }: Resource,
  reference: IncomingReference,
  row: Row,
  client: QueryClientContract
): Promise<boolean> {
  const values = reference.references.map((name) => row[name] ?? null)
  if (values.includes(null)) return false
  const schema = table.includes('.') ? `${table.split('.')[0]}.` : ''
  const query = client.query().from(schema + reference.table)
  reference.columns.forEach((column, index) => query.where(column, values[index] as any))
  const found = await query.select(client.raw('1 as found') as any).limit(1)
  return found.length > 0
}
