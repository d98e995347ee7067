import { Readable } from 'node:stream'
import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { LIST_FORMATS, type ListFormat } from '../../http/list_format.js'
import { takeExportSlot } from '../../http/export_slots.js'
import { conflictsWithFormat } from '../../http/problems.js'
import { listBatches } from '../../operations/lists/list_batches.js'
import type { ListResult } from '../../operations/lists/list_result.js'
import type { orderedParts } from '../../operations/lists/ordered_parts.js'
import { beginSnapshot, type Snapshot } from '../../operations/lists/snapshot.js'
import { ListRequest } from '../../request/list_request.js'
import { ownParameter } from '../../request/parameters.js'
import { queryOf } from '../../request/query_string.js'
import { shownFields } from '../../request/shown_fields.js'
import type { Resource } from '../../resource/resource.js'
import { crudConfig } from '../../settings.js'
import type { Item } from '../../types.js'
import { CsvWriter } from '../../values/csv.js'
import { writeJson } from '../../values/json.js'

const ROWS_AT_ONCE = 500

/** Milliseconds that a client may receive nothing */
const STALLED = 60_000

/** Header of an answer that has not all that match */
const HAS_MORE = 'x-has-more'

interface ExportOptions {
  resource: Resource
  format: ListFormat
  /** The client of the request */
  client: QueryClientContract
  /** Reads one part of the list */
  fetch: (request: ListRequest, client: QueryClientContract) => Promise<ListResult>
  /** Divides the list; undefined where own code reads it */
  divide?: (request: ListRequest, client: QueryClientContract) => ReturnType<typeof orderedParts>
}

type Batches = AsyncGenerator<Item[], void>

/**
 * GET without a key, as CSV or NDJSON: the whole list up to `limits.export` rows, part by part, of one
 * moment. A fault before the first part is an ordinary problem; a later one ends the connection, so that no
 * client takes a part for the whole. The header `X-Has-More` tells whether more rows match. [D5]
 *
 * @throws Problem 400 or 422  for parameters that are not allowed
 * @throws Problem 503  while too many are being sent
 */
export async function handleExport(ctx: HttpContext, options: ExportOptions): Promise<void> {
  const { client, format, resource } = options
  const request = parse(ctx, resource, format)
  const giveBack = takeExportSlot()
  let snapshot: Snapshot | undefined
  try {
    snapshot = await beginSnapshot(client)
    const reading = snapshot.client
    const parts = options.divide?.(request, reading)
    const read = (part: ListRequest) => options.fetch(part, reading)
    const batches = listBatches(request, read, ROWS_AT_ONCE, parts)
    const first = await batches.next()
    const { length = 0 } = first.value ?? []
    const isWhole = !parts && length < Math.min(request.paging.limit, ROWS_AT_ONCE)
    const hasMore = !isWhole && (await isCut(request, { ...options, client: reading }))
    ctx.response.header(HAS_MORE, String(hasMore))
    send(ctx, textOf(resource, request, format, first.value ?? [], batches), format, () => {
      giveBack()
      snapshot!.end()
    })
  } catch (error) {
    giveBack()
    snapshot?.end()
    throw error
  }
}

function parse(ctx: HttpContext, resource: Resource, format: ListFormat): ListRequest {
  const config = crudConfig()
  const { export: most } = config.limits
  const query = queryOf(ctx)
  for (const name of ['offset', 'page', 'itemsPerPage', 'cursor', 'count', 'include'] as const) {
    if (ownParameter(resource, query, name) !== undefined) {
      throw conflictsWithFormat(name, LIST_FORMATS[format])
    }
  }
  const pagination = { ...config.pagination, limit: most, maximum: most }
  return ListRequest.parse(resource, query, { ...config, pagination })
}

/** Looks at the row after the last one that is sent. */
async function isCut(
  { conditions, deleted, fields, paging: { limit }, sorts }: ListRequest,
  { client, fetch }: ExportOptions
): Promise<boolean> {
  const next = { shape: 'offset', offset: limit, limit: 1 } as const
  const list = new ListRequest(conditions, sorts, next, deleted, { fields, count: false })
  const { data } = await fetch(list, client)
  return data.length > 0
}

async function* textOf(
  resource: Resource,
  request: ListRequest,
  format: ListFormat,
  first: Item[],
  others: Batches
): AsyncGenerator<string> {
  const isCsv = format === 'csv'
  const fields = shownFields(resource, request.fields) ?? resource.answer
  const names =
    isCsv && resource.reader.serializesItself && first.length > 0
      ? Object.keys(first[0])
      : undefined
  const csv = new CsvWriter(fields, names)
  const write = (items: Item[]) => (isCsv ? csv.lines(items) : writeLines(items))
  yield (isCsv ? csv.heading : '') + write(first)
  for await (const items of others) yield write(items)
}

function writeLines(items: Item[]): string {
  return items.map((item) => `${writeJson(item)}\n`).join('')
}

/** @param done  called once, after the answer is sent or its connection is closed */
function send(
  ctx: HttpContext,
  text: AsyncGenerator<string>,
  format: ListFormat,
  done: () => void
): void {
  const { response } = ctx.response
  ctx.response.header('content-type', `${LIST_FORMATS[format]}; charset=utf-8`)
  if (ctx.request.method() === 'HEAD') {
    done()
    return ctx.response.stream(Readable.from([]))
  }
  const stream = Readable.from(text, { objectMode: false, highWaterMark: 1 })
  const close = () => {
    stream.destroy()
    done()
  }
  if (response.closed || response.destroyed) return close()
  response.once('close', close)
  response.setTimeout(STALLED, () => response.destroy())
  stream.once('error', (error) => ctx.logger.error({ err: error }, 'An export has failed midway'))
  ctx.response.stream(stream)
}
