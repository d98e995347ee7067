import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'admin_access_tokens'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.increments('id')
      table
        .integer('user_id')
        .unsigned()
        .notNullable()
        .references('admin_users.id')
        .onDelete('CASCADE')
      table.string('name', 64).notNullable()
      table.string('hash', 64).notNullable()
      table.json('abilities').notNullable()
      table.dateTime('created_at').notNullable()
      table.dateTime('last_used_at')
      table.dateTime('expires_at')
      table.index('user_id')
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
