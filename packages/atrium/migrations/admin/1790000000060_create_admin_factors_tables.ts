import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  async up() {
    this.schema.createTable('admin_factors', (table) => {
      table.increments('id')
      table
        .integer('user_id')
        .unsigned()
        .notNullable()
        .references('admin_users.id')
        .onDelete('CASCADE')
      table.string('kind', 16).notNullable()
      table.string('name', 64).notNullable()
      /* Encrypted with the application's key */
      table.text('secret').notNullable()
      /* The highest one that was used: of a code the number of its 30 seconds since 1970 */
      table.bigInteger('counter')
      table.dateTime('created_at').notNullable()
      table.dateTime('last_used_at')
      table.index('user_id')
    })
    this.schema.createTable('admin_recovery_codes', (table) => {
      table.increments('id')
      table
        .integer('user_id')
        .unsigned()
        .notNullable()
        .references('admin_users.id')
        .onDelete('CASCADE')
      /* SHA-256 of the code, which has 120 random bits */
      table.string('hash', 64).notNullable()
      table.dateTime('created_at').notNullable()
      table.dateTime('used_at')
      table.unique(['user_id', 'hash'])
    })
  }

  async down() {
    this.schema.dropTable('admin_recovery_codes')
    this.schema.dropTable('admin_factors')
  }
}
