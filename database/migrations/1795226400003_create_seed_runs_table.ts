import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Remembers which seeders ran, so that their data comes once and deleted rows stay deleted.
 */
export default class extends BaseSchema {
  protected tableName = 'seed_runs'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.string('name', 120).notNullable().primary()
      table.dateTime('ran_at').notNullable()
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
