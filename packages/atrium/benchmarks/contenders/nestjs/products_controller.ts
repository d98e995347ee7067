import { Crud, type CrudController } from '@dataui/crud'
import { Controller } from '@nestjs/common'
import { Product } from './product.js'
import { CreateProduct, UpdateProduct } from './product_dto.js'
import { ProductsService } from './products_service.js'

@Crud({
  model: { type: Product },
  dto: { create: CreateProduct, update: UpdateProduct },
  query: { alwaysPaginate: true, filter: { is_deleted: { $eq: false } } },
})
@Controller('api/products')
export class ProductsController implements CrudController<Product> {
  constructor(public service: ProductsService) {}
}
