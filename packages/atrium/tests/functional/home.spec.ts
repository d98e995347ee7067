import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import { defineConfig, type CrudConfig } from '#crud/define_config'
import { get } from '#tests/helpers/http'
import { pretendProduction } from '#tests/helpers/production'

test.group('The home page', (group) => {
  group.each.setup(() => {
    const config = app.config.get('crud')
    return () => app.config.set('crud', config)
  })

  test('the home page lists the endpoints', async ({ assert }) => {
    const response = await get('/')
    assert.equal(response.status, 200)
    assert.include(response.text, '/api/utensils')
  })

  test('[Q1] the home page names no model if the API schema is not public', async ({
    assert,
    cleanup,
  }) => {
    const configs: CrudConfig[] = [defineConfig({ docs: 'token' }), defineConfig({ docs: 'off' })]
    cleanup(pretendProduction())
    configs.push(defineConfig())
    for (const config of configs) {
      app.config.set('crud', config)
      const { status, text } = await get('/')
      assert.equal(status, 200)
      assert.notInclude(text, 'utensils')
    }
  })
})
