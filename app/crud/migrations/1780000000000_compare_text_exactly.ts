import { BaseSchema } from '@adonisjs/lucid/schema'
import { compareTextExactly } from '../database/mysql/mysql_collation.js'

/**
 * Tables that are made without a word on it are to hold texts that differ in case, accents or spaces
 * at their end as different, in unique columns too. On SQLite and PostgreSQL they do. [A8, A18]
 */
export default class extends BaseSchema {
  async up() {
    if (this.db.dialect.name === 'mysql') this.defer((client) => compareTextExactly(client))
  }

  async down() {}
}
