import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Webhooks, and their deliveries, which a write inserts in its own transaction. Times of deliveries are milliseconds,
 * because they are compared with the clock of the process. Deliveries outlive their webhook, so there is no foreign key.
 * [W4]
 */
export default class extends BaseSchema {
  async up() {
    this.schema.createTable('admin_webhooks', (table) => {
      table.increments('id')
      table.string('address', 2000).notNullable()
      table.string('description', 255).notNullable().defaultTo('')
      table.text('models').notNullable()
      table.text('event_types').notNullable()
      table.boolean('active').notNullable().defaultTo(true)
      /* Encrypted; the previous secret signs, too, until it expires */
      table.text('secret').notNullable()
      table.text('previous_secret')
      table.bigInteger('previous_secret_until')
      table.boolean('secret_shown').notNullable().defaultTo(false)
      table.integer('owner_id').unsigned().notNullable()
      table.bigInteger('failing_since')
      table.dateTime('created_at').notNullable()
      table.dateTime('updated_at')
    })
    this.schema.createTable('admin_webhook_deliveries', (table) => {
      table.bigIncrements('id')
      table.integer('webhook_id').unsigned().notNullable()
      table.string('message_id', 40).notNullable()
      table.string('type', 150).notNullable()
      table.string('resource_type', 100)
      table.text('resource_id')
      /* Digest of the record, whose deliveries are sent one after the other */
      table.string('record_key', 22).notNullable()
      table.text('actor').notNullable()
      table.text('changes', 'longtext').notNullable()
      table.bigInteger('occurred_at').notNullable()
      table.string('state', 10).notNullable()
      table.integer('attempts').unsigned().notNullable().defaultTo(0)
      table.bigInteger('first_attempt_at')
      table.bigInteger('next_at').notNullable()
      table.string('taken_by', 36)
      table.bigInteger('taken_until')
      table.bigInteger('ended_at')
      table.text('request', 'longtext')
      table.integer('response_status')
      table.text('response')
      table.string('error', 255)
      table.integer('duration')
      table.index(['webhook_id', 'state', 'next_at'])
      table.index(['webhook_id', 'record_key', 'state'])
      table.index(['state', 'ended_at'])
    })
  }

  async down() {
    this.schema.dropTable('admin_webhook_deliveries')
    this.schema.dropTable('admin_webhooks')
  }
}
