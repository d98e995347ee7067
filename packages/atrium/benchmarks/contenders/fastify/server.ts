/*
 * Fastify with prepared statements. Routes have schemas of their input and their responses, as its documentation
 * teaches: the response schema makes the writer of the JSON.
 */
import Fastify from 'fastify'
import { BareProducts } from '../bare/products.js'

const products = await BareProducts.open()
const application = Fastify()

const text = { type: 'string' }
const textOrNull = { type: ['string', 'null'] }

const product = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    name: text,
    description: text,
    category: text,
    price: { type: 'number' },
    sku: textOrNull,
    last_sold: textOrNull,
    is_deleted: { type: 'boolean' },
    deleted_at: textOrNull,
    created_at: text,
    updated_at: textOrNull,
  },
}

application.get<{ Params: { id: number } }>(
  '/api/products/:id',
  {
    schema: {
      params: { type: 'object', properties: { id: { type: 'integer' } } },
      response: { 200: product },
    },
  },
  async ({ params }, reply) => {
    return (await products.find(params.id)) ?? reply.code(404).send({ error: 'Product not found' })
  }
)

application.get<{ Querystring: { category: string; page: number } }>(
  '/api/products',
  {
    schema: {
      querystring: {
        type: 'object',
        required: ['category'],
        properties: { category: text, page: { type: 'integer', minimum: 1, default: 1 } },
      },
      response: {
        200: {
          type: 'object',
          properties: {
            data: { type: 'array', items: product },
            total_count: { type: 'integer' },
            has_more: { type: 'boolean' },
            page: { type: 'integer' },
            items_per_page: { type: 'integer' },
          },
        },
      },
    },
  },
  async ({ query }) => await products.list(query.category, query.page)
)

await application.listen({ port: Number(process.env.PORT), host: process.env.HOST })
