import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'order_lines'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.increments('id')
      table
        .integer('order_id')
        .unsigned()
        .notNullable()
        .references('id')
        .inTable('orders')
        .onDelete('CASCADE')
        .index()
      table
        .integer('product_id')
        .unsigned()
        .notNullable()
        .references('id')
        .inTable('products')
        .onDelete('RESTRICT')
        .index()
      table.integer('quantity').notNullable().defaultTo(1)
      table.decimal('unit_price', 12, 2).notNullable()
      table.integer('position').nullable().index()
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
