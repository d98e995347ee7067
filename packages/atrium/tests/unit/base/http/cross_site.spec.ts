import { test } from '@japa/runner'
import { HttpContextFactory } from '@adonisjs/core/factories/http'
import { isCrossSite, isForgery } from '#base/http/cross_site'

function context(headers: Record<string, string>, method = 'POST') {
  const ctx = new HttpContextFactory().create()
  ctx.request.request.method = method
  ctx.request.request.headers = { host: 'atrium.test:3333', ...headers }
  ctx.request.headers = () => ctx.request.request.headers
  return ctx
}

test.group('isCrossSite()', () => {
  test('[B9] a same-site request, or one without an origin, is not cross-site')
    .with([
      {},
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
      { origin: 'http://atrium.test:3333' },
      { 'sec-fetch-site': 'same-origin', 'origin': 'http://atrium.test:3333' },
      { host: 'ATRIUM.test:3333', origin: 'http://atrium.test:3333' },
    ] as Array<Record<string, string>>)
    .run(({ assert }, headers) => {
      assert.isFalse(isCrossSite(context(headers)))
    })

  test('[B9] a request that a page of another site caused is cross-site')
    .with([
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'SAME-ORIGIN' },
      { 'sec-fetch-site': 'same-origin, cross-site' },
      { origin: 'null' },
      { origin: 'http://evil.test' },
      { origin: 'http://atrium.test' },
      { origin: 'http://atrium.test:3334' },
      { origin: 'https://atrium.test:3333' },
      { origin: 'http://atrium.test:3333.evil.test' },
      { origin: 'http://atrium.test:3333@evil.test' },
      { origin: 'http://evil.test/atrium.test:3333' },
      { 'origin': 'http://evil.test', 'sec-fetch-site': 'same-origin' },
      { 'origin': 'http://atrium.test:3333', 'sec-fetch-site': 'cross-site' },
      { 'origin': 'http://evil.test', 'x-forwarded-host': 'evil.test' },
    ] as Array<Record<string, string>>)
    .run(({ assert }, headers) => {
      assert.isTrue(isCrossSite(context(headers)))
    })

  test('[B9] without a Host header every request with an origin is cross-site', ({ assert }) => {
    for (const origin of ['null', 'http://atrium.test']) {
      const ctx = context({ origin })
      delete ctx.request.request.headers.host
      assert.isTrue(isCrossSite(ctx), origin)
    }
  })
})

test.group('isForgery()', () => {
  test('[B9] only requests with unsafe methods can be forgeries', ({ assert }) => {
    const foreign = { 'sec-fetch-site': 'cross-site' }
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      assert.isFalse(isForgery(context(foreign, method)), method)
    }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'PROPFIND']) {
      assert.isTrue(isForgery(context(foreign, method)), method)
      assert.isFalse(isForgery(context({}, method)), method)
    }
  })
})
