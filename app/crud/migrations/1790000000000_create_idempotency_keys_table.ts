import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * The answers to creates that came with an `Idempotency-Key`, each under a digest of who sent which
 * key where. On every connection whose models take such keys, as an answer is stored with its item. [Q7]
 */
export default class extends BaseSchema {
  protected tableName = 'idempotency_keys'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.string('id', 64).notNullable().primary()
      /* Of the request that is at it; null once it is through */
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
