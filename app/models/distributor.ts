import type { DateTime } from 'luxon'
import { BaseModel, column, hasMany } from '@adonisjs/lucid/orm'
import type { HasMany } from '@adonisjs/lucid/types/relations'
import { AdminView, Crud } from 'adonis-atrium'
import Film from '#models/film'

@AdminView({
  icon: 'M4 20V9l8-5 8 5v11M9 20v-7h6v7M2 20h20',
  group: 'Cinema',
  listColumns: ['name', 'id', 'created_at', 'updated_at'],
  defaultSort: 'name',
})
@Crud({
  tags: ['Distributors'],
  filterConfig: { name: null, name__contains: null, name__ilike: null },
})
export default class Distributor extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare name: string

  @hasMany(() => Film)
  declare films: HasMany<typeof Film>

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoCreate: true, autoUpdate: true })
  declare updatedAt: DateTime | null
}
