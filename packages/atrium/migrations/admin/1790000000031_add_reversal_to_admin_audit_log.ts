import { BaseSchema } from '@adonisjs/lucid/schema'

/** Data to take a change back. [R7] */
export default class extends BaseSchema {
  protected tableName = 'admin_audit_log'

  async up() {
    this.schema.alterTable(this.tableName, (table) => {
      table.text('reversal', 'longtext')
    })
  }

  async down() {
    this.schema.alterTable(this.tableName, (table) => {
      table.dropColumn('reversal')
    })
  }
}
