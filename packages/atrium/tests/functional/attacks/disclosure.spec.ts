import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import { TokenAuthorizer } from '#admin/authentication/access_tokens/api_guard'
import { useTokenAuthorizer } from '#crud'
import { emptyAdminTables } from '#tests/helpers/admin'
import { call, get } from '#tests/helpers/http'
import { forgetCounts } from '#tests/helpers/rate_limit'

/** File paths and stack traces. */
const INSIDE = /node_modules|\.[jt]s\b|file:\/\/|\n\s+at |frames|stack/i

test.group('Attacks | disclosure of internals', (group) => {
  group.each.setup(async () => {
    await emptyAdminTables()
    const config = app.config.get<object>('crud')
    const before = useTokenAuthorizer(new TokenAuthorizer())
    return () => {
      app.config.set('crud', config)
      useTokenAuthorizer(before)
    }
  })

  function configure(changes: object) {
    app.config.set('crud', { ...app.config.get<object>('crud'), ...changes })
  }

  test('a 404 response contains no stack and no file name, even in development: {0} {1}')
    .with([
      ['GET', '/nothing'],
      ['GET', '/health'],
      ['GET', '/health/%2e%2e/nothing'],
      ['GET', '/docs/a/b'],
      ['POST', '/docs'],
      ['DELETE', '/health/ready'],
      ['PUT', '/'],
      ['GET', '/%3Cscript%3Ealert(1)%3C%2Fscript%3E'],
    ])
    .run(async ({ assert }, [method, path]) => {
      for (const accept of ['text/html', 'application/json', 'application/vnd.api+json', '*/*']) {
        const { status, text, headers } = await call(method, path, { headers: { accept } })
        assert.equal(status, 404)
        assert.notMatch(text, INSIDE, accept)
        assert.isBelow(text.length, 500)
        /* JSON does not need to escape it. */
        const isJson = /^application\/(\w|[.+-])*json\b/.test(headers.get('content-type')!)
        if (isJson) assert.doesNotThrow(() => JSON.parse(text))
        else assert.notInclude(text, '<script')
      }
    })

  test('[Q1] if the API schema requires a token, no model names or paths are public', async ({
    assert,
  }) => {
    const { openapi, docs } = app.config.get<any>('crud')
    configure({ openapi: { ...openapi, access: 'token' }, docs: { ...docs, access: 'token' } })
    for (const path of ['/', '/docs', '/api/openapi.json', '/api', '/api/nothing', '/nothing']) {
      const { text } = await get(path)
      assert.notMatch(text, /\/api\/\w+s\b|Utensil|read_multi/, path)
    }
    for (const headers of [{ 'if-none-match': '*' }, { range: 'bytes=0-10' }]) {
      const { status } = await get('/api/openapi.json', { headers: headers as any })
      assert.equal(status, 401)
    }
  })

  test('[Q8] guessed tokens on the API page are counted by the rate limit', async ({ assert }) => {
    const rateLimit = { requests: 3, seconds: 60 }
    await forgetCounts(rateLimit)
    const { docs } = app.config.get<any>('crud')
    configure({ rateLimit, docs: { ...docs, access: 'token' } })

    const statuses: number[] = []
    for (let guess = 0; guess < 5; guess++) {
      const headers = { authorization: `Bearer atr_MQ.${guess}` }
      const { status } = await get('/docs', { headers })
      statuses.push(status)
    }
    assert.deepEqual(statuses, [401, 401, 401, 429, 429])
    const elsewhere = await get('/api/utensils')
    assert.equal(elsewhere.status, 429)
  })
})
