import { Problem } from '#base/errors'
import type { Condition } from '#base/columns/condition'
import { ListRequest } from '../../request/list_request.js'
import type { Position } from '../../sql/keyset.js'
import type { Item } from '../../types.js'
import type { ListResult } from './list_result.js'
import { dialectOf } from '#base/database/dialects'
import { orderOf, orderTerms } from '#base/columns/sort'
import type { Column } from '#base/columns/column'
import type { ColumnKind } from '#base/columns/column_kind'
import type { KeyValue } from '#base/columns/key'
import { readInteger } from '#base/values/numbers'
import { type CallOptions, clientFor } from '../call_options.js'
import type { Records } from '../records.js'

type Fetch = (request: ListRequest) => Promise<ListResult>

/**
 * Yields a whole list in batches. Batches become smaller where their values would exceed the limit of a response.
 *
 * @param whole   request for the whole list; its paging limits the number of rows
 * @param fetch   reads one batch; for a consistent list, all batches have to be read from one snapshot
 * @param atOnce  number of rows in a batch
 * @param parts   conditions that divide the list into consecutive parts; see `orderedParts`
 */
export async function* listBatches(
  whole: ListRequest,
  fetch: Fetch,
  atOnce: number,
  parts: AsyncIterable<readonly Condition[]> = undivided()
): AsyncGenerator<Item[], void> {
  let { limit: left } = whole.paging
  if (left <= 0) return
  for await (const part of parts) {
    for await (const items of readPart(whole, part, fetch, Math.min(atOnce, left))) {
      yield left < items.length ? items.slice(0, left) : items
      left -= items.length
      if (left <= 0) return
    }
  }
}

/** Reads one part of the list in batches. Each read continues after the last row of the previous one. */
async function* readPart(
  { conditions, deleted, fields, sorts }: ListRequest,
  part: readonly Condition[],
  fetch: Fetch,
  atOnce: number
): AsyncGenerator<Item[], void> {
  const narrow = [...conditions, ...part]
  let after: Position | null = null
  let isLast = false
  let limit = atOnce
  while (!isLast) {
    let next = null as Position | null
    const takeNext = (position: Position) => void (next = position)
    const paging = { shape: 'cursor', after, offset: 0, limit, takeNext } as const
    let list: ListResult
    try {
      list = await fetch(new ListRequest(narrow, sorts, paging, deleted, { fields }))
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 413 || limit === 1) throw error
      limit = Math.ceil(limit / 8)
      continue
    }
    yield list.data
    after = next
    isLast = next === null
  }
}

/** The whole list as one part */
async function* undivided(): AsyncGenerator<Condition[], void> {
  yield []
}

/* Databases limit the number of alternatives in a condition. */
const ROWS_OF_PART = 200

/** Kinds of key columns whose values can be read as text and compared with the column again */
const EXACT: readonly ColumnKind[] = ['integer', 'text', 'uuid']

/**
 * Returns conditions that divide a list into consecutive parts of a few rows. The database sorts the table only once,
 * and only the keys are stored in memory. Without these conditions it would sort the whole table for each part, unless
 * an index has the order.
 *
 * @param request  the list; its paging limits the number of rows
 * @returns undefined if the list is in key order, or its key columns are not of the kinds in `EXACT`
 * @throws Problem 403
 */
export function orderedParts(
  records: Records,
  request: ListRequest,
  options: CallOptions
): AsyncGenerator<Condition[], void> | undefined {
  const { columns } = records.resource.key
  const [sort] = request.sorts
  const isKeyOrder = !sort || sort.column.name === columns[0].name
  if (isKeyOrder || !columns.every(({ kind }) => EXACT.includes(kind))) return undefined
  return readParts(records, request.shownBy(records.resource), options)
}

async function* readParts(
  records: Records,
  request: ListRequest,
  options: CallOptions
): AsyncGenerator<Condition[], void> {
  const { key } = records.resource
  const client = await clientFor(records.resource, options)
  await records.authorize('read_multi', options)
  const rows: Array<Record<string, unknown> | undefined> = await readRows(
    records,
    request,
    client,
    options
  )
  for (const [index, row] of rows.entries()) {
    /* Released immediately: in a long export, the keys of all parts need the most memory. */
    rows[index] = undefined
    yield [records.among(keysOf(row!, key.columns))]
  }
}

async function readRows(
  records: Records,
  request: ListRequest,
  client: Awaited<ReturnType<typeof clientFor>>,
  options: CallOptions
): Promise<Array<Record<string, unknown>>> {
  const { key, table } = records.resource
  const dialect = dialectOf(client)
  const order = orderTerms(table, orderOf(request.sorts, key.columns), dialect).join(', ')
  const wanted = [
    ...key.columns.map((column, index) => dialect.stored(table, column, `crud_key_${index}`)),
    `row_number() over (order by ${order}) - 1 as crud_row`,
  ].join(', ')
  const matching = records.byConditions(request, client, options)
  const { sql, bindings } = await records.reader.statements.selected(client, matching, wanted)

  /* Records that a policy refuses do not count towards the limit. With a policy, the limit cannot be applied in SQL. */
  const { limit } = request.paging
  const isCut = Number.isFinite(limit) && !records.authorizesRecords(options)
  const lists = key.columns.map((_, index) => {
    return `${dialect.listOfTexts(`crud_key_${index}`)} as crud_keys_${index}`
  })
  const parts = [
    `select crud_row - crud_row % ${ROWS_OF_PART} as crud_part, ${lists.join(', ')}`,
    `from (${sql}) as crud_numbered`,
    ...(isCut ? [`where crud_row < ${Math.trunc(limit)}`] : []),
    'group by 1 order by 1',
  ].join(' ')
  return await dialect.selectRows(client, parts, bindings)
}

/** Returns the keys of a part, in no particular order. */
function keysOf(row: Record<string, unknown>, columns: readonly Column[]): KeyValue[] {
  const lists = columns.map((_, index) => JSON.parse(String(row[`crud_keys_${index}`])) as string[])
  return lists[0].map((_, position) =>
    columns.map(({ kind }, index) => {
      const text = lists[index][position]
      return kind === 'integer' ? (readInteger(text) ?? text) : text
    })
  )
}
