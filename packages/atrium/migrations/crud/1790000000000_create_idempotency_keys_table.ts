import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * The responses to creates with an `Idempotency-Key`, each under a digest of actor, path and key. Runs on
 * every connection whose models accept such keys, as a response is stored with its item. [Q7]
 */
export default class extends BaseSchema {
  protected tableName = 'idempotency_keys'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.string('id', 64).notNullable().primary()
      /* The request that is being processed; null once it is done */
      table.string('claim', 36)
      /* Encrypted */
      table.text('content', 'longtext').notNullable()
      /* Milliseconds since 1970 */
      table.bigInteger('expires_at').notNullable().index()
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
