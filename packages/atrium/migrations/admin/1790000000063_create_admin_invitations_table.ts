import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'admin_invitations'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      /* One link for each user: a newer one replaces it. */
      table.integer('user_id').unsigned().primary().references('admin_users.id').onDelete('CASCADE')
      /* SHA-256 of the token in the link */
      table.string('hash', 64).notNullable().unique()
      table.dateTime('expires_at').notNullable()
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
