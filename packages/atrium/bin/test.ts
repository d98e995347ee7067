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

const isEngine = process.env.ATRIUM_TESTS !== 'app'

/** The setup of the tests, by ATRIUM_TESTS: `mutants` is for scripts/mutate.js. */
const BOOTSTRAPS: Record<string, string> = {
  engine: '#tests/bootstrap',
  app: '../../../tests/bootstrap.js',
  mutants: '#tests/mutants_bootstrap',
}

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
    app.booting(async () => {
      /* The application's models could clash with fixtures. */
      const folders = ['models', 'admin_pages', 'admin_cards']
      const none = folders.map((name) => [name, `packages/atrium/tests/${name}`])
      if (isEngine) Object.assign(app.rcFile.directories, Object.fromEntries(none))
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
    const bootstrap: Bootstrap = await import(BOOTSTRAPS[process.env.ATRIUM_TESTS ?? 'engine'])
    const { runnerHooks, plugins = [], suites = suitesOf(app), ...config } = bootstrap
    const { writeResults } = await import('#tests/results')
    const { afterwards } = await import('#host/testing')

    processCLIArgs(process.argv.splice(2))
    configure({
      ...app.rcFile.tests,
      ...config,
      suites,
      plugins: [...plugins, writeResults],
      setup: runnerHooks.setup,
      teardown: runnerHooks.teardown.concat([
        afterwards('ending the application', () => app.terminate()),
      ]),
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
