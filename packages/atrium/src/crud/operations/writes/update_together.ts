import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { dialectOf } from '#base/database/dialects'
import { PlainRows } from '../../lucid/plain_rows.js'
import type { KeyValue } from '#base/columns/key'
import type { CallOptions } from '../call_options.js'
import { clientFor } from '../client_for.js'
import type { CrudContext } from '../crud_context.js'
import { updateItem } from '../update.js'
import { writesFiles } from './check_files.js'
import { omit, withoutKeys } from './omit.js'
import { runsOwnCode } from './own_code.js'
import { areStoredPlainly } from './plain_create.js'
import { addChange, updateRows, type RowChange } from './update_rows.js'
import { runWrite } from './write_transaction.js'

/** The new values of an item, by attribute name */
export interface ItemChange {
  key: KeyValue
  values: Readonly<Record<string, unknown>>
}

/* Databases limit the alternatives of one condition. */
const KEYS_AT_ONCE = 200

/** Changes items, many with one statement. See `LucidCrud.updateTogether`. */
export async function updateTogether(
  context: CrudContext,
  all: readonly ItemChange[],
  options: CallOptions
): Promise<boolean> {
  const client = await clientFor(context.resource, options)
  /* Rows are locked one after the other, in the order of the caller. */
  const locksRows = dialectOf(client).lockClause !== ''
  if (locksRows || !client.isTransaction || context.overrides('update')) return false
  if (await runsOwnCode(context, client, ['update'])) return false
  await runWrite(context, options, async (transaction) => {
    for (let start = 0; start < all.length; start += KEYS_AT_ONCE) {
      const some = all.slice(start, start + KEYS_AT_ONCE)
      const changes = await rowChanges(context, some, transaction, options)
      if (changes) await updateRows(context, changes, transaction, options)
      else await updateEach(context, some, transaction, options)
    }
  })
  return true
}

async function updateEach(
  context: CrudContext,
  all: readonly ItemChange[],
  client: TransactionClientContract,
  options: CallOptions
): Promise<void> {
  const keys = all.map(({ key }) => key)
  const located = await context.records.locateMany(keys, client, options, true)
  for (const [index, { values }] of all.entries()) {
    const own = { ...options, client, joins: true, located: located[index] }
    await updateItem(context, keys[index], values, own)
  }
}

/** @returns undefined if any change needs a record of Lucid */
async function rowChanges(
  context: CrudContext,
  all: readonly ItemChange[],
  client: TransactionClientContract,
  options: CallOptions
): Promise<RowChange[] | undefined> {
  const { resource } = context
  if (!resource.permits('update') || !resource.reader.answersPlainly) return undefined
  if (!(await areStoredPlainly(context, client, options, 'update'))) return undefined
  const rows = new PlainRows(resource, client)
  const changes: RowChange[] = []
  for (const { key, values } of all) {
    const written = withoutKeys(resource, omit(values, resource.virtualFields))
    if (Object.keys(written).length === 0 || writesFiles(resource, written)) return undefined
    if (!addChange(changes, key, written, (one) => rows.changesOf(one))) return undefined
  }
  return changes
}
