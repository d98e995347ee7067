/*
 * The server of bin/server.ts, with the models of the benchmarks.
 */
process.env.TZ = 'UTC'

await import('reflect-metadata')
const { Ignitor } = await import('@adonisjs/core')
const { failStart } = await import('../bin/fail_start.js')
const { stopOnSignal } = await import('../bin/stop.js')
const { createNodeServer } = await import('#host/node_server')
const { useOwnModels } = await import('./helpers/own_models.js')

const APP_ROOT = new URL('../', import.meta.url)
const started = Promise.withResolvers<void>()

new Ignitor(APP_ROOT, {
  importer: (path) => import(path.startsWith('.') ? new URL(path, APP_ROOT).href : path),
})
  .tap((app) => {
    useOwnModels(app)
    app.booting(async () => void (await import('#start/env')))
    app.starting(async () => {
      if (!process.argv.includes('--prepare')) return
      const { prepareDatabase } = await import('#database/prepare')
      await prepareDatabase(app)
    })
    stopOnSignal(app, started.promise)
  })
  .httpServer()
  .start((handler) => createNodeServer(handler))
  .then(started.resolve, failStart)
