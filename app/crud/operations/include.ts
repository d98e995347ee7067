import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import db from '@adonisjs/lucid/services/db'
import { dialectOf } from '../database/dialects.js'
import type { Dialect, Query } from '../database/dialect.js'
import { tooMuchIncluded } from '../http/problems.js'
import type { CallOptions } from '../lucid_crud.js'
import type { Beside, Found } from '../sql/reader.js'
import { applySelection, type Selection } from '../sql/select.js'
import { orderOf } from '../request/sort.js'
import { orderTerms } from '../sql/order.js'
import { Records } from './records.js'
import type { Inclusion } from '../resource/included_relation.js'
import { crudConfig } from '../settings.js'
import type { Item } from '../types.js'

const LINK = 'crud_link'

/* Databases bound how many values one statement may hold, SQLite at 32,766. */
const VALUES_AT_ONCE = 10_000

const JUDGED_AT_ONCE = 500

/**
 * What must be read beside the fields of items that are going to include others.
 */
export function linksOf(
  inclusions: readonly Inclusion[],
  table: string,
  dialect: Dialect
): Beside[] {
  return inclusions.map(({ column }, index) => {
    const as = aliasOf(index)
    return { as, sql: dialect.stored(table, column, as) }
  })
}

/**
 * Puts the related items into the items that were found, one query a relation. What the related
 * model's scope hides from the actor is left out, what is soft-deleted too, and each record that its
 * policy refuses to read; a policy that refuses the operation refuses the whole. [Q3, P14]
 *
 * @param found  read with `linksOf`
 * @throws Problem 403
 * @throws Problem 422  when there would be more of them than one answer may hold
 */
export async function embed(
  found: readonly Found[],
  inclusions: readonly Inclusion[],
  client: QueryClientContract,
  options: CallOptions
): Promise<void> {
  if (found.length === 0) return
  const related = await Promise.all(
    inclusions.map((inclusion, index) => {
      const values = found.map(({ beside }) => beside[aliasOf(index)])
      return relatedItems(inclusion, values, clientOf(inclusion, client), options)
    })
  )
  inclusions.forEach(({ isList, name }, index) => {
    for (const { item, beside } of found) {
      const items = related[index].get(identity(beside[aliasOf(index)])) ?? []
      item[name] = isList ? items : (items[0] ?? null)
    }
  })
}

/**
 * @returns the items by the value that ties them to those that include them, in the order of their keys
 */
async function relatedItems(
  inclusion: Inclusion,
  values: readonly unknown[],
  client: QueryClientContract,
  options: CallOptions
): Promise<Map<string, Item[]>> {
  const { isList, name, resource } = inclusion
  await resource.load(client)
  const records = new Records(resource)
  if (isList) await records.ask('read_multi', options)
  else if (!records.judgesRecords(options)) await records.ask('read', options)

  const items = new Map<string, Item[]>()
  let left = crudConfig().pagination.included
  for (const some of chunks(distinct(values))) {
    for await (const found of visibleItems(inclusion, some, left + 1, records, client, options)) {
      left -= found.length
      if (left < 0) throw tooMuchIncluded(name, crudConfig().pagination.included)
      for (const { item, beside } of found) {
        const id = identity(beside[LINK])
        const others = items.get(id)
        if (others) others.push(item)
        else items.set(id, [item])
      }
    }
  }
  return items
}

/**
 * The related items that the actor may see, with their link: one batch of at most `limit`. Where the
 * policy is asked about each record, as many batches as it takes to tell that there are not more.
 */
async function* visibleItems(
  inclusion: Inclusion,
  values: readonly unknown[],
  limit: number,
  records: Records,
  client: QueryClientContract,
  options: CallOptions
): AsyncGenerator<Found[]> {
  const { link, resource } = inclusion
  const { reader } = records
  const dialect = dialectOf(client)
  const beside = [{ as: LINK, sql: dialect.stored(link.table, link.column, LINK) }]
  const order = orderTerms(resource.table, orderOf([], resource.key.columns), dialect)
  if (!records.judgesRecords(options)) {
    const { begun, visible } = begin(inclusion, values, records, client, options)
    yield await reader.find(
      client,
      { ...visible, order, limit },
      { beside, room: options.room },
      begun
    )
    return
  }
  /* A record may be related to several, so that its key alone is no place to go on from. */
  order.push(`${dialect.quote(link.table)}.${dialect.quote(link.column.name)}`)
  for (let offset = 0; ; offset += JUDGED_AT_ONCE) {
    const { begun, visible } = begin(inclusion, values, records, client, options)
    const selection = { ...visible, order, offset, limit: JUDGED_AT_ONCE }
    const read = await reader.readRecords(client, selection, { beside, begun, room: options.room })
    const allowed: Found[] = []
    for (const one of read) {
      if (await records.allows('read', options, one.record)) allowed.push(reader.foundOf(one))
    }
    yield allowed
    if (read.length < JUDGED_AT_ONCE) return
  }
}

/**
 * The query of the related rows, and what narrows it to those that the actor may see. Where other
 * tables are joined, the related one is narrowed before: a column that the scope names without a table
 * may be in several.
 */
function begin(
  inclusion: Inclusion,
  values: readonly unknown[],
  records: Records,
  client: QueryClientContract,
  options: CallOptions
): { begun: Query; visible: Selection } {
  const { model, table } = inclusion.resource
  const visible = records.byConditions({ conditions: [], deleted: 'exclude' }, client, options)
  const begun = inclusion.query(client, values)
  begun.wrapExisting()
  if (!inclusion.isIndirect) return { begun, visible }

  const rows = model.query({ client }) as Query
  applySelection(rows, table, visible)
  begun.from(rows.as(table) as any)
  return { begun, visible: { where: [] } }
}

/**
 * The same client, transaction and all, unless the related model lives in another database.
 */
function clientOf({ resource }: Inclusion, client: QueryClientContract): QueryClientContract {
  const { connection } = resource.model
  const isElsewhere = connection !== undefined && connection !== client.connectionName
  return isElsewhere && db.manager.has(connection) ? resource.client() : client
}

function aliasOf(index: number): string {
  return `${LINK}_${index}`
}

function distinct(values: readonly unknown[]): unknown[] {
  const byIdentity = new Map(values.map((value) => [identity(value), value]))
  return [...byIdentity.values()].filter((value) => value !== null && value !== undefined)
}

function* chunks(values: unknown[]) {
  for (let start = 0; start < values.length; start += VALUES_AT_ONCE) {
    yield values.slice(start, start + VALUES_AT_ONCE)
  }
}

/** Drivers give the same value as number, text or bigint, on the two sides of a relation. */
function identity(value: unknown): string {
  if (Buffer.isBuffer(value)) return value.toString('hex')
  return value instanceof Date ? value.toISOString() : String(value)
}
