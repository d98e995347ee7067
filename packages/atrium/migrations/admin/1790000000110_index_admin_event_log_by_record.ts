import { BaseSchema } from '@adonisjs/lucid/schema'

/** Finds the events of one record for its history, newest first. [R8] */
export default class extends BaseSchema {
  protected tableName = 'admin_event_log'

  async up() {
    this.schema.alterTable(this.tableName, (table) => {
      table.index(['resource_type', 'resource_id', 'id'])
    })
  }

  async down() {
    this.schema.alterTable(this.tableName, (table) => {
      table.dropIndex(['resource_type', 'resource_id', 'id'])
    })
  }
}
