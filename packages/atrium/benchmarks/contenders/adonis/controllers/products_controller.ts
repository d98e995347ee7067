import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'
import Product from '../models/product.js'
import {
  createProductValidator,
  listProductsValidator,
  updateProductValidator,
} from '../validators/product.js'

export default class ProductsController {
  async index({ request }: HttpContext) {
    const {
      page = 1,
      itemsPerPage = 10,
      category,
    } = await request.validateUsing(listProductsValidator)
    const products = await Product.query()
      .where('isDeleted', false)
      .if(category, (query) => query.where('category', category!))
      .orderBy('id')
      .paginate(page, itemsPerPage)

    return {
      data: products.serialize().data,
      total_count: products.total,
      has_more: products.hasMorePages,
      page: products.currentPage,
      items_per_page: products.perPage,
    }
  }

  async show({ params }: HttpContext) {
    const product = await this.#find(params.id)
    return product.serialize()
  }

  async store({ request, response }: HttpContext) {
    const payload = await request.validateUsing(createProductValidator)
    const product = await Product.create({
      name: payload.name,
      description: payload.description,
      category: payload.category,
      price: payload.price,
      sku: payload.sku ?? null,
      lastSold: payload.last_sold ? DateTime.fromJSDate(payload.last_sold) : null,
      isDeleted: false,
      deletedAt: null,
    })
    return response.created(product.serialize())
  }

  async update({ params, request, response }: HttpContext) {
    const { last_sold: lastSold, ...payload } = await request.validateUsing(updateProductValidator)
    const product = await this.#find(params.id)
    product.merge(payload)
    if (lastSold !== undefined) product.lastSold = lastSold && DateTime.fromJSDate(lastSold)
    await product.save()
    return response.type('json').send('null')
  }

  async #find(id: number) {
    return await Product.query().where('id', id).where('isDeleted', false).firstOrFail()
  }
}
