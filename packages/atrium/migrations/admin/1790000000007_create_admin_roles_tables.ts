import { BaseSchema } from '@adonisjs/lucid/schema'
import { giveDefaultRoles } from '#admin/permissions/shipped_roles'

export default class extends BaseSchema {
  async up() {
    this.schema.createTable('admin_roles', (table) => {
      table.increments('id')
      table.string('name', 64).notNullable().unique()
      table.string('description', 255).notNullable().defaultTo('')
      table.json('permissions').notNullable()
      table.dateTime('created_at').notNullable()
      table.dateTime('updated_at')
    })
    this.schema.createTable('admin_user_roles', (table) => {
      table
        .integer('user_id')
        .unsigned()
        .notNullable()
        .references('admin_users.id')
        .onDelete('CASCADE')
      table
        .integer('role_id')
        .unsigned()
        .notNullable()
        .references('admin_roles.id')
        .onDelete('CASCADE')
      table.primary(['user_id', 'role_id'])
      table.index('role_id')
    })
    this.schema.alterTable('admin_users', (table) => {
      table.json('attributes')
      table.integer('permissions_version').notNullable().defaultTo(0)
    })
    /* Nothing changes for those who are there. [U5] */
    this.defer((client) => giveDefaultRoles(client))
  }

  async down() {
    this.schema.dropTable('admin_user_roles')
    this.schema.dropTable('admin_roles')
    /* Of its own: on SQLite, dropping a column makes the table anew, which foreign keys forbid. */
    for (const column of ['attributes', 'permissions_version']) {
      this.schema.raw(`alter table admin_users drop column ${column}`)
    }
  }
}
