import { ONCE, type LoadRequest } from '../helpers/load.js'
import { CATEGORIES, categoryOf } from '../helpers/products.js'
import { sameNumbers } from '../helpers/statistics.js'

export const PRODUCTS = 10_000

/* Number of requests that are prepared and sent repeatedly. */
const REQUESTS = 1000

const JSON_BODY = { 'content-type': 'application/json' }

export type OperationName = 'read one' | 'list page' | 'create' | 'update' | 'admin list page'

/** A request type that the contenders are measured with. */
export interface Operation {
  name: OperationName
  /** True if it does not change the products */
  isRead: boolean
  requests: readonly LoadRequest[]
}

const random = sameNumbers(2)
const upTo = (most: number) => 1 + Math.floor(random() * most)

function operation(name: OperationName, isRead: boolean, make: (index: number) => LoadRequest) {
  return { name, isRead, requests: Array.from({ length: REQUESTS }, (_, index) => make(index)) }
}

/** All operations. The products of a category fill 5 pages, all products 1,000. */
export const OPERATIONS: readonly Operation[] = [
  operation('read one', true, () => ({
    method: 'GET',
    path: `/api/products/${upTo(PRODUCTS)}`,
  })),
  operation('list page', true, (index) => ({
    method: 'GET',
    path: `/api/products?category=${encodeURIComponent(categoryOf(index))}&page=${upTo(PRODUCTS / CATEGORIES / 10)}&itemsPerPage=10`,
  })),
  operation('create', false, (index) => ({
    method: 'POST',
    path: '/api/products',
    headers: JSON_BODY,
    body: JSON.stringify({
      name: `New product ${index}`,
      description: 'Made under load, and removed when the round is over.',
      category: categoryOf(index),
      price: upTo(100_000) / 100,
      last_sold: '2026-09-14 16:42:10',
    }),
  })),
  /* Each changes the product: Lucid does not write unchanged values, and the application does not log them. */
  operation('update', false, () => ({
    method: 'PATCH',
    path: `/api/products/${upTo(PRODUCTS)}`,
    headers: JSON_BODY,
    body: JSON.stringify({ price: upTo(100_000) / 100, description: `Changed by ${ONCE}` }),
  })),
  operation('admin list page', true, () => ({
    method: 'GET',
    path: `/admin/Product/?page=${upTo(PRODUCTS / 10)}`,
  })),
]
