import type { DateTime } from 'luxon'
import { BaseModel, column, hasMany } from '@adonisjs/lucid/orm'
import type { HasMany } from '@adonisjs/lucid/types/relations'
import { AdminView, Crud } from 'adonis-atrium'
import Order from '#models/order'

@AdminView({
  icon: 'M12 12a4 4 0 100-8 4 4 0 000 8zM4 20a8 8 0 0116 0',
  group: 'Shop',
  title: '{name} ({city})',
  listColumns: ['name', 'email', 'city', 'created_at'],
  defaultSort: 'name',
})
@Crud({ tags: ['Customers'], filterConfig: { name__ilike: null, city: null } })
export default class Customer extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare name: string

  @column()
  declare email: string

  @column()
  declare city: string | null

  @hasMany(() => Order)
  declare orders: HasMany<typeof Order>

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoCreate: true, autoUpdate: true })
  declare updatedAt: DateTime | null
}
