/*
 * The application without its event integration, which config/admin.ts may leave out.
 */
import 'reflect-metadata'
import { Ignitor } from '@adonisjs/core'
import { createNodeServer } from '#host/node_server'
import { useOwnModels } from '../helpers/own_models.js'

const APP_ROOT = new URL('../../', import.meta.url)

await new Ignitor(APP_ROOT, {
  importer: (path) => import(path.startsWith('.') ? new URL(path, APP_ROOT).href : path),
})
  .tap((app) => {
    useOwnModels(app)
    app.booting(async () => void (await import('#start/env')))
    app.booted(() => app.config.set('admin.eventIntegration', undefined))
    app.booted(() => app.config.set('crud.access', 'public'))
  })
  .httpServer()
  .start(createNodeServer)
