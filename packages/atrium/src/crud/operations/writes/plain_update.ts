import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { dialectOf } from '#base/database/dialects'
import { Problem } from '#base/errors'
import { PlainRows } from '../../lucid/plain_rows.js'
import type { Resource } from '../../resource/resource.js'
import { joined, updateSql, type Sql } from '#base/sql/sql'
import type { Item } from '../../types.js'
import type { UpdateOptions } from '../call_options.js'
import { writesFiles } from './check_files.js'
import { clientFor } from '../client_for.js'
import type { CrudContext } from '../crud_context.js'
import { noteKey } from '#base/items'
import { omit, withoutKeys } from './omit.js'
import { bareWriteFor } from './bare_write.js'
import { areStoredPlainly } from './plain_create.js'
import { writeProblem } from './write_problem.js'

type Row = Record<string, unknown>

/**
 * Updates an item without a transaction of Lucid, if there is no application code, no precondition, and no rule about the
 * single record: by one statement that reads nothing first, or with the statements that record it.
 *
 * @param values  by attribute name
 * @returns undefined if the update needs a transaction of Lucid's; else the item, or null if it is not wanted
 * @throws Problem 404, 409 or 422
 */
export async function updateBarely(
  context: CrudContext,
  key: unknown,
  values: Row,
  { located, related, ...options }: UpdateOptions
): Promise<{ item: Item | null } | undefined> {
  const { resource } = context
  if (located || related || options.precondition) return undefined
  const client = await clientFor(resource, options)
  if (!resource.permits('update')) return undefined
  const write = bareWriteFor(context, client, options)
  if (!write || !(await areStoredPlainly(context, client, options, 'update'))) return undefined
  const written = withoutKeys(resource, omit(values, resource.virtualFields))
  if (Object.keys(written).length === 0 || writesFiles(resource, written)) return undefined
  const changes = new PlainRows(resource, client).changesOf(written)
  if (!changes) return undefined

  const one = context.records.byKey(resource.key.fromCode(key), client, options)
  try {
    const row = await write.update({
      select: () => resource.reader.lockedRow(one, client),
      update: (condition) => updateOf(resource, one.where, condition, changes, client),
    })
    return { item: wantedItem(resource, row, options) }
  } catch (error) {
    if (error instanceof Problem) throw error
    const record = await resource.reader.record(client, one)
    const changed = record?.merge(written as any)
    throw (await writeProblem(error, context, changed, client, options)) ?? error
  }
}

/** @param condition  that the row has to meet as well */
function updateOf(
  resource: Resource,
  where: readonly Sql[],
  condition: Sql | undefined,
  changes: Row,
  client: QueryClientContract
): Sql {
  const dialect = dialectOf(client)
  const conditions = joined(condition ? [...where, condition] : where, 'and')
  const { sql, bindings } = updateSql(dialect.quote(resource.table), changes, conditions)
  return {
    sql: `${sql} returning ${resource.reader.listOf(resource.columns.all, dialect)}`,
    bindings,
  }
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
