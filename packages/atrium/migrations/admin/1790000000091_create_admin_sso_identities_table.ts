import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  async up() {
    this.schema.createTable('admin_sso_identities', (table) => {
      table.increments('id')
      table
        .integer('user_id')
        .unsigned()
        .notNullable()
        .references('admin_users.id')
        .onDelete('CASCADE')
      table.string('issuer', 255).notNullable()
      table.string('subject', 255).notNullable()
      /* SHA-256 of both, as some databases compare texts without regard to case */
      table.string('print', 64).notNullable().unique()
      table.dateTime('created_at').notNullable()
      table.dateTime('last_used_at')
      table.index('user_id')
    })
  }

  async down() {
    this.schema.dropTable('admin_sso_identities')
  }
}
