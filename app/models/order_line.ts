import vine from '@vinejs/vine'
import { BaseModel, belongsTo, column } from '@adonisjs/lucid/orm'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import { AdminView, Crud } from 'adonis-atrium'
import Order from '#models/order'
import Product from '#models/product'

const createSchema = vine.object({
  order_id: vine.number(),
  product_id: vine.number(),
  quantity: vine.number().withoutDecimals().min(1).max(10_000),
  unit_price: vine.number().min(0),
  position: vine.number().withoutDecimals().nullable().optional(),
})

@AdminView({
  icon: 'M4 7h16M4 12h16M4 17h10',
  group: 'Shop',
  listColumns: ['order_id', 'product_id', 'quantity', 'unit_price'],
  /* Lines are moved in the form of their order and in their list. */
  orderBy: 'position',
  fields: { unit_price: { widget: 'money', currency: 'EUR' } },
})
@Crud({
  tags: ['Order lines'],
  createSchema,
  updateSchema: createSchema.partial(),
  include: ['product'],
  filterConfig: { order_id: null, product_id: null },
})
export default class OrderLine extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare orderId: number

  @belongsTo(() => Order)
  declare order: BelongsTo<typeof Order>

  @column()
  declare productId: number

  @belongsTo(() => Product)
  declare product: BelongsTo<typeof Product>

  @column()
  declare quantity: number

  @column()
  declare unitPrice: number

  @column()
  declare position: number | null
}
