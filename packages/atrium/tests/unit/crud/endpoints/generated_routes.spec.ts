import app from '@adonisjs/core/services/app'
import { HttpContextFactory } from '@adonisjs/core/factories/http'
import { test } from '@japa/runner'
import { defineConfig } from '#crud/define_config'
import {
  isBelowPrefix,
  isGeneratedRoute,
  markGenerated,
  markMounted,
} from '#crud/endpoints/generated_routes'

test.group('Generated routes', () => {
  test('a route is a generated one if its handler is marked', ({ assert }) => {
    const ctx = new HttpContextFactory().create()
    assert.isFalse(isGeneratedRoute(ctx))

    const handler = () => {}
    ctx.route = { handler } as any
    assert.isFalse(isGeneratedRoute(ctx))
    markGenerated(handler)
    assert.isTrue(isGeneratedRoute(ctx))
  })

  test('[P5] a path is below the configured prefix only if whole segments match', ({
    assert,
    cleanup,
  }) => {
    const before = app.config.get('crud')
    cleanup(() => app.config.set('crud', before))
    app.config.set('crud', defineConfig({ prefix: '/v2/rest' }))

    const paths = ['/v2/rest', '/v2/rest/', '/v2/rest/x/1', '/v2', '/v2/restful', '/x/v2/rest/y']
    assert.deepEqual(paths.map(isBelowPrefix), [true, true, true, false, false, false])
  })

  test('with an empty prefix only the paths of endpoints match', ({ assert, cleanup }) => {
    const before = app.config.get('crud')
    cleanup(() => app.config.set('crud', before))
    app.config.set('crud', defineConfig({ prefix: '/' }))
    markMounted('/unprefixed')

    const paths = ['/unprefixed', '/unprefixed/1', '/', '/unprefixed-too', '/home']
    assert.deepEqual(paths.map(isBelowPrefix), [true, true, false, false, false])
  })
})
