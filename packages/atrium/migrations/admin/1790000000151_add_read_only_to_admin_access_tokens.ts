import { BaseSchema } from '@adonisjs/lucid/schema'

/** Access tokens that cannot write by any path. [W5] */
export default class extends BaseSchema {
  protected tableName = 'admin_access_tokens'

  async up() {
    this.schema.alterTable(this.tableName, (table) => {
      table.boolean('read_only').notNullable().defaultTo(false)
    })
  }

  async down() {
    this.schema.alterTable(this.tableName, (table) => {
      table.dropColumn('read_only')
    })
  }
}
