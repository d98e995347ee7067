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
    /**
     * The admin site's own tables are here too. To put them into a file of their own, leave its
     * migrations out here, add
     * `...sqliteConnections('admin', adminFilename, { migrations: ['app/admin/migrations'] })`,
     * name 'admin' as `adminConnection` in config/admin.ts, and run `node ace migrate`.
     */
    ...sqliteConnections('sqlite', filename, {
      migrations: ['app/admin/migrations', 'database/migrations'],
    }),
  },
})
