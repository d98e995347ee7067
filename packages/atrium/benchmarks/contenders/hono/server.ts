/*
 * Hono on its adapter for Node.js, with prepared statements.
 */
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { BareProducts } from '../bare/products.js'

const products = await BareProducts.open()
const application = new Hono()

application.get('/api/products/:id', async (c) => {
  const product = await products.find(Number(c.req.param('id')))
  return product ? c.json(product) : c.json({ error: 'Product not found' }, 404)
})

application.get('/api/products', async (c) => {
  return c.json(await products.list(c.req.query('category')!, Number(c.req.query('page') ?? 1)))
})

serve({ fetch: application.fetch, port: Number(process.env.PORT), hostname: process.env.HOST })
