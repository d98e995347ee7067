import { BaseSchema } from '@adonisjs/lucid/schema'
import { compareTextExactly } from '#base/database/mysql/mysql_collation'

/**
 * Makes texts that differ only in case, accents or trailing spaces different, in unique columns too, in
 * new tables without a collation of their own. SQLite and PostgreSQL do so anyway. [A8, A18]
 */
export default class extends BaseSchema {
  async up() {
    if (this.db.dialect.name === 'mysql') this.defer((client) => compareTextExactly(client))
  }

  async down() {}
}
