import { assert } from '@japa/assert'
import { apiClient } from '@japa/api-client'
import app from '@adonisjs/core/services/app'
import type { Config } from '@japa/runner/types'
import { pluginAdonisJS } from '@japa/plugin-adonisjs'
import { adminApiClient, migrateTables, startServer } from 'adonis-atrium/testing'

export const plugins: Config['plugins'] = [
  assert(),
  apiClient(),
  adminApiClient(),
  pluginAdonisJS(app),
]

export const runnerHooks: Required<Pick<Config, 'setup' | 'teardown'>> = {
  setup: [migrateTables],
  teardown: [],
}

export const configureSuite: Config['configureSuite'] = (suite) => {
  if (['functional', 'browser'].includes(suite.name)) suite.setup(startServer)
}
