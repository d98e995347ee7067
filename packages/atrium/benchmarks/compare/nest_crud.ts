import type { LoadRequest } from '../helpers/load.js'
import type { Contender } from './contender.js'
import type { OperationName } from './operations.js'

/** NestJS with @dataui/crud and TypeORM. */
export const NEST_CRUD: Contender = {
  name: 'NestJS crud',
  script: 'packages/atrium/benchmarks/contenders/nestjs/server.ts',
  operations: ['read one', 'list page', 'create', 'update'],
  translate,
  understand,
}

/** Its lists have a different query language. */
function translate(operation: OperationName, request: LoadRequest): LoadRequest {
  if (operation !== 'list page') return request
  const query = new URL(request.path, 'http://localhost').searchParams
  const own = new URLSearchParams({
    filter: `category||$eq||${query.get('category')}`,
    limit: query.get('itemsPerPage')!,
    page: query.get('page')!,
    sort: 'id,ASC',
  })
  return { ...request, path: `/api/products?${own}` }
}

/**
 * It names the parts of a list differently, writes datetimes as ISO 8601, and responds to an update
 * with the item.
 */
function understand(operation: OperationName, body: any): unknown {
  if (operation === 'update') return null
  if (operation !== 'list page') return item(body)
  return {
    data: body.data.map(item),
    total_count: body.total,
    has_more: body.page < body.pageCount,
    page: body.page,
    items_per_page: 10,
  }
}

function item(row: Record<string, unknown>): Record<string, unknown> {
  const isMoment = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' && isMoment.test(value)
        ? value.slice(0, 19).replace('T', ' ')
        : value,
    ])
  )
}
