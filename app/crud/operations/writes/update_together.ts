import { isDeepStrictEqual } from 'node:util'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { dialectOf } from '../../database/dialects.js'
import { UnknownKey } from '../../errors.js'
import { watchedResourceOf } from '../../events/watched.js'
import { Write } from '../../events/write.js'
import { actorWithin, addToScope, scopeOf } from '../../events/write_scope.js'
import { nothingStored } from '../../http/problems.js'
import { PlainRows } from '../../lucid/plain_rows.js'
import type { KeyValue } from '../../resource/key.js'
import type { Resource } from '../../resource/resource.js'
import { updateSql } from '../../sql/sql.js'
import type { CallOptions } from '../call_options.js'
import { clientFor } from '../client_for.js'
import type { CrudContext } from '../crud_context.js'
import { identityOf } from '../reach.js'
import { updateItem } from '../update.js'
import { writesFiles } from './check_files.js'
import { omit, withoutKeys } from './omit.js'
import { runsOwnCode } from './own_code.js'
import { areStoredPlainly } from './plain_create.js'
import { runWrite } from './write_transaction.js'

type Row = Record<string, unknown>

/** The new values of an item, by attribute name */
export interface ItemChange {
  key: KeyValue
  values: Readonly<Row>
}

interface PlainChange {
  values: Row
  /** What is written, by column name */
  row: Row
  keys: KeyValue[]
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
  if (locksRows || !client.isTransaction || (await runsOwnCode(context, client))) {
    return false
  }
  await runWrite(context, options, async (transaction) => {
    for (let start = 0; start < all.length; start += KEYS_AT_ONCE) {
      const some = all.slice(start, start + KEYS_AT_ONCE)
      const plain = await plainChanges(context, some, transaction, options)
      if (plain) await updateRows(context, plain, transaction, options)
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

/**
 * The changes as rows of a model that stores them plainly; those with the same values, one after the other, are one.
 *
 * @returns undefined if any needs its record
 */
async function plainChanges(
  context: CrudContext,
  all: readonly ItemChange[],
  client: TransactionClientContract,
  options: CallOptions
): Promise<PlainChange[] | undefined> {
  const { resource } = context
  if (!resource.permits('update') || !resource.reader.answersPlainly) return undefined
  if (!(await areStoredPlainly(context, client, options, 'update'))) return undefined
  const rows = new PlainRows(resource, client)
  const changes: PlainChange[] = []
  for (const one of all) {
    const values = withoutKeys(resource, omit(one.values, resource.virtualFields))
    const last = changes.at(-1)
    if (last && isDeepStrictEqual(last.values, values)) {
      last.keys.push(one.key)
      continue
    }
    const row = rows.changesOf(values)
    if (!row || Object.keys(values).length === 0 || writesFiles(resource, values)) return undefined
    changes.push({ values, row, keys: [one.key] })
  }
  return changes
}

async function updateRows(
  { records, resource }: CrudContext,
  changes: readonly PlainChange[],
  client: TransactionClientContract,
  options: CallOptions
): Promise<void> {
  const { columns, key, reader, table } = resource
  const watched = watchedResourceOf(resource.model)
  /* The resource of an operation outside a request is another one than that of the endpoints. */
  await watched?.load(client)
  const dialect = dialectOf(client)
  const scope = scopeOf(client)!
  const by = { actor: actorWithin(scope), origin: scope.origin }
  const returning = reader.listOf(columns.all, dialect)
  for (const { keys, row } of changes) {
    const wanted = { conditions: [records.among(keys)], deleted: 'exclude' as const }
    const before = byKey(
      resource,
      await reader.rows(client, records.byConditions(wanted, client, options))
    )
    const missing = keys.find((one) => !before.has(identityOf(one)))
    if (missing) throw new UnknownKey(missing)
    /* In the order of the caller, each once */
    const ids = new Set(keys.map((one) => identityOf(one)))
    const { sql, bindings } = updateSql(dialect.quote(table), row, key.isAny(keys, dialect))
    const stored = await dialect.selectRows(client, `${sql} returning ${returning}`, bindings)
    if (stored.length < ids.size) throw nothingStored()
    if (!watched) continue
    const after = byKey(resource, stored)
    const writes = Array.from(ids, (id) =>
      Write.ofRow(watched, before.get(id)!, after.get(id)!, client, by)
    )
    addToScope(
      scope,
      client,
      writes.filter((write) => !write.isRepetition)
    )
  }
}

function byKey({ key }: Resource, rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [identityOf(key.ofRow(row)), row]))
}
