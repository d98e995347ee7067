import { dialectOf } from '#base/database/dialects'
import type { Condition } from '#base/columns/condition'
import type { ListRequest } from '../../request/list_request.js'
import { orderOf } from '#base/columns/sort'
import type { Column } from '#base/columns/column'
import type { ColumnKind } from '#base/columns/column_kind'
import type { KeyValue } from '#base/columns/key'
import { orderTerms } from '../../sql/order.js'
import { readInteger } from '#base/values/numbers'
import type { CallOptions } from '../call_options.js'
import { clientFor } from '../client_for.js'
import type { Records } from '../records.js'

/* Databases limit the alternatives of one condition. */
const ROWS_OF_PART = 200

/** Kinds of keys whose texts compare with their columns again */
const EXACT: readonly ColumnKind[] = ['integer', 'text', 'uuid']

/**
 * Conditions that divide a list into parts of a few rows, in its order. The database sorts the table once, and only
 * the keys are remembered; without them it would sort the whole table for each part, unless an index has the order.
 *
 * @param request  all of whose rows are wanted, or the first as its paging says
 * @returns undefined if the order is that of the key, or the key is of another kind
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
    /* Released immediately: the keys of all parts take the most memory of a long export. */
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

  /* A record that the policy refuses takes no place in the list. */
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

/** The keys of a part, in no order. */
function keysOf(row: Record<string, unknown>, columns: readonly Column[]): KeyValue[] {
  const lists = columns.map((_, index) => JSON.parse(String(row[`crud_keys_${index}`])) as string[])
  return lists[0].map((_, position) =>
    columns.map(({ kind }, index) => {
      const text = lists[index][position]
      return kind === 'integer' ? (readInteger(text) ?? text) : text
    })
  )
}
