import { BaseSchema } from '@adonisjs/lucid/schema'

/** Imports that are being prepared, run, or were run within a day. The file itself is on the disk of files. [D3] */
export default class extends BaseSchema {
  protected tableName = 'admin_imports'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.increments('id')
      table.integer('user_id').unsigned().notNullable()
      table.string('username', 32).notNullable()
      table.string('model', 100).notNullable()
      table.string('file_name', 255).notNullable()
      /* Name of the file on the disk, which no address has */
      table.string('file_key', 64).notNullable()
      table.bigInteger('bytes').unsigned().notNullable()
      table.text('shape', 'longtext').notNullable()
      table.text('mapping', 'longtext').notNullable()
      table.text('key_field')
      table.text('options').notNullable()
      table.string('state', 10).notNullable()
      table.text('trial', 'longtext')
      table.text('counts', 'longtext')
      table.integer('job_id').unsigned()
      table.integer('event_id').unsigned()
      table.dateTime('created_at').notNullable()
      table.index(['user_id', 'model'])
      table.index(['created_at'])
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
