import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import env from '#start/env'
import app from '@adonisjs/core/services/app'
import { defineConfig } from '@adonisjs/lucid'
import { sqliteConnections } from '#crud/database/sqlite_connection'

const filename = app.makePath(env.get('DB_DATABASE', 'tmp/db.sqlite3'))
mkdirSync(dirname(filename), { recursive: true })

export default defineConfig({
  connection: env.get('DB_CONNECTION'),
  connections: {
    ...sqliteConnections('sqlite', filename, { migrations: ['database/migrations'] }),
  },
})
