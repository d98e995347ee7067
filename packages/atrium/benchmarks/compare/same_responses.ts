import { isDeepStrictEqual } from 'node:util'
import type { LoadRequest } from '../helpers/load.js'
import type { Entrant } from './entrants.js'
import { OPERATIONS, PRODUCTS, type Operation, type OperationName } from './operations.js'

/* Number of requests per operation that are compared. */
const COMPARED = 25

/** Invalid requests, and the status of their refusal. */
const REFUSED: Array<{ operation: OperationName; status: number; request: LoadRequest }> = [
  {
    operation: 'read one',
    status: 404,
    request: { method: 'GET', path: `/api/products/${PRODUCTS * 10}` },
  },
  { operation: 'create', status: 422, request: invalid('POST', '', { name: 'Without a price' }) },
  { operation: 'update', status: 422, request: invalid('PATCH', '/1', { price: 'dear' }) },
]

function invalid(method: 'POST' | 'PATCH', below: string, body: object): LoadRequest {
  const headers = { 'content-type': 'application/json' }
  return { method, path: `/api/products${below}`, headers, body: JSON.stringify(body) }
}

interface ServerResponse {
  status: number
  body: unknown
}

/**
 * Checks that all contenders give the same responses, as doing less work is not being faster.
 *
 * @throws Error  with the first two responses that differ
 */
export async function checkSameResponses(entrants: readonly Entrant[]): Promise<void> {
  const startedAt = Date.now()
  for (const operation of OPERATIONS) {
    const requested = entrants.filter(({ contender }) =>
      contender.operations.includes(operation.name)
    )
    for (const request of operation.requests.slice(0, COMPARED)) {
      const responses = new Map<string, ServerResponse>()
      for (const entrant of requested) {
        const response = await responseOf(entrant, operation, request)
        responses.set(entrant.contender.name, {
          ...response,
          body: timeless(response.body, startedAt),
        })
      }
      compare(operation.name, request, responses)
    }
  }
  await checkWritten(entrants, startedAt)
  await checkLogged(entrants, startedAt)
  for (const { operation, status, request } of REFUSED) {
    for (const { contender, server } of entrants) {
      if (!contender.operations.includes(operation)) continue
      const response = await send(server.origin, translated(contender, operation, request))
      if (!isSameRefusal(response.status, status)) {
        throw new Error(
          `"${contender.name}" answers ${response.status} instead of ${status} to ${request.method} ${request.path} with ${request.body ?? 'no body'}`
        )
      }
    }
  }
}

/** Some libraries respond with 400 where others use 422. */
function isSameRefusal(one: number, other: number): boolean {
  return one === other || (one === 400 && other === 422)
}

async function responseOf(
  { contender, server, cookie }: Entrant,
  { name }: Operation,
  request: LoadRequest
): Promise<ServerResponse> {
  const { status, text } = await send(server.origin, translated(contender, name, request), cookie)
  if (name === 'admin list page') return { status, body: cellsOf(text) }
  const body = text === '' ? null : JSON.parse(text)
  return { status, body: contender.understand ? contender.understand(name, body) : body }
}

export function translated(
  { translate }: Entrant['contender'],
  operation: OperationName,
  request: LoadRequest
): LoadRequest {
  return translate?.(operation, request) ?? request
}

async function send(origin: string, { method, path, headers, body }: LoadRequest, cookie?: string) {
  const response = await fetch(origin + path, {
    method,
    headers: { ...headers, ...(cookie && { cookie }) },
    body,
    redirect: 'manual',
  })
  return { status: response.status, text: await response.text() }
}

/** Texts that every page must show for its rows: number, name, category and SKU. */
function cellsOf(page: string): unknown {
  const body = /<tbody[^>]*>(.*?)<\/tbody>/s.exec(page)?.[1] ?? ''
  return [...body.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row]) => {
    const text = row.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
    return /\b(\d+) (\w+ \w+ \d+) (Category \d+)/.exec(text)?.slice(1) ?? text
  })
}

/** Removes write times, the only part in which responses may differ. */
function timeless(body: unknown, startedAt: number): unknown {
  if (typeof body !== 'object' || body === null) return body
  const entries = Object.entries(body).map(([name, value]) => {
    const isTime = name === 'created_at' || name === 'updated_at'
    return [name, isTime && isFresh(value, startedAt) ? 'now' : value]
  })
  return Array.isArray(body) ? body : Object.fromEntries(entries)
}

function isFresh(value: unknown, startedAt: number): boolean {
  return typeof value === 'string' && Date.parse(`${value.replace(' ', 'T')}Z`) > startedAt - 2000
}

/** The written records must be the same too. */
async function checkWritten(entrants: readonly Entrant[], startedAt: number): Promise<void> {
  const writing = entrants.filter(({ contender }) => contender.operations.includes('update'))
  const rows = new Map<string, ServerResponse>()
  for (const { contender, database } of writing) {
    const body = await database.select(
      `select id, name, description, category, price, sku, is_deleted, last_sold is null as unsold, updated_at is null as untouched from products order by id`
    )
    rows.set(contender.name, { status: 200, body: body.map((row) => timeless(row, startedAt)) })
  }
  compare('update', { method: 'GET', path: 'the table afterwards' }, rows)
}

/** Contenders that log writes must log the same states. */
async function checkLogged(entrants: readonly Entrant[], startedAt: number): Promise<void> {
  const rows = new Map<string, ServerResponse>()
  for (const { contender, database } of entrants) {
    if (!contender.logsWrites) continue
    const logged = await database.select(
      `select event_type, status, e.resource_type, e.resource_id, ip_address, action, previous_state, new_state, changes from admin_event_log e join admin_audit_log a on a.event_id = e.id order by e.id`
    )
    const body = logged.map(({ previous_state: before, new_state: after, changes, ...row }) => ({
      ...row,
      before: timeless(JSON.parse(before), startedAt),
      after: timeless(JSON.parse(after), startedAt),
      changed: Object.keys(JSON.parse(changes)).toSorted(),
    }))
    rows.set(contender.name, { status: 200, body })
  }
  if (rows.size > 0) compare('update', { method: 'GET', path: 'the log afterwards' }, rows)
}

function compare(
  operation: OperationName,
  request: LoadRequest,
  responses: Map<string, ServerResponse>
) {
  const [[firstName, first], ...others] = responses
  for (const [name, response] of others) {
    if (isDeepStrictEqual(response, first)) continue
    throw new Error(
      `${operation}: ${request.method} ${request.path} is answered in two ways.\n${firstName}: ${excerpt(first)}\n${name}: ${excerpt(response)}`
    )
  }
}

function excerpt(response: ServerResponse): string {
  return JSON.stringify(response).slice(0, 1500)
}
