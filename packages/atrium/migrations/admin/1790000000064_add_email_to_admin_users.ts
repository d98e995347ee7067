import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'admin_users'

  async up() {
    this.schema.alterTable(this.tableName, (table) => {
      table.string('email', 254)
    })
  }

  async down() {
    /* knex would make the table anew on SQLite, which foreign keys forbid. */
    this.schema.raw('alter table admin_users drop column email')
  }
}
