import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { translate } from './build.js'

/** Writes a number of decorated models to a directory, one file each, as a build would. */
export function writeModels(folder: string, count: number): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (let number = 1; number <= count; number++) {
    writeFileSync(join(folder, `thing_${number}.js`), translate(sourceOf(number)))
  }
}

/** Creates their tables in a migrated SQLite file, with a few rows each. */
export function createTables(file: string, count: number): void {
  const database = new Database(file)
  database.pragma('journal_mode = WAL')
  database.transaction(() => {
    for (let number = 1; number <= count; number++) {
      const table = `thing_${number}s`
      database.exec(
        `create table if not exists ${table} (
          id integer not null primary key autoincrement,
          name varchar(255) not null,
          description text not null,
          category varchar(120) not null,
          price decimal(12, 2) not null,
          sku varchar(64) null,
          is_deleted boolean not null default 0,
          deleted_at datetime null,
          created_at datetime not null,
          updated_at datetime null
        );
        create index if not exists ${table}_category on ${table} (category);
        create unique index if not exists ${table}_sku on ${table} (sku);
        insert into ${table} (name, description, category, price, created_at)
          values ('one', 'the first', 'a', 1.5, '2026-01-01 00:00:00'),
                 ('two', 'the second', 'b', 2.5, '2026-01-01 00:00:00');`
      )
    }
  })()
  database.close()
}

function sourceOf(number: number): string {
  return `
import { BaseModel, column } from '@adonisjs/lucid/orm'
import { AdminView } from '#admin'
import { Crud } from '#crud'

@AdminView({ group: 'Group ${number % 10}' })
@Crud({
  filterConfig: { name: null, name__contains: null, category: null, price__gte: null, price__lte: null },
})
export default class Thing${number} extends BaseModel {
  static table = 'thing_${number}s'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare name: string

  @column()
  declare description: string

  @column()
  declare category: string

  @column()
  declare price: number

  @column()
  declare sku: string | null

  @column()
  declare isDeleted: boolean

  @column.dateTime()
  declare deletedAt: any

  @column.dateTime({ autoCreate: true })
  declare createdAt: any

  @column.dateTime({ autoCreate: true, autoUpdate: true })
  declare updatedAt: any
}
`
}
