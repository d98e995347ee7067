import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'admin_role_dashboards'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table
        .integer('role_id')
        .unsigned()
        .notNullable()
        .primary()
        .references('admin_roles.id')
        .onDelete('CASCADE')
      /* JSON, read and written as text on every database */
      table.text('cards').notNullable()
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
