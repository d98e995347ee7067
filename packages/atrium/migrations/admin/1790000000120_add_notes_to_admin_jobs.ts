import { BaseSchema } from '@adonisjs/lucid/schema'

/** What a job has to know of its earlier steps after an interruption. [D1] */
export default class extends BaseSchema {
  protected tableName = 'admin_jobs'

  async up() {
    this.schema.alterTable(this.tableName, (table) => {
      table.text('notes', 'longtext')
    })
  }

  async down() {
    this.schema.alterTable(this.tableName, (table) => {
      table.dropColumn('notes')
    })
  }
}
