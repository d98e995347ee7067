import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'admin_users'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.increments('id')
      table.string('username', 32).notNullable().unique()
      /* Names that differ in case alone are one: the database sees to it that the key is always that
       * of the name, whoever writes it. SQLite, PostgreSQL, MySQL and MariaDB all have such columns. */
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
