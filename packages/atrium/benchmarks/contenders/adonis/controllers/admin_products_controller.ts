import type { HttpContext } from '@adonisjs/core/http'
import Product from '../models/product.js'
import { listProductsValidator } from '../validators/product.js'

export default class AdminProductsController {
  async index({ request, view }: HttpContext) {
    const { page = 1 } = await request.validateUsing(listProductsValidator)
    const products = await Product.query()
      .where('isDeleted', false)
      .orderBy('id', 'desc')
      .paginate(page, 10)
    products.baseUrl('/admin/Product')
    return view.render('products/index', { products })
  }
}
