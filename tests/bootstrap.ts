import { assert } from '@japa/assert'
import { apiClient } from '@japa/api-client'
import ace from '@adonisjs/core/services/ace'
import app from '@adonisjs/core/services/app'
import type { Config } from '@japa/runner/types'
import { spec } from '@japa/runner/reporters'
import { pluginAdonisJS } from '@japa/plugin-adonisjs'
import testUtils from '@adonisjs/core/services/test_utils'
import { adminApiClient } from '#admin/testing'
import { resources } from '#crud'
import { createNodeServer } from '#host/node_server'
import { countsReporter } from '#tests/counts_reporter'
import { registerFixtures } from '#tests/fixtures/register'
import { afterwards } from '#tests/late_failures'

export const plugins: Config['plugins'] = [
  assert(),
  apiClient(),
  adminApiClient(),
  pluginAdonisJS(app),
]

export const reporters: Config['reporters'] = {
  activated: ['spec', 'counts'],
  list: [spec(), countsReporter()],
}

/** But for those that scripts/test.js found this machine has no means for */
export const suites = app.rcFile.tests.suites.filter(
  ({ name }) => !process.env.ATRIUM_WITHOUT_SUITES?.split(',').includes(name)
)

/** The browser starts with its suite, after the server. */
export const configureSuite: Config['configureSuite'] = (suite) => {
  if (suite.name !== 'browser') return
  suite.setup(async () => {
    const { startBrowser } = await import('#tests/helpers/browser')
    return await startBrowser()
  })
}

/**
 * Makes the tables, and takes them back in the end. Without Lucid's lock, as nobody else migrates this
 * database: it is the same for a whole server of MySQL, and any connection of the pool may be asked to
 * give back what another one holds.
 */
async function migrate() {
  const run = async (name: string) => {
    const options = ['--compact-output', '--no-schema-generate', '--disable-locks']
    const { exitCode, error } = await ace.exec(name, options)
    if (exitCode) throw error ?? new Error(`${name} failed`)
  }
  await run('migration:run')
  return afterwards('taking the tables back (migration:reset)', () => run('migration:reset'))
}

export const runnerHooks: Required<Pick<Config, 'setup' | 'teardown'>> = {
  setup: [
    migrate,
    async () => {
      await registerFixtures()
      await resources.load()
    },
    async () => {
      const stop = await testUtils.httpServer().start(createNodeServer)
      return afterwards('stopping the server', stop)
    },
  ],
  teardown: [],
}
