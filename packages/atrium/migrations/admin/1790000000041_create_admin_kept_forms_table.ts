import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'admin_kept_forms'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      /* SHA-256 of the id in addresses */
      table.string('id', 64).primary()
      table
        .integer('user_id')
        .unsigned()
        .notNullable()
        .references('admin_users.id')
        .onDelete('CASCADE')
      /* Encrypted with the application's key */
      table.text('content', 'longtext').notNullable()
      table.dateTime('created_at').notNullable()
      table.index(['user_id', 'created_at'])
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
