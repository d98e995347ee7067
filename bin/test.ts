/*
 * The entry point of the tests. Each run has a database and a folder for uploaded files of its own, so
 * neither the developer's data nor another run is ever touched.
 */
import type { Config } from '@japa/runner/types'
import { freePort } from '#tests/helpers/free_port'
import { useTestDatabase } from '#tests/helpers/test_database'

process.env.NODE_ENV = 'test'
process.env.TZ = 'UTC'
const removeDatabase = await useTestDatabase()
process.env.PORT ??= String(await freePort())

await import('reflect-metadata')
const { Ignitor, prettyPrintError } = await import('@adonisjs/core')
const { configure, processCLIArgs, run } = await import('@japa/runner')

const APP_ROOT = new URL('../', import.meta.url)

const IMPORTER = (filePath: string) => {
  if (filePath.startsWith('./') || filePath.startsWith('../')) {
    return import(new URL(filePath, APP_ROOT).href)
  }
  return import(filePath)
}

new Ignitor(APP_ROOT, { importer: IMPORTER })
  .tap((app) => {
    app.booting(async () => {
      await import('#start/env')
    })
    app.listen('SIGTERM', () => app.terminate())
    app.listenIf(app.managedByPm2, 'SIGINT', () => app.terminate())
  })
  .testRunner()
  .configure(async (app) => {
    const { runnerHooks, ...config } = await import('#tests/bootstrap')
    const { afterwards } = await import('#tests/late_failures')

    processCLIArgs(process.argv.splice(2))
    configure({
      ...app.rcFile.tests,
      ...config,
      ...{
        setup: runnerHooks.setup,
        teardown: runnerHooks.teardown.concat([
          afterwards('ending the application', () => app.terminate()),
        ]),
      },
    } as Config)
  })
  .run(async (app) => {
    await run()
    /* Where a test file can't even be imported, the runner leaves the teardown out. */
    await app.terminate()
  })
  .catch((error) => {
    process.exitCode = 1
    prettyPrintError(error)
  })
  .finally(removeDatabase)
