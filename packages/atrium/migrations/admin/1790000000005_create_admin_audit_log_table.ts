import { BaseSchema } from '@adonisjs/lucid/schema'

/** State of each record before and after an event. [E3] */
export default class extends BaseSchema {
  protected tableName = 'admin_audit_log'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.increments('id')
      table
        .integer('event_id')
        .unsigned()
        .notNullable()
        .references('admin_event_log.id')
        .onDelete('CASCADE')
      table.dateTime('timestamp').notNullable()
      table.string('resource_type', 100).notNullable()
      table.string('resource_id', 512).notNullable()
      table.string('action', 20).notNullable()
      table.text('previous_state', 'longtext')
      table.text('new_state', 'longtext')
      table.text('changes', 'longtext').notNullable()
      table.index(['event_id', 'id'])
      table.index(['resource_type', 'resource_id', 'id'])
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
