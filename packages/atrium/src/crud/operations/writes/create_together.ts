import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { PlainRows } from '../../lucid/plain_rows.js'
import { endLongTurn } from '#base/event_loop'
import type { CallOptions } from '../call_options.js'
import { clientFor } from '../client_for.js'
import { decidedForCreate } from '../create.js'
import type { CrudContext } from '../crud_context.js'
import { omit } from './omit.js'
import { areStoredPlainly, insertPlainRows } from './plain_create.js'
import { runWrite } from './write_transaction.js'

type Row = Record<string, unknown>

/* Databases limit the values of a statement: of SQLite 32,766, of PostgreSQL 65,535. */
const ROWS_AT_ONCE = 50
const VALUES_AT_ONCE = 10_000

/** Stores new items, many with one statement. See `LucidCrud.createTogether`. */
export async function createTogether(
  context: CrudContext,
  all: ReadonlyArray<Record<string, unknown>>,
  options: CallOptions
): Promise<boolean> {
  const { resource } = context
  const client = await clientFor(resource, options)
  if (!client.isTransaction || !(await areStoredPlainly(context, client as never, options))) {
    return false
  }
  const made = new PlainRows(resource, client as TransactionClientContract)
  const rows: Row[] = []
  for (const values of all) {
    await endLongTurn()
    const decided = decidedForCreate(resource, values, options)
    const row = made.rowOf(omit(decided, resource.virtualFields))
    if (!row) return false
    rows.push(row)
  }
  await runWrite(context, options, async (transaction) => {
    for (const part of alikeParts(rows)) await insertPlainRows(resource, part, transaction)
  })
  return true
}

/** Parts of rows that follow one another and have the same columns. */
function* alikeParts(rows: readonly Row[]): Generator<Row[]> {
  let part: Row[] = []
  let names = ''
  for (const row of rows) {
    const columns = Object.keys(row)
    const own = columns.join()
    const most = Math.min(ROWS_AT_ONCE, Math.floor(VALUES_AT_ONCE / columns.length))
    if (part.length > 0 && (own !== names || part.length >= most)) {
      yield part
      part = []
    }
    names = own
    part.push(row)
  }
  if (part.length > 0) yield part
}
