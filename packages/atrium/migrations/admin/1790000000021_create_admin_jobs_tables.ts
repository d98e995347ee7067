import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Background jobs, and the keys of the records that a job is about, a thousand a row. Has no foreign key to
 * users, as a job's page outlives its owner. [D1, L8]
 */
export default class extends BaseSchema {
  async up() {
    this.schema.createTable('admin_jobs', (table) => {
      table.increments('id')
      table.string('kind', 50).notNullable()
      table.integer('user_id').unsigned().notNullable()
      table.string('username', 32).notNullable()
      table.string('model', 100)
      table.string('state', 10).notNullable()
      table.integer('done').unsigned().notNullable()
      table.integer('total').unsigned()
      /* Records that are being written in another database than this one */
      table.integer('pending').unsigned()
      table.text('payload', 'longtext').notNullable()
      table.text('origin').notNullable()
      table.text('result', 'longtext')
      table.text('fault')
      table.integer('interruptions').unsigned().notNullable()
      /* Names the process that runs it */
      table.string('run', 36)
      table.dateTime('created_at').notNullable()
      table.dateTime('started_at')
      table.dateTime('ended_at')
      table.index(['user_id', 'id'])
      table.index(['state', 'ended_at'])
    })
    this.schema.createTable('admin_job_chunks', (table) => {
      table
        .integer('job_id')
        .unsigned()
        .notNullable()
        .references('admin_jobs.id')
        .onDelete('CASCADE')
      table.integer('position').unsigned().notNullable()
      table.text('record_keys', 'longtext').notNullable()
      table.primary(['job_id', 'position'])
    })
  }

  async down() {
    this.schema.dropTable('admin_job_chunks')
    this.schema.dropTable('admin_jobs')
  }
}
