import vine from '@vinejs/vine'

const product = vine.object({
  name: vine.string().maxLength(255),
  description: vine.string(),
  category: vine.string().maxLength(120),
  price: vine.number(),
  sku: vine.string().maxLength(64).nullable().optional(),
  last_sold: vine.date().nullable().optional(),
})

export const createProductValidator = vine.create(product)

export const updateProductValidator = vine.create(product.partial())

export const listProductsValidator = vine.create(
  vine.object({
    page: vine.number().positive().withoutDecimals().optional(),
    itemsPerPage: vine.number().range([1, 100]).withoutDecimals().optional(),
    category: vine.string().optional(),
  })
)
