import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'admin_devices'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.increments('id')
      table
        .integer('user_id')
        .unsigned()
        .notNullable()
        .references('admin_users.id')
        .onDelete('CASCADE')
      /* SHA-256 of the cookie */
      table.string('hash', 64).notNullable()
      table.dateTime('created_at').notNullable()
      table.dateTime('last_used_at').notNullable()
      table.unique(['user_id', 'hash'])
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
