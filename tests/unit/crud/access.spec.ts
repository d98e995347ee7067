import { test } from '@japa/runner'
import testUtils from '@adonisjs/core/services/test_utils'
import { Problem, RuntimeError, type Actor, type Authorizer } from '#crud'
import { actorOf, authorize, ensureTokenAuthorizer, useTokenAuthorizer } from '#crud/access'
import { Resource } from '#crud/resource/resource'
import { Door } from '#tests/fixtures/crud'

const resource = new Resource({ model: Door })

function authorizerOf(answer: Actor | Problem) {
  const asked: unknown[][] = []
  const authorizer: Authorizer = {
    async authorize(...question) {
      asked.push(question)
      if (answer instanceof Problem) throw answer
      return answer
    },
  }
  return { asked, authorizer }
}

test.group('authorize', (group) => {
  group.each.teardown(() => useTokenAuthorizer(undefined))

  test('[P10] a public endpoint asks nobody, and its actor is nobody', async ({ assert }) => {
    const { asked, authorizer } = authorizerOf({ kind: 'token', user: 'anna' })
    useTokenAuthorizer(authorizer)
    const ctx = await testUtils.createHttpContext()
    await authorize(ctx, resource, 'create', 'public')
    assert.isEmpty(asked)
    assert.deepEqual(actorOf(ctx), { kind: 'none' })
  })

  test('[P10, P14] the authorizer is told who wants what, and says who it is', async ({
    assert,
  }) => {
    const actor: Actor = { kind: 'token', user: { id: 7 }, token: 'abc' }
    const { asked, authorizer } = authorizerOf(actor)
    useTokenAuthorizer(authorizer)
    const ctx = await testUtils.createHttpContext()
    await authorize(ctx, resource, 'db_delete', 'token')
    assert.lengthOf(asked, 1)
    assert.deepEqual(asked[0].slice(1), [resource, 'db_delete'])
    assert.strictEqual(asked[0][0], ctx)
    assert.strictEqual(actorOf(ctx), actor)
  })

  test('[P10] what the authorizer throws is the answer', async ({ assert }) => {
    const refusal = new Problem(401, 'No token')
    useTokenAuthorizer(authorizerOf(refusal).authorizer)
    const ctx = await testUtils.createHttpContext()
    const thrown = await authorize(ctx, resource, 'read', 'token').catch((error) => error)
    assert.strictEqual(thrown, refusal)
    assert.deepEqual(actorOf(ctx), { kind: 'none' })
  })

  test('[P10] without an authorizer an endpoint that wants a token lets nobody in', async ({
    assert,
  }) => {
    const ctx = await testUtils.createHttpContext()
    const thrown = await authorize(ctx, resource, 'read', 'token').catch((error) => error)
    assert.instanceOf(thrown, RuntimeError)
    assert.match(thrown.message, /^Door: access is 'token', and nothing is registered/)
  })

  test('[P10] whether there is an authorizer can be asked before anybody calls', ({ assert }) => {
    assert.throws(() => ensureTokenAuthorizer(resource), RuntimeError)
    useTokenAuthorizer(authorizerOf({ kind: 'token' }).authorizer)
    assert.doesNotThrow(() => ensureTokenAuthorizer(resource))
  })

  test('[P14] each request has its own actor', async ({ assert }) => {
    const first = await testUtils.createHttpContext()
    const second = await testUtils.createHttpContext()
    useTokenAuthorizer(authorizerOf({ kind: 'token', user: 'anna' }).authorizer)
    await authorize(first, resource, 'read', 'token')
    assert.equal(actorOf(first).user, 'anna')
    assert.deepEqual(actorOf(second), { kind: 'none' })
  })
})
