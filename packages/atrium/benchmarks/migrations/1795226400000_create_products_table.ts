import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'products'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.increments('id')
      table.string('name', 255).notNullable()
      table.text('description', 'longtext').notNullable()
      table.string('category', 120).notNullable().index()
      table.decimal('price', 12, 2).notNullable()
      table.string('sku', 64).nullable().unique()
      table.dateTime('last_sold').nullable()

      table.boolean('is_deleted').notNullable().defaultTo(false)
      table.dateTime('deleted_at').nullable()
      table.dateTime('created_at').notNullable()
      table.dateTime('updated_at').nullable()
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
