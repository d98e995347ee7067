import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { dialectOf } from '../../database/dialects.js'
import { faultToProblem } from '../../database/fault_to_problem.js'
import { runSingleStatement } from '../../database/single_statement.js'
import { itemNotFound } from '../../http/problems.js'
import { PlainRows } from '../../lucid/plain_rows.js'
import type { Resource } from '../../resource/resource.js'
import type { Selection } from '../../sql/select.js'
import { joined, updateSql } from '../../sql/sql.js'
import type { Item } from '../../types.js'
import type { UpdateOptions } from '../call_options.js'
import { writesFiles } from './check_files.js'
import { clientFor } from '../client_for.js'
import type { CrudContext } from '../crud_context.js'
import { noteKey } from '../item_keys.js'
import { omit, withoutKeys } from './omit.js'
import { areStoredPlainly, needsNoTransaction } from './plain_create.js'

type Row = Record<string, unknown>

/**
 * Updates an item by one statement that reads nothing first, if nobody needs the former values: there is no event or
 * log, no own code, no precondition, and no rule about the single record.
 *
 * @param values  by attribute name
 * @returns undefined if the update takes a transaction; else the item, or null if it is not wanted
 * @throws Problem 404, 409 or 422
 */
export async function updateAlone(
  context: CrudContext,
  key: unknown,
  values: Row,
  { located, related, ...options }: UpdateOptions
): Promise<{ item: Item | null } | undefined> {
  const { resource } = context
  if (located || related || options.precondition || !resource.permits('update')) return undefined
  const client = await clientFor(resource, options)
  if (!needsNoTransaction(context, client)) return undefined
  if (!(await areStoredPlainly(context, client, options, 'update'))) return undefined
  const written = withoutKeys(resource, omit(values, resource.virtualFields))
  if (Object.keys(written).length === 0 || writesFiles(resource, written)) return undefined
  const changes = new PlainRows(resource, client).changesOf(written)
  if (!changes) return undefined

  const one = context.records.byKey(resource.key.fromCode(key), client, options)
  let row: Row | undefined
  try {
    row = await updatedRow(resource, one, changes, client)
  } catch (error) {
    const record = await resource.reader.record(client, one)
    throw (await faultToProblem(error, resource, record?.merge(written as any), client)) ?? error
  }
  if (!row) throw itemNotFound()
  return { item: wantedItem(resource, row, options) }
}

async function updatedRow(
  resource: Resource,
  { where }: Selection,
  changes: Row,
  client: QueryClientContract
): Promise<Row | undefined> {
  const dialect = dialectOf(client)
  const update = updateSql(dialect.quote(resource.table), changes, joined(where, 'and'))
  const told = resource.reader.listOf(resource.columns.all, dialect)
  const sql = `${update.sql} returning ${told}`
  const [row] = await runSingleStatement(client, { sql, bindings: update.bindings })
  return row
}

function wantedItem(
  resource: Resource,
  row: Row,
  { returning, written }: UpdateOptions
): Item | null {
  if ((!returning && !written) || !resource.permits('read')) return null
  const item = noteKey(resource.reader.itemOfRow(row)!, resource.key.ofRow(row))
  written?.(item)
  return returning ? item : null
}
