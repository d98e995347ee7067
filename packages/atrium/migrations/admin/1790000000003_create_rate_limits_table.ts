import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Logins and requests as counted by @adonisjs/limiter, for all processes on one database. Before 0.3 its name was
 * `rate_limits`, which an application with a limiter of its own has, too.
 */
export default class extends BaseSchema {
  protected tableName = 'admin_rate_limits'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.string('key', 255).notNullable().primary()
      table.integer('points', 9).notNullable().defaultTo(0)
      table.bigInteger('expire').unsigned()
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
