import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import db from '@adonisjs/lucid/services/db'
import { dialectOf } from '../database/dialects.js'
import type { Dialect, Query } from '../database/dialect.js'
import { tooMuchIncluded } from '../http/problems.js'
import { currentActor } from '../actor.js'
import type { CallOptions } from './call_options.js'
import type { ExtraColumn, Found } from '../sql/reader.js'
import { applySelection, type Selection } from '../sql/select.js'
import { orderOf } from '../request/sort.js'
import { orderTerms } from '../sql/order.js'
import { Records } from './records.js'
import type { IncludedRelation } from '../resource/resource.js'
import { crudConfig } from '../settings.js'
import type { Item } from '../types.js'

const RELATED_KEY = 'crud_link'

/* Databases limit the values of one statement, SQLite to 32,766. */
const VALUES_AT_ONCE = 10_000

const AUTHORIZED_AT_ONCE = 500

/** The columns to read in addition to the fields of items that include others. */
export function includeColumns(
  includes: readonly IncludedRelation[],
  table: string,
  dialect: Dialect
): ExtraColumn[] {
  return includes.map(({ column }, index) => {
    const as = aliasOf(index)
    return { as, sql: dialect.stored(table, column, as) }
  })
}

/**
 * Adds the related items to the items found, by one query for each relation. It leaves out records
 * outside the actor's scope, soft-deleted ones, and those that the policy refuses to read; if the policy
 * refuses the operation, the whole request is refused. [Q3, P14]
 *
 * @param found  read with `includeColumns`
 * @throws Problem 403
 * @throws Problem 422  when they exceed the limit of one answer
 */
export async function includeRelated(
  found: readonly Found[],
  includes: readonly IncludedRelation[],
  client: QueryClientContract,
  options: CallOptions
): Promise<void> {
  if (found.length === 0) return
  const related = await Promise.all(
    includes.map((include, index) => {
      const values = found.map(({ extras }) => extras[aliasOf(index)])
      return relatedItems(include, values, clientOf(include, client), options)
    })
  )
  includes.forEach(({ isList, name }, index) => {
    for (const { item, extras } of found) {
      const items = related[index].get(identity(extras[aliasOf(index)])) ?? []
      item[name] = isList ? items : (items[0] ?? null)
    }
  })
}

/** @returns the items by the value that links them to the including items, in the order of their keys */
async function relatedItems(
  include: IncludedRelation,
  values: readonly unknown[],
  client: QueryClientContract,
  options: CallOptions
): Promise<Map<string, Item[]>> {
  const { isList, name } = include
  await include.resource.load(client)
  const resource = await include.resource.for(options.actor ?? currentActor(), client)
  const records = new Records(resource)
  if (isList) await records.authorize('read_multi', options)
  else if (!records.authorizesRecords(options)) await records.authorize('read', options)

  const items = new Map<string, Item[]>()
  let left = crudConfig().pagination.included
  for (const some of chunks(distinct(values))) {
    for await (const found of visibleItems(include, some, left + 1, records, client, options)) {
      left -= found.length
      if (left < 0) throw tooMuchIncluded(name, crudConfig().pagination.included)
      for (const { item, extras } of found) {
        const id = identity(extras[RELATED_KEY])
        const others = items.get(id)
        if (others) others.push(item)
        else items.set(id, [item])
      }
    }
  }
  return items
}

/**
 * The related items that the actor may see, with their links: one batch of at most `limit`. If the
 * policy authorizes each record, as many batches as it takes to know that there are no more.
 */
async function* visibleItems(
  include: IncludedRelation,
  values: readonly unknown[],
  limit: number,
  records: Records,
  client: QueryClientContract,
  options: CallOptions
): AsyncGenerator<Found[]> {
  const { relatedColumn } = include
  const { reader, resource } = records
  const dialect = dialectOf(client)
  const extras = [
    {
      as: RELATED_KEY,
      sql: dialect.stored(relatedColumn.table, relatedColumn.column, RELATED_KEY),
    },
  ]
  const order = orderTerms(resource.table, orderOf([], resource.key.columns), dialect)
  if (!records.authorizesRecords(options)) {
    const { begun, visible } = begin(include, values, records, client, options)
    yield await reader.find(
      client,
      { ...visible, order, limit },
      { extras, budget: options.budget },
      begun
    )
    return
  }
  /* A record may be related to several items, so its key alone is no position to continue from. */
  order.push(`${dialect.quote(relatedColumn.table)}.${dialect.quote(relatedColumn.column.name)}`)
  for (let offset = 0; ; offset += AUTHORIZED_AT_ONCE) {
    const { begun, visible } = begin(include, values, records, client, options)
    const selection = { ...visible, order, offset, limit: AUTHORIZED_AT_ONCE }
    const read = await reader.readRecords(client, selection, {
      extras,
      begun,
      budget: options.budget,
    })
    const allowed: Found[] = []
    for (const one of read) {
      if (await records.allows('read', options, one.record)) allowed.push(reader.foundOf(one))
    }
    yield allowed
    if (read.length < AUTHORIZED_AT_ONCE) return
  }
}

/**
 * The query of the related rows, narrowed to those that the actor may see. If the query joins tables,
 * the scope applies to a subquery: a column that it names without a table may be in several of them.
 */
function begin(
  include: IncludedRelation,
  values: readonly unknown[],
  records: Records,
  client: QueryClientContract,
  options: CallOptions
): { begun: Query; visible: Selection } {
  const { model, table } = include.resource
  const visible = records.byConditions({ conditions: [], deleted: 'exclude' }, client, options)
  const begun = include.query(client, values)
  begun.wrapExisting()
  if (!include.isIndirect) return { begun, visible }

  const rows = model.query({ client }) as Query
  applySelection(rows, table, visible)
  begun.from(rows.as(table) as any)
  return { begun, visible: { where: [] } }
}

/** The same client with its transaction, unless the related model is in another database. */
function clientOf(
  { resource }: IncludedRelation,
  client: QueryClientContract
): QueryClientContract {
  const { connection } = resource.model
  const isElsewhere = connection !== undefined && connection !== client.connectionName
  return isElsewhere && db.manager.has(connection) ? resource.client() : client
}

function aliasOf(index: number): string {
  return `${RELATED_KEY}_${index}`
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

/** Drivers may return the same value as number, text or bigint on the two sides of a relation. */
function identity(value: unknown): string {
  if (Buffer.isBuffer(value)) return value.toString('hex')
  return value instanceof Date ? value.toISOString() : String(value)
}
