import factory from '@adonisjs/lucid/factories'
import Product from '#models/product'

export const ProductFactory = factory
  .define(Product, ({ faker }) => ({
    name: faker.commerce.productName(),
    description: faker.lorem.sentence(),
    category: faker.commerce.department(),
    price: faker.number.float({ max: 1000, fractionDigits: 2 }),
    sku: faker.string.alphanumeric(12),
  }))
  .build()
