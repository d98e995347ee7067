/* Setup of the engine's tests, which use their own models (fixtures/) and not the application's. */
import { assert } from '@japa/assert'
import { apiClient } from '@japa/api-client'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import type { ApplicationService } from '@adonisjs/core/types'
import type { Config } from '@japa/runner/types'
import { pluginAdonisJS } from '@japa/plugin-adonisjs'
import { AdminSite } from '#admin/admin_site'
import { timeLimits } from '#admin/search/site_search'
import { adminApiClient } from '#admin/testing'
import { resources } from '#crud'
import { runMigrations, startServer } from '#host/testing'
import { registerFixtures } from '#tests/fixtures/register'
import { ignoreChance } from '#tests/helpers/without_tokens'

export const plugins: Config['plugins'] = [
  assert(),
  ignoreChance,
  apiClient(),
  adminApiClient(),
  pluginAdonisJS(app),
]

const TIMEOUTS = { unit: 10_000, functional: 30_000, browser: 60_000, process: 60_000 }

export const suites: ApplicationService['rcFile']['tests']['suites'] = Object.entries(TIMEOUTS).map(
  ([name, timeout]) => ({
    name,
    files: [`packages/atrium/tests/${name}/**/*.spec.ts`],
    directories: [],
    timeout,
  })
)

/** Starts the browser with its suite, after the server. */
export const configureSuite: Config['configureSuite'] = (suite) => {
  if (suite.name !== 'browser') return
  suite.setup(async () => {
    const { startBrowser } = await import('#tests/helpers/browser')
    return await startBrowser()
  })
}

/** The application's tables could clash with those of fixtures. */
function leaveOutMigrations() {
  for (const { config } of db.manager.connections.values()) {
    const { migrations } = config
    if (!migrations?.paths) continue
    migrations.paths = migrations.paths.filter((path) => path.includes('atrium/migrations/'))
  }
}

/** Fails the run if the catalogue lacked a text, as pages then show the key instead. */
function noteMissingTexts() {
  const missing = new Set<string>()
  const { text } = AdminSite.prototype
  AdminSite.prototype.text = function (key, data) {
    const found = text.call(this, key, data)
    if (found.startsWith('translation missing')) missing.add(key)
    return found
  }
  return () => {
    if (missing.size > 0)
      throw new Error(`No text in lang/en/admin.json: ${[...missing].join(', ')}`)
  }
}

export const runnerHooks: Required<Pick<Config, 'setup' | 'teardown'>> = {
  setup: [
    leaveOutMigrations,
    async () => {
      const takeBack = await runMigrations()
      /* The database goes with its tables; one run of the plan tries the way back. */
      return process.env.ATRIUM_TEST_KEEPS_TABLES ? () => {} : takeBack
    },
    async () => {
      await registerFixtures()
      await resources.load()
    },
    /* A machine under load must not change what a search finds. */
    () => void Object.assign(timeLimits, { contained: 30_000, model: 30_000 }),
    startServer,
    noteMissingTexts,
  ],
  teardown: [],
}
