import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Events. Has no foreign keys, as it outlives the users, sessions and records that it refers to.
 * [E3]
 */
export default class extends BaseSchema {
  protected tableName = 'admin_event_log'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.increments('id')
      table.dateTime('timestamp').notNullable()
      table.string('event_type', 20).notNullable()
      table.string('status', 10).notNullable()
      table.integer('user_id').unsigned()
      table.string('username', 32)
      table.integer('session_id').unsigned()
      table.string('ip_address', 45)
      table.string('user_agent', 255)
      table.string('resource_type', 100)
      table.string('resource_id', 512)
      table.text('details')
      table.index(['timestamp', 'id'])
      table.index(['event_type', 'timestamp'])
      table.index(['status', 'timestamp'])
      table.index(['username', 'timestamp'])
      table.index(['resource_type', 'timestamp'])
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
