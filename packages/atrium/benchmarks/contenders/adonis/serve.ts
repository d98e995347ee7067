import 'reflect-metadata'
import { Ignitor } from '@adonisjs/core'

const APP_ROOT = new URL('./', import.meta.url)

/**
 * Starts the AdonisJS application of this directory with the given routes.
 */
export async function serve(routes: () => Promise<unknown>): Promise<void> {
  await new Ignitor(APP_ROOT, {
    importer: (path) => import(path.startsWith('.') ? new URL(path, APP_ROOT).href : path),
  })
    .tap((app) => app.starting(async () => void (await routes())))
    .httpServer()
    .start()
}
