import vine from '@vinejs/vine'
import { DateTime } from 'luxon'
import { BaseModel, belongsTo, column, hasMany } from '@adonisjs/lucid/orm'
import type { BelongsTo, HasMany } from '@adonisjs/lucid/types/relations'
import { AdminView, Crud } from 'adonis-atrium'
import Customer from '#models/customer'
import OrderLine from '#models/order_line'

const createSchema = vine.object({
  number: vine.string().maxLength(32),
  customer_id: vine.number(),
  ordered_on: vine.date(),
  status: vine.enum(['draft', 'confirmed', 'shipped', 'paid', 'cancelled']).optional(),
  notes: vine.string().nullable().optional(),
})

/** Returns the number after that of the newest order: `SO-1041` after `SO-1040`; null after one without digits. */
async function nextNumber(): Promise<string | null> {
  const newest = await Order.query().orderBy('id', 'desc').first()
  const [, prefix, digits] = /^(.*?)(\d+)$/.exec(newest?.number ?? 'SO-1000') ?? []
  return digits ? prefix + String(Number(digits) + 1).padStart(digits.length, '0') : null
}

@AdminView({
  icon: 'M4 5h2l2 10h9l2-7H7M9 19h.01M16 19h.01',
  group: 'Shop',
  listColumns: ['number', 'customer_id', 'ordered_on', 'status', 'customer.city'],
  facets: ['status', 'customer_id'],
  defaultSort: '-ordered_on,-id',
  fields: {
    number: { default: nextNumber },
    ordered_on: { default: () => DateTime.now() },
    status: {
      choices: {
        draft: { label: 'Draft', color: 'gray' },
        confirmed: { label: 'Confirmed', color: 'blue' },
        shipped: { label: 'Shipped', color: 'violet' },
        paid: { label: 'Paid', color: 'green' },
        cancelled: { label: 'Cancelled', color: 'red' },
      },
    },
  },
  transitions: {
    status: {
      draft: ['confirmed', 'cancelled'],
      confirmed: ['draft', 'shipped', 'paid', 'cancelled'],
      shipped: ['confirmed', 'paid'],
      paid: [],
      cancelled: ['draft'],
    },
  },
  /* The lines of an order are edited in its form, in the order of their positions. */
  inlines: [
    {
      relation: 'lines',
      fields: ['product_id', 'quantity', 'unit_price'],
      summaries: ['quantity:sum'],
    },
  ],
})
@Crud({
  tags: ['Orders'],
  createSchema,
  updateSchema: createSchema.partial(),
  deleteSchema: vine.object({}),
  include: ['customer', 'lines'],
  filterConfig: {
    number: null,
    customer_id: null,
    status: null,
    status__in: null,
    ordered_on__gte: null,
    ordered_on__lte: null,
  },
})
export default class Order extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare number: string

  @column()
  declare customerId: number

  @belongsTo(() => Customer)
  declare customer: BelongsTo<typeof Customer>

  @column.date()
  declare orderedOn: DateTime

  @column()
  declare status: string

  @column()
  declare notes: string | null

  @hasMany(() => OrderLine)
  declare lines: HasMany<typeof OrderLine>

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoCreate: true, autoUpdate: true })
  declare updatedAt: DateTime | null
}
