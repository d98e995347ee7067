import { test } from '@japa/runner'
import testUtils from '@adonisjs/core/services/test_utils'
import { Problem, RuntimeError, type Actor, type Authorizer } from '#crud'
import {
  actorOf,
  authorize,
  authorizeToken,
  ensureTokenAuthorizer,
  sendsToken,
  useTokenAuthorizer,
  wouldPass,
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

  test('[P10.12] at a public endpoint a valid token limits the request to its abilities, and an invalid token is ignored', async ({
    assert,
  }) => {
    const refusal = new Problem(403, 'No ability')
    const { asked: requested, authorizer } = authorizerOf(refusal)
    for (const owner of [null, { kind: 'token', token: {} }] as any[]) {
      useTokenAuthorizer({ ...authorizer, identify: async () => owner })
      const ctx = await testUtils.createHttpContext()
      ctx.request.request.headers.authorization = 'Bearer x'
      const thrown = await authorize(ctx, resource, 'read', 'public').catch((error) => error)
      assert.strictEqual(thrown, owner ? refusal : undefined)
      assert.equal(ctx.response.getHeader('cache-control'), 'no-store')
      assert.include(String(ctx.response.getHeader('vary')), 'Authorization')
    }
    assert.lengthOf(requested, 1)
    const ctx = await testUtils.createHttpContext()
    await authorize(ctx, resource, 'read', 'public')
    assert.isUndefined(ctx.response.getHeader('cache-control'))
  })

  test("[P10] a write that another site's page caused is refused, unless it has a token: {access}")
    .with([{ access: 'public' }, { access: 'token' }] as const)
    .run(async ({ assert }, { access }) => {
      const actor = strange({ kind: 'token', user: 'anna' })
      useTokenAuthorizer({ ...authorizerOf(actor).authorizer, identify: async () => actor as any })
      const statusOf = async (method: string, headers: object) => {
        const ctx = await testUtils.createHttpContext()
        ctx.request.request.method = method
        Object.assign(ctx.request.request.headers, headers)
        return await authorize(ctx, resource, 'create', access).then(
          () => 200,
          (error) => error.status
        )
      }
      const other = { 'sec-fetch-site': 'cross-site' }
      assert.equal(await statusOf('POST', other), 403)
      assert.equal(await statusOf('POST', {}), 200)
      assert.equal(await statusOf('GET', other), 200)
      assert.equal(await statusOf('POST', { ...other, authorization: 'Bearer x' }), 200)
      assert.equal(await statusOf('POST', { ...other, authorization: 'Basic x' }), 403)
    })

  test('[P10] wouldPass() tells whether a request would be authorized, and does not change its actor', async ({
    assert,
  }) => {
    const actor = strange({ kind: 'token', user: 'anna' })
    useTokenAuthorizer(authorizerOf(actor).authorizer)
    const ctx = await testUtils.createHttpContext()
    const attempt = () => authorize(ctx, resource, 'read', 'token')
    assert.isTrue(await wouldPass(ctx, attempt))
    assert.deepEqual(actorOf(ctx), { kind: 'none' })
    await attempt()
    useTokenAuthorizer(authorizerOf(new Problem(403, 'No')).authorizer)
    assert.isFalse(await wouldPass(ctx, attempt))
    assert.strictEqual(actorOf(ctx), actor)
    useTokenAuthorizer(authorizerOf(new Problem(500, 'Broken')).authorizer)
    await assert.rejects(() => wouldPass(ctx, attempt))
  })

  test('[P10] a token is one of the scheme Bearer, in any case', async ({ assert }) => {
    const ctx = await testUtils.createHttpContext()
    for (const [header, isToken] of [
      [undefined, false],
      ['Basic x', false],
      ['Bearers x', false],
      ['bearer x', true],
      ['Bearer', true],
    ] as const) {
      ctx.request.request.headers.authorization = header
      assert.equal(sendsToken(ctx), isToken, header)
    }
  })

  test('[P14] the actor of one request is not visible to another request', async ({ assert }) => {
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

  test('[P10] a missing or invalid token is a 401 at a route without a model', async ({
    assert,
  }) => {
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
