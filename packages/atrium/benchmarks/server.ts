/* Web server with the models of the benchmarks. `--prepare` migrates its database first. */
import { failStart } from '../../../bin/fail_start.js'
import { stopOnSignal } from '#host/stop_on_signal'
import { createNodeServer } from '#host/node_server'
import { createIgnitor } from './helpers/ignitor.js'
import { useOwnModels } from './helpers/own_models.js'

const started = Promise.withResolvers<void>()

createIgnitor((app) => {
  useOwnModels(app)
  app.starting(async () => {
    if (!process.argv.includes('--prepare')) return
    const { prepareDatabase } = await import('../../../database/prepare.js')
    await prepareDatabase(app)
  })
  stopOnSignal(app, started.promise)
})
  .httpServer()
  .start((handler) => createNodeServer(handler))
  .then(started.resolve, failStart)
