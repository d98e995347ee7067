import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import app from '@adonisjs/core/services/app'
import { defineConfig } from '@adonisjs/lucid'
import { mysqlConnection, postgresConnection, sqliteConnections } from 'adonis-atrium/database'
import env from '#start/env'

/**
 * The tables of the admin site are here, too; its migrations run before these. To put them into another database, add a
 * connection below, as in `...sqliteConnections('admin', app.makePath('tmp/admin.sqlite3'))` or
 * `admin: postgresConnection({ ...server, database: 'atrium_admin' })`, name 'admin' as `adminConnection` in
 * config/admin.ts, and run `node ace migrate`.
 */
const migrations = ['database/migrations']

/** SQLite uses one file, with one writer and several readers */
const isFile = env.get('DB_CONNECTION').includes('sqlite')
const filename = app.makePath((isFile && env.get('DB_DATABASE')) || 'tmp/db.sqlite3')

/** By default only this user has rights on the file, whatever its rights were before */
const shared = env.get('DB_SHARED', false)

/** With `full`, the default, a power cut loses no confirmed write; with `normal` the last moments */
const synchronous = env.get('DB_SYNCHRONOUS', 'full')

if (isFile) mkdirSync(dirname(filename), { recursive: true })

/** Address of the PostgreSQL, MySQL or MariaDB server */
const server = {
  host: env.get('DB_HOST'),
  port: env.get('DB_PORT'),
  user: env.get('DB_USER'),
  password: env.get('DB_PASSWORD')?.release(),
  database: env.get('DB_DATABASE', 'atrium'),
  tls: env.get('DB_TLS', false),
  /** Maximum connections of each process */
  pool: env.get('DB_POOL', 10),
}

export default defineConfig({
  connection: env.get('DB_CONNECTION'),
  connections: {
    ...sqliteConnections('sqlite', filename, { migrations, shared, synchronous }),
    ...sqliteConnections('better-sqlite3', filename, {
      migrations,
      shared,
      synchronous,
      driver: 'better-sqlite3',
    }),
    postgres: postgresConnection({ ...server, migrations }),
    mysql: mysqlConnection({ ...server, migrations }),
  },
})
