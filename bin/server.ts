/*
 * The entry point of the HTTP server. Everything is UTC, whatever the machine's time zone.
 *
 * With --prepare (what `npm start` passes) the database is migrated, and seeded with the demo data
 * once, before the server listens.
 */
import './node_version.js'
import './compile_cache.js'

process.env.TZ = 'UTC'

await import('reflect-metadata')
const { Ignitor } = await import('@adonisjs/core')
const { failStart } = await import('./fail_start.js')
const { createNodeServer, generateIndexes, stopOnSignal } = await import('adonis-atrium/server')

const APP_ROOT = new URL('../', import.meta.url)

const IMPORTER = (filePath: string) => {
  if (filePath.startsWith('./') || filePath.startsWith('../')) {
    return import(new URL(filePath, APP_ROOT).href)
  }
  return import(filePath)
}

const started = Promise.withResolvers<void>()

new Ignitor(APP_ROOT, { importer: IMPORTER })
  .tap((app) => {
    app.booting(async () => {
      await generateIndexes(app)
      const { default: env } = await import('#start/env')
      /* Files of the server are readable by its own user only. */
      if (!env.get('DB_SHARED')) process.umask(0o077)
    })
    app.starting(async () => {
      if (process.argv.includes('--prepare')) {
        const { prepareDatabase } = await import('#database/prepare')
        await prepareDatabase(app)
      }
    })
    stopOnSignal(app, started.promise)
  })
  .httpServer()
  .start((handler) => createNodeServer(handler))
  .then(started.resolve, failStart)
