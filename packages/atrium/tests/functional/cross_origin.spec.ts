import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import { useTokenAuthorizer, defineConfig } from '#crud'
import type { CrudConfig } from '#crud/define_config'
import { TokenAuthorizer } from '#admin/authentication/access_tokens/api_guard'
import { emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { call, get, post, type HttpResponse } from '#tests/helpers/http'
import { queriesOf } from '#tests/helpers/queries'
import { issueToken } from '#tests/helpers/tokens'
import { forgetCounts } from '#tests/helpers/rate_limit'

const OPEN = '/api/attacked-patrons'
const GUARDED = '/api/token-guarded'
const SHOP = 'https://shop.example.com'

/** Headers of a browser for a page of another origin. */
const from = (origin: string) => ({ 'sec-fetch-site': 'cross-site', origin })

const preflight = (path: string, method: string, headers: Record<string, string> = {}) =>
  call('OPTIONS', path, {
    headers: { ...from(SHOP), 'access-control-request-method': method, ...headers },
  })

function allowed({ headers }: HttpResponse) {
  return headers.get('access-control-allow-origin')
}

function varies({ headers }: HttpResponse): boolean {
  return /\bOrigin\b/i.test(headers.get('vary') ?? '')
}

test.group('Cross-origin requests', (group) => {
  let config: CrudConfig
  const use = (changes: Partial<CrudConfig>) => app.config.set('crud', { ...config, ...changes })

  group.setup(() => {
    const before = useTokenAuthorizer(new TokenAuthorizer())
    return () => {
      useTokenAuthorizer(before)
    }
  })
  group.each.setup(async () => {
    await emptyAdminTables()
    config = app.config.get<CrudConfig>('crud')
    use({ cors: { origins: [SHOP], credentials: false } })
    return () => app.config.set('crud', config)
  })

  test('[W1] without configured origins, no response has CORS headers', async ({ assert }) => {
    use({ cors: { origins: [], credentials: false } })
    const response = await get(OPEN, { headers: from(SHOP) })
    assert.equal(response.status, 200)
    assert.isNull(allowed(response))
    assert.isFalse(varies(response))
    const { status, headers } = await preflight(OPEN, 'POST')
    assert.equal(status, 204)
    assert.include(headers.get('allow')!, 'POST')
    assert.isNull(headers.get('access-control-allow-methods'))
  })

  test('[W1] an allowed origin reads responses and their headers, without credentials', async ({
    assert,
  }) => {
    const response = await get(OPEN, { headers: from(SHOP) })
    assert.equal(allowed(response), SHOP)
    assert.isTrue(varies(response))
    assert.isNull(response.headers.get('access-control-allow-credentials'))
    const exposed = response.headers.get('access-control-expose-headers')!.split(',')
    for (const name of [
      'etag',
      'location',
      'link',
      'x-request-id',
      'ratelimit',
      'ratelimit-policy',
      'retry-after',
      'x-total-count',
      'x-has-more',
      'idempotency-replayed',
      'preference-applied',
      'allow',
      'www-authenticate',
    ]) {
      assert.include(exposed, name)
    }
  })

  test('[W1] a page of any other origin gets the response without CORS headers', async ({
    assert,
  }) => {
    for (const origin of [
      'https://evil.example',
      'null',
      'http://shop.example.com',
      'https://shop.example.com.evil.example',
      'https://shop.example.com:8443',
    ]) {
      const response = await get(OPEN, { headers: from(origin) })
      assert.isNull(allowed(response), origin)
      assert.isTrue(varies(response))
    }
    assert.isTrue(varies(await get(OPEN)))
  })

  test('[W1] a function can allow an origin, but only by returning true', async ({ assert }) => {
    use({
      cors: { origins: (origin: string) => origin.endsWith('.example.com'), credentials: false },
    })
    assert.equal(allowed(await get(OPEN, { headers: from(SHOP) })), SHOP)
    assert.isNull(allowed(await get(OPEN, { headers: from('https://evil.example') })))
    use({ cors: { origins: (async () => false) as any, credentials: false } })
    assert.isNull(allowed(await get(OPEN, { headers: from(SHOP) })))
  })

  test('[W1] a function for origins that throws causes a 500 without details', async ({
    assert,
  }) => {
    const origins = () => {
      throw new Error('list of origins is away')
    }
    use({ cors: { origins, credentials: false } })
    const { status, text } = await get(OPEN, { headers: from(SHOP) })
    assert.equal(status, 500)
    assert.notInclude(text, 'away')
  })

  test('[W1] credentials are allowed only if the configuration allows them', async ({ assert }) => {
    use({ cors: { origins: [SHOP], credentials: true } })
    const { headers } = await get(OPEN, { headers: from(SHOP) })
    assert.equal(headers.get('access-control-allow-credentials'), 'true')
    assert.throws(
      () => defineConfig({ cors: { origins: ['*'], credentials: true } }),
      /cors.origins has '\*'/
    )
    assert.throws(() => defineConfig({ cors: { origins: [`${SHOP}/`] } }), /cors\.origins is/)
  })

  test('[W1] a preflight needs no authentication and is not counted by the rate limit', async ({
    assert,
  }) => {
    use({
      cors: { origins: [SHOP], credentials: false },
      rateLimit: { requests: 1, seconds: 60 },
    })
    const queries = await queriesOf(async () => {
      for (const path of [GUARDED, `${GUARDED}/1`, '/api/openapi.json', '/api/nothing']) {
        const headers = { 'access-control-request-headers': 'authorization,content-type' }
        const response = await preflight(path, 'PATCH', headers)
        assert.equal(response.status, 204, path)
        assert.equal(allowed(response), SHOP)
        assert.include(response.headers.get('access-control-allow-methods')!, 'PATCH')
        assert.include(response.headers.get('access-control-allow-headers')!, 'authorization')
        assert.isNull(response.headers.get('ratelimit'))
      }
    })
    assert.isEmpty(queries)
    const headers = from('https://evil.example')
    assert.isNull(allowed(await preflight(GUARDED, 'PATCH', headers)))
  })

  test('[W1] responses with errors have the CORS headers, too', async ({ assert }) => {
    const headers = from(SHOP)
    const responses = {
      401: await get(GUARDED, { headers }),
      404: await get('/api/nothing', { headers }),
      405: await call('PUT', OPEN, { headers }),
      422: await post(OPEN, { name: 5 }, { headers }),
    }
    for (const [status, response] of Object.entries(responses)) {
      assert.equal(response.status, Number(status))
      assert.equal(allowed(response), SHOP, status)
      assert.isTrue(varies(response))
    }
    use({
      cors: { origins: [SHOP], credentials: false },
      rateLimit: { requests: 1, seconds: 60 },
    })
    await forgetCounts({ requests: 1, seconds: 60 })
    await get(OPEN, { headers })
    const refused = await get(OPEN, { headers })
    assert.equal(refused.status, 429)
    assert.equal(allowed(refused), SHOP)
  })

  test("[W1, B9] a page of an allowed origin can write through endpoints, and a page of another origin can't", async ({
    assert,
  }) => {
    const made = await post(OPEN, { name: 'Ann' }, { headers: from(SHOP) })
    assert.equal(made.status, 201)
    assert.equal(allowed(made), SHOP)
    const forged = await post(OPEN, { name: 'Eve' }, { headers: from('https://evil.example') })
    assert.equal(forged.status, 403)
    const { headers } = await issueToken(await makeUser('jo'))
    const read = await get(GUARDED, { headers: { ...from(SHOP), ...headers } })
    assert.equal(read.status, 200)
  })

  test('[W1, B9] without credentials, cookies of an allowed origin authorize no write', async ({
    assert,
  }) => {
    const before = useTokenAuthorizer({ authorize: async () => ({ kind: 'none' }) })
    try {
      const form = { headers: { ...from(SHOP), cookie: 'session=1' }, json: { name: 'Eve' } }
      const refused = await call('POST', GUARDED, form)
      assert.equal(refused.status, 403)
      use({ cors: { origins: [SHOP], credentials: true } })
      const accepted = await call('POST', GUARDED, form)
      assert.equal(accepted.status, 201)
    } finally {
      useTokenAuthorizer(before)
    }
  })

  test("[W1] the API schema can be read from any origin, the admin site and its endpoints can't", async ({
    assert,
  }) => {
    assert.equal(allowed(await get('/api/openapi.json', { headers: from(SHOP) })), SHOP)
    for (const path of ['/admin/login', '/admin/Utensil/crud', '/docs', '/', '/health/live']) {
      const response = await get(path, { headers: from(SHOP) })
      assert.isNull(allowed(response), path)
      assert.isNull(allowed(await preflight(path, 'POST')), path)
    }
    const write = await post('/admin/Utensil/crud', { name: 'x' }, { headers: from(SHOP) })
    assert.include([401, 403, 404], write.status)
  })
})
