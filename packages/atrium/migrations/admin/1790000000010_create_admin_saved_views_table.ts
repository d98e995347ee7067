import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'admin_saved_views'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.increments('id')
      table.string('model', 255).notNullable()
      table.string('name', 80).notNullable()
      table.text('query').notNullable()
      /* A shared view outlives its owner. */
      table.integer('owner_id').unsigned().references('admin_users.id').onDelete('SET NULL')
      table.boolean('shared').notNullable().defaultTo(false)
      table.dateTime('created_at').notNullable()
      table.dateTime('updated_at')
      table.unique(['owner_id', 'model', 'name'])
      table.index('model')
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
