import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'admin_preferences'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table
        .integer('user_id')
        .unsigned()
        .notNullable()
        .references('admin_users.id')
        .onDelete('CASCADE')
      table.string('name', 255).notNullable()
      /* JSON, read and written as text on every database */
      table.text('value').notNullable()
      table.primary(['user_id', 'name'])
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
