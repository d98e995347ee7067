import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'posts'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.increments('id').notNullable()
      table.integer('author_id').unsigned().notNullable().references('users.id')
      table.string('title', 200).notNullable()
      table.text('body').notNullable()
      table.boolean('is_published').notNullable().defaultTo(false)
      table.decimal('word_price', 10, 2).nullable()
      table.date('due_on').nullable()
      table.timestamp('created_at').notNullable()
      table.timestamp('updated_at').nullable()
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
