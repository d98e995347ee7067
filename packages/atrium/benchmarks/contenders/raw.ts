/*
 * The limit: `node:http` and prepared statements, with the same body schemas as the others.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { errors } from '@vinejs/vine'
import { createProductValidator, updateProductValidator } from './adonis/validators/product.js'
import { BareProducts } from './bare/products.js'

const products = await BareProducts.open()

createServer((request, response) => {
  reply(request, response).catch((error) => {
    send(response, error instanceof errors.E_VALIDATION_ERROR ? 422 : 500, { error: String(error) })
  })
}).listen(Number(process.env.PORT), process.env.HOST)

async function reply(request: IncomingMessage, response: ServerResponse) {
  const { pathname, searchParams } = new URL(request.url!, 'http://localhost')
  const id = /^\/api\/products\/(\d+)$/.exec(pathname)?.[1]
  if (id !== undefined && request.method === 'GET') {
    const item = await products.find(Number(id))
    return item ? send(response, 200, item) : send(response, 404, null)
  }
  if (id !== undefined && request.method === 'PATCH') {
    const values = await updateProductValidator.validate(await bodyOf(request))
    const isThere = await products.update(Number(id), values)
    return send(response, isThere ? 200 : 404, null)
  }
  if (pathname !== '/api/products') return send(response, 404, null)
  if (request.method === 'POST') {
    const values = await createProductValidator.validate(await bodyOf(request))
    return send(response, 201, await products.create(values))
  }
  const category = searchParams.get('category') ?? ''
  send(response, 200, await products.list(category, Number(searchParams.get('page') ?? 1)))
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}

function send(response: ServerResponse, status: number, value: unknown) {
  const body = JSON.stringify(value)
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}
