import { crudConfig, ValueError, type Operation, type Resource } from '#crud'
import { ListRequest } from '#crud/internals'
import { isUnreadable } from '#base/items'
import type { Column } from '#base/columns/column'
import { filterPlace, MOST_CONDITIONS, MOST_GROUPS } from '#base/columns/filter'
import type { KeyValue } from '#base/columns/key'
import { type BodySchema, parseUpdate } from '#base/schema/body_schema'
import { EventReader } from '../event_log/event_reader.js'
import { readableHistory } from '../history/readable_history.js'
import { hasEventLog } from '../events/database_integration.js'
import { recordsByTitle } from '../list/records_by_title.js'
import AdminAuditLog from '../models/admin_audit_log.js'
import { planUndo } from '../undo/undo_plan.js'
import { undoEvent } from '../undo/undo_event.js'
import { isOwn, refuseLate, visibleEvent } from '../undo/undoable_event.js'
import { loggedInRequest } from '../events/request_event.js'
import { concealedIn } from '../permissions/personal_view.js'
import type { ModelView } from '../views/model_view.js'
import { type McpContext, ToolError } from './mcp_context.js'

type Arguments = Record<string, any>
type Result = Record<string, unknown>

/** Default and maximum number of records in a list */
const USUAL_LIMIT = 20
export const MOST_RECORDS = 100

/* Default number of records of each model in the result of a search */
const FOUND_RECORDS = 5

/* Maximum number of records that an undo within one call can revert */
const MOST_UNDONE = 1000

export async function listModels(mcp: McpContext): Promise<Result> {
  const models = []
  for (const view of await mcp.views()) {
    const { label, name, singular } = view
    models.push({ name, label, singular, operations: await mcp.operationsOn(view) })
  }
  return { models }
}

export async function describeModel(mcp: McpContext, { model }: Arguments): Promise<Result> {
  const view = await mcp.view(model, 'read')
  const { resource } = view
  const operations = await mcp.operationsOn(view)
  return {
    name: view.name,
    label: view.label,
    key: resource.key.columns.map(({ apiName }) => apiName),
    operations,
    fields: resource.fields.map((column) => describedColumn(view, column)),
    filters:
      'A name is a field, or a field with an operator, as in price__gte. Operators: gt, gte, lt, lte, ne, in, not_in, between, like, ilike, startswith, endswith, contains, is, is_not',
    ...(operations.includes('create') && { create: bodySchema(resource.createBody) }),
    ...(operations.includes('update') && { update: bodySchema(resource.updateBody) }),
  }
}

function describedColumn(view: ModelView, { apiName, kind, nullable, isPrimary }: Column): Result {
  const label = view.labelOf(apiName)
  return { name: apiName, label, type: kind, nullable, ...(isPrimary && { isKey: true }) }
}

/** Returns the JSON Schema of the values of a write. */
function bodySchema({ fields }: BodySchema): Result {
  const properties = fields.map(({ apiName, json, nullable }) => {
    const schema = nullable ? { anyOf: [json, { type: 'null' }] } : json
    return [apiName, schema]
  })
  const required = fields.filter((field) => field.required).map(({ apiName }) => apiName)
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required,
    additionalProperties: false,
  }
}

export async function search(mcp: McpContext, args: Arguments): Promise<Result> {
  const { limit = FOUND_RECORDS, model, query } = args
  const views = model === undefined ? await mcp.views() : [await mcp.view(model, 'read_multi')]
  const results: Result[] = []
  for (const view of views) {
    const operations = await mcp.operationsOn(view)
    if (!operations.includes('read_multi')) continue
    const { items } = await recordsByTitle(mcp.ctx, view, { q: query, limit, timeLimit: 500 })
    for (const item of items) {
      const title = view.titleColumn && item[view.titleColumn.apiName]
      results.push({ model: view.name, title: title ?? null, record: item })
    }
  }
  return { results }
}

export async function listRecords(mcp: McpContext, args: Arguments): Promise<Result> {
  const { filters = {}, limit = USUAL_LIMIT, model, page = 1, sort } = args
  const view = await mcp.view(model, 'read_multi')
  checkNames(view, filters, sort)
  const options = view.callOptions(mcp.ctx)
  const query = { filters, sort, page, itemsPerPage: limit, count: 'estimate' }
  const request = requestOf(view.resource, query)
  const list = await view.crud.getMulti(request, options)
  return {
    records: list.data,
    total: list.total_count ?? null,
    ...(list.total_is_estimate && { total_is_estimate: true }),
    page,
  }
}

/**
 * Converts the query of a tool to a list request.
 *
 * @throws ToolError  for an unknown operator, or a value that a filter cannot have
 */
function requestOf(resource: Resource, query: Arguments): ListRequest {
  try {
    return ListRequest.fromCode(resource, query, crudConfig().pagination)
  } catch (error) {
    throw error instanceof ValueError ? new ToolError(error.message) : error
  }
}

/**
 * Checks that filters and sort order name fields that the owner can view on every record: the values of others could be
 * guessed from the records that are found. There can be as many filters as in a list of the API.
 *
 * @throws ToolError
 */
function checkNames(view: ModelView, filters: Record<string, unknown>, sort: string | undefined) {
  const { resource } = view
  const concealed = concealedIn(resource)
  const names = resource.fields
    .map(({ apiName }) => apiName)
    .filter((name) => !concealed.has(name) && !resource.projection?.mixed.has(name))
  const check = (what: string, given: string, name: string) => {
    if (names.includes(name)) return
    throw new ToolError(
      `Unknown ${what} ${JSON.stringify(given)}: ${view.name} has the fields ${names.join(', ')}`
    )
  }
  const all = Object.keys(filters)
  const groups = new Set(all.map((name) => filterPlace(name, () => false).group))
  groups.delete(null)
  if (all.length > MOST_CONDITIONS || groups.size > MOST_GROUPS) {
    throw new ToolError(
      `There are too many filters: use up to ${MOST_CONDITIONS} conditions in up to ${MOST_GROUPS} groups`
    )
  }
  for (const [given, value] of Object.entries(filters)) {
    const name = given.replace(/^(any\.\d+\.)?(not\.)?/, '')
    check('filter', given, name.split('__')[0])
    if ([value].flat().every((one) => ['string', 'number', 'boolean'].includes(typeof one)))
      continue
    throw new ToolError(
      `The filter ${JSON.stringify(given)} needs a text, a number, a boolean or a list of these; ` +
        `{ "${name.split('__')[0]}__is": "null" } finds records without a value`
    )
  }
  for (const given of sort?.split(',') ?? []) check('field', given, given.trim().replace(/^-/, ''))
}

export async function getRecord(mcp: McpContext, { id, model }: Arguments): Promise<Result> {
  const view = await mcp.view(model, 'read')
  const record = await view.crud.get(keyOf(view, id), view.callOptions(mcp.ctx))
  if (!record) throw missing(view, id)
  return { record }
}

export async function createRecord(mcp: McpContext, { model, values }: Arguments): Promise<Result> {
  const view = await mcp.view(model, 'create')
  const parsed = await view.resource.createBody.parse(values, { operation: 'create' }, true)
  return await mcp.spend(1, async () => {
    const item = await view.crud.create(parsed, view.callOptions(mcp.ctx))
    return { record: isUnreadable(item) ? null : item, event: await eventOf(mcp) }
  })
}

export async function updateRecord(mcp: McpContext, args: Arguments): Promise<Result> {
  const { id, model, values } = args
  const view = await mcp.view(model, 'update')
  const key = keyOf(view, id)
  const options = view.callOptions(mcp.ctx)
  const stored = () => view.crud.get(key, options)
  const meta = { operation: 'update', key }
  const parsed = await parseUpdate(view.resource.updateBody, {
    body: values,
    meta,
    isStrict: true,
    stored,
  })
  return await mcp.spend(1, async () => {
    const record = await view.crud.update(key, parsed, { ...options, returning: true })
    return { record, event: await eventOf(mcp) }
  })
}

export async function deleteRecord(mcp: McpContext, { id, model }: Arguments): Promise<Result> {
  const view = await mcp.view(model, 'delete')
  const key = keyOf(view, id)
  return await mcp.spend(1, async () => {
    await view.crud.delete(key, view.callOptions(mcp.ctx))
    return { deleted: key.length === 1 ? key[0] : key, event: await eventOf(mcp) }
  })
}

export async function history(mcp: McpContext, args: Arguments): Promise<Result> {
  const { id, limit = USUAL_LIMIT, model } = args
  const { ctx, site } = mcp
  if (!hasEventLog(site)) throw new ToolError('This site has no event log')
  const view = await mcp.view(model, 'read')
  const key = keyOf(view, id)
  const params = view.resource.key.params.map((name, index) => [name, String(key[index])])
  ctx.params = Object.fromEntries(params)
  const log = new EventReader(site.dbConfig)
  const readable = await readableHistory(ctx, site, log, view)
  const { events, rows } = await log.history(readable, 1)
  const changes = rows.slice(0, limit).map(({ action, eventId, timestamp, changes: changed }) => {
    const event = events.get(eventId)
    const shown = Object.entries(changed ?? {}).filter(([name]) => readable.sees(name))
    return {
      event: eventId,
      action,
      time: timestamp.toUTC().toISO(),
      username: event?.username ?? null,
      changes: Object.fromEntries(shown),
    }
  })
  return { changes }
}

export async function undo(mcp: McpContext, { event: id }: Arguments): Promise<Result> {
  const { ctx, site } = mcp
  if (!hasEventLog(site)) throw new ToolError('This site has no event log')
  const event = await visibleEvent(site, ctx, String(id))
  if (!isOwn(ctx, event)) throw new ToolError('Only own events can be undone')
  refuseLate(ctx, event)
  const [{ total }] = await site.dbConfig
    .readingSession()
    .from(AdminAuditLog.table)
    .where('event_id', event.id)
    .count('* as total')
  if (Number(total) > MOST_UNDONE) {
    throw new ToolError(`The event has more than ${MOST_UNDONE} records: undo it in the site`)
  }
  const steps = await planUndo(site, ctx, event)
  for (const { operation, target } of steps) {
    const needed: Operation = operation === 'restore' ? 'update' : operation
    mcp.requireAbility(target.name, needed)
  }
  return await mcp.spend(steps.length, async () => {
    await undoEvent(ctx, event, steps)
    return { undone: event.id, event: await eventOf(mcp) }
  })
}

/** Returns the id of the event that this call has logged, or null. */
async function eventOf({ ctx }: McpContext): Promise<number | null> {
  const events = await loggedInRequest(ctx)
  return events.at(-1) ?? null
}

function keyOf({ resource }: ModelView, id: unknown): KeyValue {
  const { key } = resource
  const found = key.fromJson(id)
  if (found) return found
  /* Clients often send integers as texts. */
  const parts = Array.isArray(id) ? id : [id]
  const texts = key.params.map((name, index) => [name, String(parts[index])])
  if (parts.length === texts.length) return key.fromParams(Object.fromEntries(texts))
  throw new ToolError(`The key has ${texts.length} parts: ${key.params.join(', ')}`)
}

function missing({ name }: ModelView, id: unknown): ToolError {
  return new ToolError(`There is no ${name} ${JSON.stringify(id)}`)
}
