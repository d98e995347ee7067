import { Secret } from '@adonisjs/core/helpers'
import type { HttpContext } from '@adonisjs/core/http'
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { defineConfig } from '#admin'
import { metricsConfig, type MetricsInput } from '#admin/config/metrics_config'
import { MetricsAccess } from '#admin/metrics/site_metrics'
import { METRICS_TOKEN } from '#tests/fixtures/metrics'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { call, del, get, post } from '#tests/helpers/http'

const headers = { authorization: `Bearer ${METRICS_TOKEN}` }

async function metrics(): Promise<string> {
  const { text } = await get('/metrics', { headers })
  return text
}

/** Value of the line of a metric with exactly these labels; undefined if there is none */
function valueOf(text: string, name: string, labels: Record<string, string>): number | undefined {
  for (const line of text.split('\n')) {
    const [, own, list, value] = /^(\w+)\{(.*)\} (\S+)$/.exec(line) ?? []
    if (own !== name) continue
    const found = Object.fromEntries(
      [...list.matchAll(/(\w+)="([^"]*)"/g)].map(([, a, b]) => [a, b])
    )
    const names = Object.keys(labels)
    if (
      names.length === Object.keys(found).length &&
      names.every((one) => found[one] === labels[one])
    ) {
      return Number(value)
    }
  }
  return undefined
}

test.group('Metrics', (group) => {
  group.setup(() => fakeHashes())
  group.each.setup(() => emptyAdminTables())

  test('[W6] a client with the token gets the metrics in the format of Prometheus', async ({
    assert,
  }) => {
    await metrics()
    const response = await get('/metrics', { headers })
    assert.equal(response.status, 200)
    assert.match(response.headers.get('content-type')!, /^text\/plain; version=0\.0\.4/)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.isNull(response.headers.get('set-cookie'))
    for (const name of [
      'http_requests_total',
      'http_request_duration_seconds_bucket',
      'nodejs_eventloop_lag_p99_seconds',
      'db_pool_connections',
      'admin_jobs',
      'admin_sessions',
      'admin_webhook_deliveries',
    ]) {
      assert.include(response.text, `\n${name}`)
    }
  })

  test('[W6] a request with {0} instead of the token is refused')
    .with([
      ['no token', {}, ''],
      ['another token', { authorization: 'Bearer another' }, ''],
      ['a prefix of the token', { authorization: `Bearer ${METRICS_TOKEN.slice(0, -1)}` }, ''],
      ['the token with another scheme', { authorization: `Basic ${METRICS_TOKEN}` }, ''],
      ['the token in the address', {}, `?token=${METRICS_TOKEN}&access_token=${METRICS_TOKEN}`],
      ['a claimed address', { 'x-forwarded-for': '10.1.2.3' }, ''],
    ] as Array<[string, Record<string, string>, string]>)
    .run(async ({ assert }, [, sent, query]) => {
      const response = await get(`/metrics${query}`, { headers: sent })
      assert.equal(response.status, 401)
      assert.equal(response.headers.get('www-authenticate'), 'Bearer')
      assert.notMatch(response.text, /http_|process_|admin_/)
    })

  test('[W6] a session of a superuser does not replace the token', async ({ assert }) => {
    const cookie = await cookiesOf(await makeUser('ada'))
    const { status } = await get('/metrics', { headers: { cookie } })
    assert.equal(status, 401)
  })

  test('[W6] requests are counted by route, method and status', async ({ assert }) => {
    const labels = { route: '/api/route-items/:id', method: 'GET', status: '404' }
    const before = valueOf(await metrics(), 'http_requests_total', labels) ?? 0
    const durations = { route: labels.route, method: 'GET' }
    const timed = valueOf(await metrics(), 'http_request_duration_seconds_count', durations) ?? 0
    await get('/api/route-items/987654')
    await get('/api/route-items/987655')
    const text = await metrics()
    assert.equal(valueOf(text, 'http_requests_total', labels), before + 2)
    assert.equal(valueOf(text, 'http_request_duration_seconds_count', durations), timed + 2)
    assert.notMatch(text, /route-items\/98765/)
  })

  test('[W6] unknown paths share one label, and so do unknown methods', async ({ assert }) => {
    await get('/api/route-items/1/2/3/unheard-of')
    await get('/no-page-of-the-application')
    await get('/admin/NoModelOfTheSite/')
    await call('PROPFIND', '/admin/unheard-of')
    await post('/metrics', {})
    await del('/metrics')
    const text = await metrics()
    assert.notMatch(text, /unheard-of|no-page|NoModel|PROPFIND/)
    assert.isAbove(
      valueOf(text, 'http_requests_total', { route: 'unknown', method: 'GET', status: '404' }) ?? 0,
      1
    )
  })

  test('[W6] sessions, jobs and connections are counted', async ({ assert }) => {
    await cookiesOf(await makeUser('ada'))
    const text = await metrics()
    assert.isAtLeast(valueOf(text, 'admin_sessions', { state: 'active' })!, 0)
    assert.isNumber(valueOf(text, 'admin_jobs', { state: 'queued' }))
    const connection = db.primaryConnectionName
    assert.isNumber(valueOf(text, 'db_pool_connections', { connection, state: 'used' }))
  })
})

test.group('Metrics | settings', () => {
  const access = (input: MetricsInput) => new MetricsAccess(metricsConfig(input))
  const context = (ip: string, sent: Record<string, string> = {}) => {
    const request = { headers: sent, socket: { remoteAddress: ip } }
    return { request: { ip: () => ip, header: () => undefined, request } } as unknown as HttpContext
  }
  const statusOf = (check: () => void): number => {
    try {
      check()
      return 200
    } catch (error) {
      return (error as { status: number }).status
    }
  }

  test('[W6] the options addresses and token determine which clients can read the metrics: {0}')
    .with([
      ['listed network', { addresses: ['10.0.0.0/8'] }, '10.200.3.4', 200],
      ['IPv4 address mapped to IPv6', { addresses: ['10.0.0.0/8'] }, '::ffff:10.0.0.1', 200],
      ['listed IPv6 network', { addresses: ['2001:db8::/32'] }, '2001:db8:7::1', 200],
      ['another address, without a token', { addresses: ['10.0.0.0/8'] }, '11.0.0.1', 404],
      ['another address, with a token set', { addresses: ['::1'], token: 'a' }, '::2', 401],
      ['an unknown address', { addresses: ['0.0.0.0/0'] }, 'unknown', 404],
    ] as Array<[string, MetricsInput, string, number]>)
    .run(({ assert }, [, input, ip, status]) => {
      assert.equal(
        statusOf(() => access(input).check(context(ip))),
        status
      )
    })

  test('[W6.2] the address of an untrusted proxy is not that of its clients')
    .with([
      ['127.0.0.1', '127.0.0.1'],
      ['10.1.2.3', '10.0.0.0/8'],
      ['2001:db8::5', '2001:db8::/32'],
    ])
    .run(({ assert }, [proxy, listed]) => {
      const status = (sent = {}) =>
        statusOf(() => access({ addresses: [listed] }).check(context(proxy, sent)))
      assert.equal(status(), 200)
      assert.equal(status({ 'x-forwarded-for': '192.0.2.1' }), 404)
    })

  test('[W6, P9] invalid settings are refused, and the error does not contain the token', ({
    assert,
  }) => {
    const appKey = new Secret('key')
    assert.isUndefined(defineConfig({ appKey }).metrics)
    for (const [settings, text] of [
      [{}, 'no token and no addresses'],
      [{ token: '' }, 'metrics.token'],
      [{ token: 5_318_008 }, 'metrics.token'],
      [{ addresses: ['10.0.0.0/33'] }, 'metrics.addresses'],
      [{ addresses: ['localhost'] }, 'metrics.addresses'],
      [{ tokens: 'a' }, "there is no option 'metrics.tokens'"],
    ] as Array<[MetricsInput, string]>) {
      try {
        defineConfig({ appKey, metrics: settings })
        assert.fail(JSON.stringify(settings))
      } catch (error) {
        const { message } = error as Error
        assert.include(message, text)
        assert.notInclude(message, '5318008')
      }
    }
  })
})
