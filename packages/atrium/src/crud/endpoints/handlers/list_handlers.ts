import type { HttpContext } from '@adonisjs/core/http'
import type { ListResult } from '../../operations/lists/list_result.js'
import { ListRequest } from '../../request/list_request.js'
import type { Resource } from '../../resource/resource.js'
import { crudConfig } from '../../settings.js'
import type { CrudConfig } from '../../define_config.js'
import type { EndpointAccess } from '../endpoint_access.js'
import { Readable } from 'node:stream'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { LIST_FORMATS, type ListFormat, CsvWriter } from '../../http/list_format.js'
import { responseBudgetOf } from '../../http/response_budget.js'
import { isAllowedOrigin } from '../../http/cross_origin.js'
import { isCrossSite } from '#base/http/cross_site'
import {
  type FirstBatches,
  readFirstBatches,
  takeExportSlot,
  withFirstBatches,
} from '#base/http/export_slots'
import { crossSiteWrite } from '#base/http/access_problems'
import { conflictsWithFormat } from '#base/http/problems'
import { ROWS_PER_READ } from '#base/chunks'
import { listBatches, type orderedParts } from '../../operations/lists/list_batches.js'
import { beginSnapshot } from '#base/database/snapshot'
import type { AggregateInput } from '../../request/aggregate_request.js'
import type { AggregateRow } from '../../sql/aggregates.js'
import {
  aggregateParameter,
  ownParameter,
  type AggregateParameter,
  queryOf,
  type QueryString,
  relatedNames,
} from '../../request/query_string.js'
import { shownFields } from '../../request/item_request.js'
import type { Item } from '../../types.js'
import { writeJson } from '#base/values/json'
import { actorOf, sendsToken } from '../access.js'
import { RelatedFields } from '../../operations/related/related_fields.js'

/**
 * Returns the parameters of a list request, with the filters that the application computes for it, and the fields of
 * related records that it names.
 *
 * @throws Problem  when the caller is not allowed to read the records of a named relation
 */
export async function listQueryOf(
  ctx: HttpContext,
  resource: Resource,
  access: EndpointAccess
): Promise<QueryString> {
  const query = queryOf(ctx)
  const { filters } = resource
  query.computed = await filters.compute(ctx)
  if (!filters.areRelated) return query
  const sort = filters.get('sort') ? [] : query.all('sort')
  query.related = await RelatedFields.of(resource, relatedNames(query.names, sort.join()), {
    actor: actorOf(ctx),
    allows: (name) => filters.allowsRelated(name),
    declares: (name) => filters.declaresRelated(name),
    admits: (relation) => access.admitsRelated(ctx, relation),
  })
  return query
}

interface ListHandlerOptions {
  resource: Resource
  access: EndpointAccess
  /** True if the list understands the dialect of json-server */
  isJsonServer: boolean
  /** True for the route that always returns pages */
  paged: boolean
  fetch: (request: ListRequest) => Promise<ListResult>
}

/** GET without a key: returns the list. */
export async function handleList(
  ctx: HttpContext,
  { access, fetch, isJsonServer, paged, resource }: ListHandlerOptions
): Promise<ListResult> {
  const query = await listQueryOf(ctx, resource, access)
  const request = ListRequest.parse(resource, query, configOf(isJsonServer), paged)
  return await fetch(request.including(await access.authorizeInclude(ctx, request.include)))
}

/**
 * GET: returns the groups of the items that match the list's filters.
 *
 * @throws Problem 422
 */
export async function handleAggregate(
  ctx: HttpContext,
  { access, resource }: Pick<ListHandlerOptions, 'access' | 'resource'>,
  aggregate: (request: ListRequest, input: AggregateInput) => Promise<AggregateRow[]>
): Promise<{ data: AggregateRow[] }> {
  const query = await listQueryOf(ctx, resource, access)
  const own = (name: AggregateParameter) => aggregateParameter(resource, query, name)
  const request = ListRequest.parseFilters(resource, query, crudConfig())
  const input = { groupBy: own('group_by'), select: own('select') }
  return {
    data: await aggregate(request, { ...input, sort: own('sort'), limit: own('limit') }),
  }
}

/** Returns the settings with the dialects of the endpoints, which a model can change. */
function configOf(isJsonServer: boolean): CrudConfig {
  const config = crudConfig()
  if (!isJsonServer && config.compat.length === 0) return config
  return { ...config, compat: isJsonServer ? ['json-server'] : [] }
}

/** Sets the total of a list as a header, if it was counted. */
export function noteTotal({ response }: HttpContext, list: ListResult | undefined): void {
  const total = list?.total_count
  if (typeof total === 'number') response.header('x-total-count', String(total))
  if (list?.total_is_estimate) response.header('x-total-is-estimate', 'true')
}

/**
 * Returns the items alone, as json-server does. A part of a list that is read by a cursor is unchanged.
 */
export function bareList(list: ListResult | undefined): unknown {
  return list && Array.isArray(list.data) && !('next_cursor' in list) ? list.data : list
}

/** Milliseconds without progress after which the connection to a client is closed */
const STALLED = 60_000

/** Response header that is set if more rows match than the response contains */
const HAS_MORE = 'x-has-more'

interface ExportOptions {
  resource: Resource
  access: EndpointAccess
  format: ListFormat
  isJsonServer: boolean
  /** Client of the request */
  client: QueryClientContract
  /** Reads one part of the list */
  fetch: (request: ListRequest, client: QueryClientContract) => Promise<ListResult>
  /** Divides the list into parts; undefined if application code reads the list */
  divide?: (request: ListRequest, client: QueryClientContract) => ReturnType<typeof orderedParts>
}

type Batches = AsyncGenerator<Item[], void>

/**
 * GET without a key, as CSV or NDJSON: sends the whole list, up to `limits.export` rows, in parts that are read from
 * one snapshot. An error before the first part is returned as a problem; a later error closes the connection, so that
 * clients do not mistake an incomplete list for a complete one. A small list is read completely before it is sent, and
 * needs no export slot. The header `X-Has-More` shows whether more rows match.
 *
 * @throws Problem 400 or 422  for parameters that are not allowed
 * @throws Problem 403  for a request without a token that another site caused
 * @throws Problem 503  while too many exports are being sent
 */
export async function handleExport(ctx: HttpContext, options: ExportOptions): Promise<void> {
  const { client, resource } = options
  if (isCrossSite(ctx) && !sendsToken(ctx) && !isAllowedOrigin(ctx)) throw crossSiteWrite()
  const request = await parse(ctx, options)
  const snapshot = await beginSnapshot(client)
  let giveBack = () => {}
  const end = () => {
    giveBack()
    snapshot.end()
  }
  try {
    const reading = { ...options, client: snapshot.client }
    const parts = options.divide?.(request, snapshot.client)
    const read = (part: ListRequest) => options.fetch(part, snapshot.client)
    const batches = listBatches(request, read, ROWS_PER_READ, parts)
    const start = await readFirstBatches(batches)
    if (!start.isWhole) giveBack = takeExportSlot(ctx, actorOf(ctx))
    const hasMore = !endsEarly(request, start) && (await isCut(request, reading))
    ctx.response.header(HAS_MORE, String(hasMore))
    const text = textOf(resource, request, options.format, start, batches)
    if (!start.isWhole) return send(ctx, text, options.format, end)
    await sendWhole(ctx, text, options.format)
    end()
  } catch (error) {
    end()
    throw error
  }
}

async function parse(
  ctx: HttpContext,
  { access, format, isJsonServer, resource }: ExportOptions
): Promise<ListRequest> {
  const config = configOf(isJsonServer)
  const { export: most } = config.limits
  const query = await listQueryOf(ctx, resource, access)
  for (const name of ['offset', 'page', 'itemsPerPage', 'cursor', 'count', 'include'] as const) {
    if (ownParameter(resource, query, name) !== undefined) {
      throw conflictsWithFormat(name, LIST_FORMATS[format])
    }
  }
  for (const name of isJsonServer ? ['_start', '_end', '_page'] : []) {
    if (query.has(name)) throw conflictsWithFormat(name, LIST_FORMATS[format])
  }
  const pagination = { ...config.pagination, limit: most, maximum: most }
  return ListRequest.parse(resource, query, { ...config, pagination })
}

/** True if fewer records match than the request allows. */
function endsEarly({ paging }: ListRequest, { batches, isWhole }: FirstBatches): boolean {
  return isWhole && batches.flat().length < paging.limit
}

/** True if there is a row after the last one that is sent. */
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
  start: FirstBatches,
  others: Batches
): AsyncGenerator<string> {
  const [first = []] = start.batches
  const isCsv = format === 'csv'
  const fields = shownFields(resource, request.fields) ?? resource.responseFields
  const names =
    isCsv && resource.reader.form.serializesItself && first.length > 0
      ? Object.keys(first[0])
      : undefined
  const csv = new CsvWriter(fields, names)
  const write = (items: Item[]) => (isCsv ? csv.lines(items) : writeLines(items))
  if (isCsv) yield csv.heading
  for await (const items of withFirstBatches(start, others)) yield write(items)
}

function writeLines(items: Item[]): string {
  return items.map((item) => `${writeJson(item)}\n`).join('')
}

/** Sends a small export. It needs no database connection and no export slot while it is sent. */
async function sendWhole(
  ctx: HttpContext,
  text: AsyncGenerator<string>,
  format: ListFormat
): Promise<void> {
  /* An empty string would result in status 204. */
  const pieces = await Array.fromAsync(text)
  const whole = Buffer.from(pieces.join(''))
  responseBudgetOf(ctx).reserveAtLeast(whole.length)
  ctx.response.header('content-type', `${LIST_FORMATS[format]}; charset=utf-8`)
  if (ctx.request.method() === 'HEAD') return ctx.response.stream(Readable.from([]))
  ctx.response.send(whole)
}

/**
 * Sends an export while it is read.
 *
 * @param done  called once, after the response is sent or its connection is closed
 */
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
