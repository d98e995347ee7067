/*
 * The entry point of the tests for scripts/test.js: the engine's, or those of the application around it and its demo if
 * ATRIUM_TESTS is `app`. Each run has its own database and its own folder for uploaded files, so that it never touches the
 * developer's data or another run.
 */
import type { ApplicationService } from '@adonisjs/core/types'
import type { Config } from '@japa/runner/types'
import { freePort } from '#tests/helpers/free_port'
import { isPlainRun, usePlainConnection } from '#tests/helpers/plain_connection'
import { useTestDatabase } from '#tests/helpers/test_database'
import { leaveOutModels } from '#tests/without_application'

const isEngine = process.env.ATRIUM_TESTS !== 'app'

/** Suites that scripts/test.js leaves out, as this machine lacks something they need */
const leftOut = process.env.ATRIUM_WITHOUT_SUITES?.split(',') ?? []

process.env.NODE_ENV = 'test'
process.env.TZ = 'UTC'
const removeDatabase = await useTestDatabase()
process.env.PORT ??= String(await freePort())

await import('reflect-metadata')
const { Ignitor, prettyPrintError } = await import('@adonisjs/core')
const { configure, processCLIArgs, run } = await import('@japa/runner')

/** The exports of tests/bootstrap.ts */
interface Bootstrap extends Pick<Config, 'plugins' | 'reporters' | 'configureSuite'> {
  runnerHooks: Required<Pick<Config, 'setup' | 'teardown'>>
  suites?: ApplicationService['rcFile']['tests']['suites']
}

const APP_ROOT = new URL('../../../', import.meta.url)

const IMPORTER = (filePath: string) => {
  if (filePath.startsWith('./') || filePath.startsWith('../')) {
    return import(new URL(filePath, APP_ROOT).href)
  }
  return import(filePath)
}

new Ignitor(APP_ROOT, { importer: IMPORTER })
  .tap((app) => {
    if (isEngine) leaveOutModels(app)
    app.booting(async () => {
      const { generateIndexes } = await import('#host/generate_indexes')
      await generateIndexes(app)
      await import('../../../start/env.js')
      if (isPlainRun) usePlainConnection(await import('../../../config/database.js'))
    })
    app.listen('SIGTERM', () => app.terminate())
    app.listenIf(app.managedByPm2, 'SIGINT', () => app.terminate())
  })
  .testRunner()
  .configure(async (app) => {
    const bootstrap: Bootstrap = isEngine
      ? await import('#tests/bootstrap')
      : await import('../../../tests/bootstrap.js')
    const { runnerHooks, reporters, suites = suitesOf(app), ...config } = bootstrap
    const { withCounts } = await import('#tests/counts_reporter')
    const { afterwards } = await import('#host/testing')

    processCLIArgs(process.argv.splice(2))
    configure({
      ...app.rcFile.tests,
      ...config,
      ...{
        reporters: withCounts(reporters),
        suites: suites.filter(({ name }) => !leftOut.includes(name)),
        setup: runnerHooks.setup,
        teardown: runnerHooks.teardown.concat([
          afterwards('ending the application', () => app.terminate()),
        ]),
      },
    } as Config)
  })
  .run(async (app) => {
    await run()
    /* If a test file cannot be imported, the runner skips the teardown. */
    await app.terminate()
  })
  .catch((error) => {
    process.exitCode = 1
    prettyPrintError(error)
  })
  .finally(removeDatabase)

/** Those of the application, with the engine's tests of its demo */
function suitesOf({ rcFile }: ApplicationService) {
  return rcFile.tests.suites.map(({ files, ...suite }) => ({
    ...suite,
    files: [files, `packages/atrium/tests/demo/${suite.name}/**/*.spec.ts`].flat(),
  }))
}
