import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import type { AdminUser } from '#admin'
import { TokenAuthorizer } from '#admin/authentication/access_tokens/api_guard'
import { useTokenAuthorizer } from '#crud'
import { counters } from '#base/counters'
import { DOORS } from '#tests/fixtures/crud'
import { adminSite, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { captureLog, ERROR_LEVEL, WARN_LEVEL } from '#tests/helpers/captured_log'
import { call, get, post, type HttpResponse } from '#tests/helpers/http'
import { queriesOf } from '#tests/helpers/queries'
import { forgetCounts } from '#tests/helpers/rate_limit'
import { issueToken } from '#tests/helpers/tokens'

const OPEN = `/api${DOORS.isPublic}`
const CLOSED = `/api${DOORS.token}`

const LIMIT = { requests: 3, seconds: 60 }

function headersOf({ status, headers }: HttpResponse) {
  return {
    status,
    policy: headers.get('ratelimit-policy'),
    limit: headers.get('ratelimit')?.replace(/t=(60|5\d)$/, 't=60') ?? null,
  }
}

const left = (status: number, remaining: number) => ({
  status,
  policy: '"default";q=3;w=60',
  limit: `"default";r=${remaining};t=60`,
})

test.group('Rate limit', (group) => {
  let jo: AdminUser
  let config: object

  group.setup(async () => {
    const before = useTokenAuthorizer(new TokenAuthorizer())
    const restore = await fakeHashes()
    return () => {
      restore()
      useTokenAuthorizer(before)
    }
  })
  group.each.setup(async () => {
    await emptyAdminTables()
    await forgetCounts(LIMIT)
    jo = await makeUser('jo')
    config = app.config.get<object>('crud')
    app.config.set('crud', { ...config, rateLimit: LIMIT })
    return async () => {
      app.config.set('crud', config)
      const { accessTokens } = await adminSite()
      await accessTokens.settle()
    }
  })

  test('[Q8] without a rate limit, nothing is counted and no rate limit headers are sent', async ({
    assert,
  }) => {
    assert.propertyVal(config, 'rateLimit', null)
    app.config.set('crud', config)
    const queries = await queriesOf(async () => {
      for (let count = 0; count < 5; count++) {
        assert.deepEqual(headersOf(await get(OPEN)), { status: 200, policy: null, limit: null })
      }
    })
    assert.isEmpty(queries.filter((sql) => sql.includes('rate_limits')))
  })

  test('[Q8] an address over the limit gets a 429 with the time to wait', async ({ assert }) => {
    for (const remaining of [2, 1, 0]) {
      assert.deepEqual(headersOf(await get(OPEN)), left(200, remaining))
    }
    for (let count = 0; count < 2; count++) {
      const response = await post(OPEN, { name: 'no' })
      assert.deepEqual(headersOf(response), left(429, 0))
      assert.equal(response.headers.get('content-type'), 'application/problem+json; charset=utf-8')
      const seconds = Number(response.headers.get('retry-after'))
      assert.isTrue(seconds > 40 && seconds <= 60, `${seconds}`)
      assert.containSubset(response.body, { status: 429, title: 'Too Many Requests' })
      assert.include(response.body.detail, `${seconds} seconds`)
    }
  })

  test('[Q8] every response has the rate limit headers and is counted: {title}')
    .with([
      { title: '200', send: () => call('HEAD', OPEN), status: 200 },
      { title: '401', send: () => get(CLOSED), status: 401 },
      { title: '404', send: () => get(`${OPEN}/0`), status: 404 },
      { title: '404 of nobody', send: () => get('/api/nothing/here'), status: 404 },
      { title: '405', send: () => call('PUT', OPEN), status: 405 },
      { title: '204', send: () => call('OPTIONS', OPEN), status: 204 },
      { title: '422', send: () => post(OPEN, {}), status: 422 },
      {
        title: '400',
        send: () =>
          call('POST', OPEN, { body: '{', headers: { 'content-type': 'application/json' } }),
        status: 400,
      },
      {
        title: '415',
        send: () => call('POST', OPEN, { body: '{', headers: { 'content-type': 'text/plain' } }),
        status: 415,
      },
    ])
    .run(async ({ assert }, { send, status }) => {
      assert.deepEqual(headersOf(await send()), left(status, 2))
      await send()
      await send()
      const { status: last } = await send()
      assert.equal(last, 429)
    })

  test('[Q8] a 403 has the rate limit headers too, and each token has its own count', async ({
    assert,
  }) => {
    const reader = await issueToken(jo, ['Door:read_multi'])
    const other = await issueToken(jo)
    const refused = await post(CLOSED, { name: 'no' }, { headers: reader.headers })
    assert.deepEqual(headersOf(refused), left(403, 2))
    for (const remaining of [1, 0]) {
      const response = await get(CLOSED, { headers: reader.headers })
      assert.deepEqual(headersOf(response), left(200, remaining))
    }
    const over = await get(CLOSED, { headers: reader.headers })
    assert.equal(over.status, 429)
    /* Endpoints without access control count too. */
    const elsewhere = await get(OPEN, { headers: reader.headers })
    assert.equal(elsewhere.status, 429)
    assert.deepEqual(headersOf(await get(OPEN, { headers: other.headers })), left(200, 2))
    assert.deepEqual(headersOf(await get(OPEN)), left(200, 2))
  })

  test('[Q8, P10] requests with guessed tokens are counted by address and affect no other client', async ({
    assert,
  }) => {
    const { headers, token } = await issueToken(jo)
    const guess = (number: number) =>
      get(CLOSED, { headers: { authorization: `Bearer ${token.slice(0, -4)}${number}AAA` } })
    const responses = []
    for (let number = 0; number < 5; number++) responses.push(await guess(number))
    assert.deepEqual(
      responses.map(({ status }) => status),
      [401, 401, 401, 429, 429]
    )
    assert.isNull(responses[3].headers.get('www-authenticate'))
    assert.deepEqual(headersOf(await get(CLOSED, { headers })), left(200, 2))
  })

  test('[Q8] no header or parameter changes which client a request counts for', async ({
    assert,
  }) => {
    const { token } = await issueToken(jo)
    await get(`${OPEN}?key=1`)
    await get(`${OPEN}?access_token=${token}`, { headers: { 'x-forwarded-for': '192.0.2.9' } })
    await post(OPEN, { name: 'a', user: 'x' }, { headers: { 'user-agent': 'other' } })
    const { status } = await get(`${OPEN}?key=2`, {
      headers: { 'x-real-ip': '192.0.2.8', 'cookie': `access_token=${token}` },
    })
    assert.equal(status, 429)
  })

  test("[Q8] the admin site and the application's pages are not counted", async ({ assert }) => {
    for (const path of ['/', '/admin/login', '/admin/Utensil/crud']) {
      const { policy } = headersOf(await get(path))
      assert.isNull(policy, path)
    }
    assert.deepEqual(headersOf(await get(OPEN)), left(200, 2))
  })

  test('[Q8] a token is read once from the database, for the count and the abilities', async ({
    assert,
  }) => {
    const { headers } = await issueToken(jo)
    const queries = await queriesOf(() => get(`${CLOSED}/1`, { headers }))
    const reads = queries.filter(
      (sql) => /^select/.test(sql) && sql.includes('admin_access_tokens')
    )
    assert.lengthOf(reads, 1)
  })

  test('[Q8] requests over the limit run no database queries', async ({ assert }) => {
    for (let count = 0; count < 3; count++) await get(OPEN)
    const queries = await queriesOf(async () => {
      const { status } = await get(OPEN)
      assert.equal(status, 429)
    })
    assert.isEmpty(queries)
  })

  test('[Q8] reaching the limit is logged once, however many requests follow', async ({
    assert,
    cleanup,
  }) => {
    const log = captureLog(cleanup)
    for (let count = 0; count < 8; count++) await get(OPEN)
    const lines = log().filter(({ level }) => level >= WARN_LEVEL)
    assert.lengthOf(lines, 1)
    assert.equal(lines[0].msg, 'A caller of the API has reached the rate limit')
    assert.match(JSON.stringify(lines[0]), /"key":"api:address:[\d.:]+"/)
  })

  test('[Q8] if requests can’t be counted, they get 503, and the reason is logged', async ({
    assert,
    cleanup,
  }) => {
    const log = captureLog(cleanup)
    const counter = counters().use({ requests: 3, duration: 60, inMemoryBlockOnConsumed: 3 })
    counter.consume = async () => {
      throw new Error('the store is gone')
    }
    cleanup(() => void delete (counter as Partial<typeof counter>).consume)
    for (const path of [OPEN, '/api/nothing']) {
      const { status, headers, text } = await get(path)
      assert.equal(status, 503)
      assert.equal(headers.get('retry-after'), '1')
      assert.notInclude(text, 'store')
    }
    const errors = log().filter(({ level }) => level === ERROR_LEVEL)
    assert.include(errors[0].err!.message, 'the store is gone')
  })
})
