import { test } from '@japa/runner'
import testUtils from '@adonisjs/core/services/test_utils'
import { Problem, RuntimeError, type Actor, type Authorizer } from '#crud'
import {
  actorOf,
  authorize,
  authorizeToken,
  ensureTokenAuthorizer,
  useTokenAuthorizer,
} from '#crud/endpoints/access'
import { Resource } from '#crud/resource/resource'
import { Door } from '#tests/fixtures/crud'
import { strange } from '#tests/helpers/actors'

const resource = new Resource({ model: Door })

function authorizerOf(response: Actor | Problem) {
  const requested: unknown[][] = []
  const authorizer: Authorizer = {
    async authorize(...question) {
      requested.push(question)
      if (response instanceof Problem) throw response
      return response
    },
  }
  return { asked: requested, authorizer }
}

test.group('authorize()', (group) => {
  group.each.setup(() => {
    const before = useTokenAuthorizer(undefined)
    return () => void useTokenAuthorizer(before)
  })

  test('[P10] a request to a public endpoint calls no authorizer and has no actor', async ({
    assert,
  }) => {
    const { asked: requested, authorizer } = authorizerOf(strange({ kind: 'token', user: 'anna' }))
    useTokenAuthorizer(authorizer)
    const ctx = await testUtils.createHttpContext()
    await authorize(ctx, resource, 'create', 'public')
    assert.isEmpty(requested)
    assert.deepEqual(actorOf(ctx), { kind: 'none' })
  })

  test('[P10, P14] the authorizer gets request, model and operation, and returns the actor', async ({
    assert,
  }) => {
    const actor = strange({ kind: 'token', user: { id: 7 }, token: 'abc' })
    const { asked: requested, authorizer } = authorizerOf(actor)
    useTokenAuthorizer(authorizer)
    const ctx = await testUtils.createHttpContext()
    await authorize(ctx, resource, 'db_delete', 'token')
    assert.lengthOf(requested, 1)
    assert.deepEqual(requested[0].slice(1), [resource, 'db_delete'])
    assert.strictEqual(requested[0][0], ctx)
    assert.strictEqual(actorOf(ctx), actor)
  })

  test('[P10] an error of the authorizer becomes the response', async ({ assert }) => {
    const refusal = new Problem(401, 'No token')
    useTokenAuthorizer(authorizerOf(refusal).authorizer)
    const ctx = await testUtils.createHttpContext()
    const thrown = await authorize(ctx, resource, 'read', 'token').catch((error) => error)
    assert.strictEqual(thrown, refusal)
    assert.deepEqual(actorOf(ctx), { kind: 'none' })
  })

  test('[P10] without an authorizer an endpoint with token access is refused', async ({
    assert,
  }) => {
    const ctx = await testUtils.createHttpContext()
    const thrown = await authorize(ctx, resource, 'read', 'token').catch((error) => error)
    assert.instanceOf(thrown, RuntimeError)
    assert.match(thrown.message, /^Door: access is 'token', and nothing is registered/)
  })

  test('[P10] a missing authorizer can be detected before any request', ({ assert }) => {
    assert.throws(() => ensureTokenAuthorizer(resource), RuntimeError)
    useTokenAuthorizer(authorizerOf({ kind: 'token' }).authorizer)
    assert.doesNotThrow(() => ensureTokenAuthorizer(resource))
  })

  test('[P14] each request has its own actor', async ({ assert }) => {
    const first = await testUtils.createHttpContext()
    const second = await testUtils.createHttpContext()
    useTokenAuthorizer(authorizerOf(strange({ kind: 'token', user: 'anna' })).authorizer)
    await authorize(first, resource, 'read', 'token')
    assert.equal(actorOf(first).user, 'anna')
    assert.deepEqual(actorOf(second), { kind: 'none' })
  })
})

test.group('authorizeToken()', (group) => {
  group.each.setup(() => {
    const before = useTokenAuthorizer(undefined)
    return () => void useTokenAuthorizer(before)
  })

  const actor = { kind: 'token' as const, token: { id: 7, name: 'ci', abilities: [] } }
  const identifying = (found: typeof actor | null): Authorizer => ({
    authorize: async () => actor,
    identify: async () => found,
  })

  test('[P10] a route without a model accepts any valid token and gets the actor', async ({
    assert,
  }) => {
    useTokenAuthorizer(identifying(actor))
    const ctx = await testUtils.createHttpContext()
    await authorizeToken(ctx, 'docs')
    assert.strictEqual(actorOf(ctx), actor)
    assert.equal(ctx.response.getHeader('cache-control'), 'no-store')
  })

  test('[P10] a missing or invalid token is 401', async ({ assert }) => {
    useTokenAuthorizer(identifying(null))
    const ctx = await testUtils.createHttpContext()
    const thrown = await authorizeToken(ctx, 'docs').catch((error) => error)
    assert.instanceOf(thrown, Problem)
    assert.equal(thrown.status, 401)
    assert.deepEqual(thrown.headers, { 'www-authenticate': 'Bearer realm="api"' })
    assert.deepEqual(actorOf(ctx), { kind: 'none' })

    ctx.request.request.headers.authorization = 'Bearer x'
    const invalid = await authorizeToken(ctx, 'docs').catch((error) => error)
    assert.include(invalid.headers['www-authenticate'], 'error="invalid_token"')
  })

  test('[P10] without an authorizer that supports routes without a model, every request is refused', async ({
    assert,
  }) => {
    const ctx = await testUtils.createHttpContext()
    const unasked = await authorizeToken(ctx, 'docs').catch((error) => error)
    assert.instanceOf(unasked, RuntimeError)
    assert.match(unasked.message, /^docs: access is 'token', and nothing/)
    useTokenAuthorizer({ authorize: async () => actor })
    const unknown = await authorizeToken(ctx, 'docs').catch((error) => error)
    assert.equal(unknown.status, 401)
    await assert.doesNotReject(() => authorizeToken(ctx, 'docs', 'public'))
  })
})
