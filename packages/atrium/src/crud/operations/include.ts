import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import db from '@adonisjs/lucid/services/db'
import type { Dialect } from '#base/database/dialect'
import { dialectOf } from '#base/database/dialects'
import type { KeyValue } from '#base/columns/key'
import { orderOf, orderTerms } from '#base/columns/sort'
import { conditionToSql } from '../sql/condition_sql.js'
import type { IncludedRelation } from '../resource/resource.js'
import type { ExtraColumn, Sql } from '#base/sql/sql'
import type { Found, Read } from '../sql/reader.js'
import type { CallOptions } from './call_options.js'
import { LINK, RelatedRows } from './related/related_rows.js'
import { currentActor } from '#base/actor'
import { tooMuchIncluded } from '#base/http/problems'
import { crudConfig } from '../settings.js'
import type { Item } from '../types.js'
import { Records } from './records.js'
import { ROWS_PER_READ, chunks, VALUES_PER_STATEMENT } from '#base/chunks'

/** Alias of the visible rows between including items and related rows */
const VISIBLE = 'crud_visible'

/** Related items of one including item. */
interface Related {
  items: Item[]
  /** True if there are more items than the limit of the relation */
  more: boolean
}

/** Related items by the value that links them to the including items. */
class RelatedItems {
  readonly #byLink = new Map<string, Related>()
  readonly #limit: number
  readonly #most = crudConfig().pagination.included
  #left = this.#most

  constructor(private readonly include: IncludedRelation) {
    this.#limit = include.limit ?? Number.POSITIVE_INFINITY
  }

  /** Number of items that the response may still contain */
  get left(): number {
    return this.#left
  }

  of(link: unknown): Related {
    return this.#byLink.get(identity(link)) ?? { items: [], more: false }
  }

  /** @throws Problem 422  when the items exceed the limit of one response */
  add(found: readonly Found[]): void {
    for (const { item, extras } of found) {
      const id = identity(extras[LINK])
      let related = this.#byLink.get(id)
      if (!related) this.#byLink.set(id, (related = { items: [], more: false }))
      if (related.items.length >= this.#limit) {
        related.more = true
        continue
      }
      this.spend(1)
      if (this.include.pivot) item.pivot = this.include.pivot.valuesOf(extras)
      related.items.push(item)
    }
  }

  /** @throws Problem 422 */
  spend(items: number): void {
    this.#left -= items
    if (this.#left < 0) throw tooMuchIncluded(this.include.name, this.#most)
  }
}

/**
 * Reads the related items that the actor is allowed to see: with one query, or with several if the policy authorizes
 * each record.
 *
 * @param values  values that link the related items to the including items
 * @throws Problem 403
 * @throws Problem 422  when the items exceed the limit of one response
 */
async function readRelated(
  include: IncludedRelation,
  values: readonly unknown[],
  client: QueryClientContract,
  options: CallOptions
): Promise<RelatedItems> {
  await include.load(client)
  const resource = await include.resource.for(options.actor ?? currentActor(), client)
  const records = new Records(resource)
  const authorizes = records.authorizesRecords(options)
  if (include.isList) await records.authorize('read_multi', options)
  else if (!authorizes) await records.authorize('read', options)

  const items = new RelatedItems(include)
  for (const some of chunks(distinct(values), VALUES_PER_STATEMENT)) {
    const links = await visibleLinks(include, some, client, options)
    const rows = new RelatedRows(include, records, client, options, links)
    if (!authorizes) await addFirst(items, some, rows)
    else if (rows.areRanked) await addAllowedByRank(items, some, rows, records, options)
    else await addAllowed(items, some, rows, records, options)
  }
  return items
}

/**
 * Returns the condition that the row between an including item and a related row is one that the actor is allowed to
 * see; undefined if there is no such row, or if all of them are visible.
 *
 * @throws Problem 403
 * @throws Problem 422  when the policy or the hooks of the rows leave more of them than a statement can name
 */
async function visibleLinks(
  { name, through }: IncludedRelation,
  values: readonly unknown[],
  client: QueryClientContract,
  options: CallOptions
): Promise<Sql | undefined> {
  if (!through) return undefined
  const resource = await through.resource.for(options.actor ?? currentActor(), client)
  const records = new Records(resource)
  await records.authorize('read_multi', options)
  const { key, mixedColumns, table } = resource
  const dialect = dialectOf(client)
  const hasHooks = records.reader.statements.hasHooks('before:fetch', 'after:fetch')
  if (!hasHooks && !records.authorizesRecords(options)) {
    if (!resource.softDelete && !records.isLimited(options)) return undefined
    const shown = mixedColumns.size > 0 ? [through.from, through.to] : []
    const { sql, bindings } = records.statement(key.columns, client, options, shown)
    const isSame = key.columns
      .map((column) => `${dialect.nameOf(VISIBLE, column)} = ${dialect.nameOf(table, column)}`)
      .join(' and ')
    return {
      sql: `exists (select 1 from (${sql}) as ${dialect.quote(VISIBLE)} where ${isSame})`,
      bindings,
    }
  }
  const all = { conditions: [], deleted: 'exclude' as const }
  const visible = records.byConditions(all, client, options)
  const where = [...visible.where, dialect.compareList(table, through.from, values, false)]
  const order = orderTerms(table, orderOf([], key.columns), dialect)
  const keys: KeyValue[] = []
  for (let offset = 0; ; offset += ROWS_PER_READ) {
    const part = { ...visible, where, order, offset, limit: ROWS_PER_READ }
    const read = await records.reader.readRecords(client, part, {})
    for (const { record } of read) {
      if (await records.allows('read', options, record)) keys.push(key.of(record))
    }
    if (keys.length * key.columns.length > VALUES_PER_STATEMENT) {
      throw tooMuchIncluded(name, VALUES_PER_STATEMENT)
    }
    if (read.length < ROWS_PER_READ) break
  }
  return conditionToSql(table, records.among(keys), dialect, (subquery) =>
    subquery(client, options)
  )
}

async function addFirst(
  items: RelatedItems,
  values: readonly unknown[],
  rows: RelatedRows
): Promise<void> {
  if (!rows.areRanked) return await addUnranked(items, values, rows)
  items.add(await rows.find(values, items.left + 1 + values.length, rows.include.limit))
}

/**
 * Adds rows that the database does not limit for each including item. A read ends at one row more than the response
 * may still contain, so it is repeated for the including items that it has not completed.
 *
 * @throws Problem 422  when a read completes none, because all its rows would be in the response
 */
async function addUnranked(
  items: RelatedItems,
  values: readonly unknown[],
  rows: RelatedRows
): Promise<void> {
  const { limit = Number.POSITIVE_INFINITY } = rows.include
  let unfinished = values
  for (;;) {
    const { left } = items
    const found = await rows.find(unfinished, left + 1)
    if (found.length <= left) return items.add(found)
    const linkOf = ({ extras }: Found) => identity(extras[LINK])
    const counts = Map.groupBy(found, linkOf)
    const isFinished = (link: string) => (counts.get(link)?.length ?? 0) > limit
    const remaining = unfinished.filter((value) => !isFinished(identity(value)))
    if (remaining.length === unfinished.length) items.spend(found.length)
    items.add(found.filter((one) => isFinished(linkOf(one))))
    unfinished = remaining
  }
}

/** Adds the records that the policy allows. Ranks include refused records, so reading continues at higher ranks. */
async function addAllowedByRank(
  items: RelatedItems,
  values: readonly unknown[],
  rows: RelatedRows,
  records: Records,
  options: CallOptions
): Promise<void> {
  let unfinished = values
  for (let rank = 0; unfinished.length > 0;) {
    const size = Math.max(1, Math.floor(ROWS_PER_READ / unfinished.length))
    const read = await rows.readRanks(unfinished, rank, rank + size)
    items.add(await allowed(read, records, options))
    rank += size
    const counts = Map.groupBy(read, ({ extras }) => identity(extras[LINK]))
    unfinished = unfinished.filter(
      (value) => counts.get(identity(value))?.length === size && !items.of(value).more
    )
  }
}

async function addAllowed(
  items: RelatedItems,
  values: readonly unknown[],
  rows: RelatedRows,
  records: Records,
  options: CallOptions
): Promise<void> {
  for (let offset = 0; ; offset += ROWS_PER_READ) {
    const read = await rows.readBatch(values, offset, ROWS_PER_READ)
    items.add(await allowed(read, records, options))
    if (read.length < ROWS_PER_READ) return
  }
}

async function allowed(
  read: readonly Read[],
  records: Records,
  options: CallOptions
): Promise<Found[]> {
  const found: Found[] = []
  for (const one of read) {
    if (await records.allows('read', options, one.record)) found.push(records.reader.foundOf(one))
  }
  return found
}

function distinct(values: readonly unknown[]): unknown[] {
  const byIdentity = new Map(values.map((value) => [identity(value), value]))
  return [...byIdentity.values()].filter((value) => value !== null && value !== undefined)
}

/**
 * Returns a comparable text: drivers can return the same value as number, text or bigint on both sides of a relation.
 */
function identity(value: unknown): string {
  if (Buffer.isBuffer(value)) return value.toString('hex')
  return value instanceof Date ? value.toISOString() : String(value)
}

/** Returns the columns to read in addition to the requested fields, for items that include related items. */
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
 * Adds the related items to the items found, with one query per relation. Leaves out records outside the actor's scope,
 * soft-deleted records, and records that the policy does not allow the actor to read; if the policy refuses the whole
 * operation, the request is refused. A list is cut at the relation's limit, and the field `NAME_has_more` is then true.
 *
 * @param found  items, read with `includeColumns`
 * @throws Problem 403
 * @throws Problem 422  when the related items exceed the limit of one response
 */
export async function includeRelated(
  found: readonly Found[],
  includes: readonly IncludedRelation[],
  client: QueryClientContract,
  options: CallOptions
): Promise<void> {
  if (found.length === 0 || includes.length === 0) return
  const related = await Promise.all(
    includes.map((include, index) => {
      const values = found.map(({ extras }) => extras[aliasOf(index)])
      return readRelated(include, values, clientOf(include, client), options)
    })
  )
  includes.forEach(({ hasMore, isList, name }, index) => {
    for (const { item, extras } of found) {
      const { items, more } = related[index].of(extras[aliasOf(index)])
      item[name] = isList ? items : (items[0] ?? null)
      if (more) item[hasMore] = true
    }
  })
}

/** Returns the client itself, with its transaction, unless the related model is in another database. */
function clientOf(
  { resource }: IncludedRelation,
  client: QueryClientContract
): QueryClientContract {
  const { connection } = resource.model
  const isElsewhere = connection !== undefined && connection !== client.connectionName
  return isElsewhere && db.manager.has(connection) ? resource.client() : client
}

function aliasOf(index: number): string {
  return `${LINK}_${index}`
}
