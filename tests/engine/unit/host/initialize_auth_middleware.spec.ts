import { test } from '@japa/runner'
import testUtils from '@adonisjs/core/services/test_utils'
import edge from 'edge.js'
import InitializeAuthMiddleware from '#host/initialize_auth_middleware'

test.group('InitializeAuthMiddleware', () => {
  test('templates can use auth, and no renderer is created for requests without templates', async ({
    assert,
    cleanup,
  }) => {
    const { createRenderer } = edge
    let made = 0
    edge.createRenderer = function () {
      made += 1
      return createRenderer.call(this)
    }
    cleanup(() => void Reflect.deleteProperty(edge, 'createRenderer'))

    const ctx = await testUtils.createHttpContext()
    await new InitializeAuthMiddleware().handle(ctx, async () => {
      assert.equal(ctx.auth.defaultGuard, 'admin')
      assert.equal(made, 0)
      /* An accessor on each context would keep the request alive until the old generation is
       * collected. */
      assert.isFalse(Object.hasOwn(ctx, 'view'))
      const page = '{{ auth === expected }} {{ request === asked }}'
      const { auth: expected, request: asked } = ctx
      assert.equal(await ctx.view.renderRaw(page, { expected, asked }), 'true true')
    })
    assert.equal(made, 1)
  })
})
