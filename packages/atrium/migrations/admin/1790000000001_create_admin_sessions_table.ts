import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'admin_sessions'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.increments('id')
      table
        .integer('user_id')
        .unsigned()
        .notNullable()
        .references('admin_users.id')
        .onDelete('CASCADE')
      table.string('session_id', 64).notNullable().unique()
      table.string('ip_address', 45)
      table.string('user_agent', 255)
      table.string('device_info', 255)
      table.dateTime('created_at').notNullable()
      table.dateTime('last_activity').notNullable()
      table.boolean('is_active').notNullable().defaultTo(true)
      table.json('session_metadata').notNullable()
      table.index(['user_id', 'is_active'])
      table.index('last_activity')
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
