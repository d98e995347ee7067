import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('admin_factors', (table) => {
      /* SHA-256 of the credential id, which is too long for an index of MariaDB */
      table.string('credential_hash', 64)
      table.unique(['credential_hash'])
    })
  }

  async down() {
    this.schema.alterTable('admin_factors', (table) => {
      table.dropUnique(['credential_hash'])
      table.dropColumn('credential_hash')
    })
  }
}
