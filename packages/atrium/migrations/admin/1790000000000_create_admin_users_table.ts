import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'admin_users'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.increments('id')
      table.string('username', 32).notNullable().unique()
      /* Makes names unique regardless of case: a generated column always matches the name,
       * whatever writes it. Supported by SQLite, PostgreSQL, MySQL and MariaDB. */
      table
        .specificType('username_key', 'varchar(32) generated always as (lower(username)) stored')
        .unique()
      table.string('hashed_password', 255).notNullable()
      table.boolean('is_superuser').notNullable().defaultTo(false)
      table.dateTime('created_at').notNullable()
      table.dateTime('updated_at')
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
