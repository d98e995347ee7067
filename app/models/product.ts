import vine from '@vinejs/vine'
import type { DateTime } from 'luxon'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import { AdminView, Crud } from 'adonis-atrium'

/*
 * Bodies name the columns as the API does. What no schema names can't be set from outside. A function, as `vine.file()`
 * exists only after the application has started.
 */
const createSchema = () =>
  vine.object({
    name: vine.string().maxLength(255),
    description: vine.string(),
    category: vine.string().maxLength(120),
    price: vine.number(),
    sku: vine.string().maxLength(64).nullable().optional(),
    last_sold: vine.date().nullable().optional(),
    photos: vine
      .array(vine.file({ size: '5mb', extnames: ['png', 'jpg', 'jpeg', 'webp'] }))
      .maxLength(8)
      .nullable()
      .optional(),
  })

@AdminView({
  icon: 'M4 8l8-4 8 4v8l-8 4-8-4zM4 8l8 4 8-4M12 12v8',
  group: 'Shop',
  listColumns: ['id', 'name', 'category', 'price', 'sku', 'last_sold', 'description', 'created_at'],
  fields: {
    price: { widget: 'money', currency: 'EUR' },
    sku: { label: 'SKU', help: 'The article number; no two products share one' },
  },
})
@Crud(() => ({
  tags: ['Products'],
  createSchema: createSchema(),
  updateSchema: createSchema().partial(),
  /* Given, so there is an endpoint that deletes for good; it takes no body. */
  deleteSchema: vine.object({}),
  /* `?deleted=include` and `?deleted=only` show what was soft-deleted. */
  showDeleted: true,
  /* Each name is a query parameter of the list, its value what applies when the parameter is absent. */
  filterConfig: {
    name: null,
    name__contains: null,
    name__ilike: null,
    category: null,
    category__in: null,
    sku: null,
    price__gte: null,
    price__lte: null,
    price__between: null,
    last_sold__is: null,
    last_sold__gte: null,
    last_sold__lte: null,
    created_at__gte: null,
    created_at__lte: null,
  },
}))
export default class Product extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column({ meta: { openapi: { examples: ['Desk lamp'] } } })
  declare name: string

  @column({ meta: { openapi: { examples: ['Warm light'] } } })
  declare description: string

  @column({ meta: { openapi: { examples: ['Lighting'] } } })
  declare category: string

  @column({ meta: { openapi: { examples: [39.9] } } })
  declare price: number

  @column({ meta: { openapi: { description: 'The article number', examples: ['LAMP-1'] } } })
  declare sku: string | null

  @column.dateTime()
  declare lastSold: DateTime | null

  /** Keys of files */
  @column()
  declare photos: string[] | null

  @column()
  declare isDeleted: boolean

  @column.dateTime()
  declare deletedAt: DateTime | null

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoCreate: true, autoUpdate: true })
  declare updatedAt: DateTime | null
}
