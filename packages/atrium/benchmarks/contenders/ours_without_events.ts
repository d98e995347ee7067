/*
 * The application without an event integration.
 */
import { createNodeServer } from '#host/node_server'
import { createIgnitor } from '../helpers/ignitor.js'
import { useOwnModels } from '../helpers/own_models.js'

await createIgnitor((app) => {
  useOwnModels(app)
  app.booted(() => app.config.set('admin.eventIntegration', undefined))
})
  .httpServer()
  .start(createNodeServer)
