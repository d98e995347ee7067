import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'admin_notices'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.increments('id')
      table
        .integer('user_id')
        .unsigned()
        .notNullable()
        .references('admin_users.id')
        .onDelete('CASCADE')
      table.string('kind', 32).notNullable()
      /* JSON, read and written as text on every database */
      table.text('data').notNullable()
      /* Of the session that caused it; sessions are removed long before notices */
      table.integer('session_id').unsigned()
      table.dateTime('created_at').notNullable()
      table.dateTime('seen_at')
      table.index(['user_id', 'id'])
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
