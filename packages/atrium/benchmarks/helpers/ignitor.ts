import 'reflect-metadata'
import { Ignitor } from '@adonisjs/core'
import type { ApplicationService } from '@adonisjs/core/types'

const APP_ROOT = new URL('../../../../', import.meta.url)

/**
 * Creates an ignitor of this application without the models of `app/models`.
 *
 * @param configure  called with the application before it starts
 */
export function createIgnitor(configure: (app: ApplicationService) => void): Ignitor {
  process.env.TZ = 'UTC'
  return new Ignitor(APP_ROOT, {
    importer: (path) => import(path.startsWith('.') ? new URL(path, APP_ROOT).href : path),
  }).tap((app) => {
    configure(app)
    app.booting(async () => void (await import('../../../../start/env.js')))
  })
}
