import { test } from '@japa/runner'
import { HttpContextFactory } from '@adonisjs/core/factories/http'
import HttpExceptionHandler from '../../../../app/exceptions/handler.js'
import { CONTENT_SECURITY_POLICY, headersFor } from '#base/http/security_headers'
import { callRaw } from '#tests/helpers/admin'
import { exchange } from '#tests/helpers/raw_http'

function check(assert: any, headers: Record<string, any>, what: string) {
  assert.equal(headers['x-content-type-options'], 'nosniff', what)
  assert.equal(headers['x-frame-options'], 'DENY', what)
  assert.include(headers['content-security-policy'], "frame-ancestors 'none'", what)
  assert.notMatch(headers['content-security-policy'], /unsafe-(inline|eval)/, what)
  assert.isUndefined(headers['strict-transport-security'], what)
}

test.group('Security headers', () => {
  test('every response has the security headers, whichever code sends it', async ({ assert }) => {
    const json = { 'content-type': 'application/json' }
    const calls: Array<[number, string, string, Record<string, string>?, string?]> = [
      [200, 'GET', '/'],
      [200, 'GET', '/docs'],
      [404, 'GET', '/docs/nothing.css'],
      [200, 'GET', '/health/live'],
      [200, 'GET', '/health/ready'],
      [200, 'GET', '/api/openapi.json'],
      [200, 'GET', '/api/attacked-patrons'],
      [200, 'HEAD', '/api/attacked-patrons'],
      [404, 'GET', '/api/attacked-patrons/999999'],
      [422, 'GET', '/api/attacked-patrons/x'],
      [400, 'POST', '/api/attacked-patrons', json, '{'],
      [405, 'PUT', '/api/attacked-patrons'],
      [204, 'OPTIONS', '/api/attacked-patrons'],
      [404, 'GET', '/api/nothing'],
      [404, 'GET', '/nothing'],
      [404, 'GET', '/nothing', { accept: 'text/html' }],
      [400, 'GET', '/%zz'],
      [421, 'GET', '/', { host: 'rebound.test' }],
      [421, 'GET', '/', { host: 'rebound.test', accept: 'text/html' }],
    ]
    for (const [status, method, path, headers, body] of calls) {
      const response = await callRaw(method, path, headers, body)
      assert.equal(response.status, status, `${method} ${path}`)
      check(assert, response.headers, `${method} ${path}`)
    }
  })

  test('responses to malformed requests have the security headers too', async ({ assert }) => {
    const responses = {
      malformed: await exchange('GET / HTTP/9'),
      withoutHost: await exchange('GET / HTTP/1.1', 'Connection: close'),
      expectation: await exchange(
        'GET / HTTP/1.1',
        'Host: localhost',
        'Expect: tea',
        'Connection: close'
      ),
    }
    assert.deepEqual(
      Object.values(responses).map(({ status }) => status),
      [400, 400, 417]
    )
    for (const [kind, { headers }] of Object.entries(responses)) check(assert, headers, kind)
  })

  test('over HTTPS, responses require browsers to use only HTTPS', ({ assert }) => {
    const secure = Object.fromEntries(headersFor('https://shop.example.com'))
    assert.equal(secure['strict-transport-security'], 'max-age=31536000')
    assert.equal(secure['content-security-policy'], CONTENT_SECURITY_POLICY)
    const plain = Object.fromEntries(headersFor('http://localhost:3333'))
    assert.notProperty(plain, 'strict-transport-security')
  })

  test('the error page for developers is sent without the content security policy that would block its styles', async ({
    assert,
  }) => {
    const ctx = new HttpContextFactory().create()
    ctx.request.request.headers.accept = 'text/html'
    ctx.response.response.setHeader('content-security-policy', CONTENT_SECURITY_POLICY)
    await new HttpExceptionHandler().handle(new Error('an error of the application'), ctx)
    assert.include(String(ctx.response.getBody()), '<style')
    assert.isUndefined(ctx.response.response.getHeader('content-security-policy'))
  })
})
