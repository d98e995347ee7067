import router from '@adonisjs/core/services/router'
import { BareProducts } from '../../bare/products.js'
import { createProductValidator, updateProductValidator } from '../validators/product.js'

const products = await BareProducts.open()

router
  .group(() => {
    router.get('/', ({ request }) => {
      return products.list(request.input('category'), Number(request.input('page', 1)))
    })

    router.get('/:id', async ({ params, response }) => {
      const product = await products.find(Number(params.id))
      return product ?? response.notFound({ error: 'Product not found' })
    })

    router.post('/', async ({ request, response }) => {
      const values = await createProductValidator.validate(request.body())
      return response.created(await products.create(values))
    })

    router.patch('/:id', async ({ params, request, response }) => {
      const values = await updateProductValidator.validate(request.body())
      const isThere = await products.update(Number(params.id), values)
      return isThere
        ? response.type('json').send('null')
        : response.notFound({ error: 'Product not found' })
    })
  })
  .prefix('api/products')
