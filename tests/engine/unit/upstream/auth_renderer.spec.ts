import AdonisMiddleware from '@adonisjs/auth/initialize_auth_middleware'
import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'
import edge from 'edge.js'
import { shareAuthWhereRendered } from '#upstream/auth_renderer'

function countRenderers() {
  const { createRenderer } = edge
  const counted = { made: 0, restore: () => void Reflect.deleteProperty(edge, 'createRenderer') }
  edge.createRenderer = function () {
    counted.made += 1
    return createRenderer.call(this)
  }
  return counted
}

test.group('Sharing auth with templates', () => {
  test('the middleware of AdonisJS still creates a renderer for each request', async ({
    assert,
    cleanup,
  }) => {
    const counted = countRenderers()
    cleanup(counted.restore)
    const ctx = await testUtils.createHttpContext()
    await new AdonisMiddleware().handle(ctx, async () => {})
    assert.equal(counted.made, 1)
  })

  test('with the accessor, a renderer is created only when it is needed', async ({
    assert,
    cleanup,
  }) => {
    shareAuthWhereRendered()
    shareAuthWhereRendered()
    const counted = countRenderers()
    cleanup(counted.restore)
    const ctx = await testUtils.createHttpContext()
    ctx.auth = { name: 'shared' } as never
    assert.equal(counted.made, 0)
    assert.equal(await ctx.view.renderRaw('{{ auth.name }}'), 'shared')
    assert.equal(counted.made, 1)
  })
})
