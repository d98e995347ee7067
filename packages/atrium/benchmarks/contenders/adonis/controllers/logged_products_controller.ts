import type { HttpContext } from '@adonisjs/core/http'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'
import { ProductCreated, ProductUpdated } from '../events/product_events.js'
import Product from '../models/product.js'
import { logChange } from '../services/change_log.js'
import { createProductValidator, updateProductValidator } from '../validators/product.js'

/**
 * Writes that promise what the application's promise: all or nothing, a locked record, a log of the
 * states before and after in the same transaction, and an event after the commit.
 */
export default class LoggedProductsController {
  async store({ request, response }: HttpContext) {
    const payload = await request.validateUsing(createProductValidator)
    const product = await db.transaction(async (client) => {
      const created = await Product.create(
        {
          name: payload.name,
          description: payload.description,
          category: payload.category,
          price: payload.price,
          sku: payload.sku ?? null,
          lastSold: payload.last_sold ? DateTime.fromJSDate(payload.last_sold) : null,
          isDeleted: false,
          deletedAt: null,
        },
        { client }
      )
      await logChange(request, 'CREATE', created, null, client)
      return created
    })
    await ProductCreated.dispatch(product)
    return response.created(product.serialize())
  }

  async update({ params, request, response }: HttpContext) {
    const { last_sold: lastSold, ...payload } = await request.validateUsing(updateProductValidator)
    const product = await db.transaction(async (client) => {
      const found = await Product.query({ client })
        .where('id', params.id)
        .where('isDeleted', false)
        .forUpdate()
        .firstOrFail()
      const before = found.serialize()
      found.merge(payload)
      if (lastSold !== undefined) found.lastSold = lastSold && DateTime.fromJSDate(lastSold)
      await found.save()
      await logChange(request, 'UPDATE', found, before, client)
      return found
    })
    await ProductUpdated.dispatch(product)
    return response.type('json').send('null')
  }
}
