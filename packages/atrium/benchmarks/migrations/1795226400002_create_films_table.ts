import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'films'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.increments('id')
      table.string('title', 255).notNullable()
      /* Whole dollars; the largest grosses don't fit into 32 bits. */
      table.bigInteger('us_gross').nullable()
      table.bigInteger('worldwide_gross').nullable()
      table.bigInteger('us_dvd_sales').nullable()
      table.bigInteger('production_budget').nullable()
      table.date('release_date').nullable().index()
      table.string('mpaa_rating', 16).nullable()
      table.integer('running_time_min').nullable()
      table
        .integer('distributor_id')
        .unsigned()
        .nullable()
        .references('id')
        .inTable('distributors')
        .onDelete('RESTRICT')
        .index()
      table.string('source', 80).nullable()
      table.string('major_genre', 80).nullable().index()
      table.string('creative_type', 80).nullable()
      table.string('director', 120).nullable()
      table.integer('rotten_tomatoes_rating').nullable()
      table.decimal('imdb_rating', 3, 1).nullable()
      table.integer('imdb_votes').nullable()

      table.dateTime('created_at').notNullable()
      table.dateTime('updated_at').nullable()
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
