import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { test } from '@japa/runner'
import { Router, type HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import router from '@adonisjs/core/services/router'
import db from '@adonisjs/lucid/services/db'
import type { NextFn } from '@adonisjs/core/types/http'
import { RuntimeError } from '#crud'
import { engineRouter } from '#base/http/engine_router'
import { requireMount } from '#crud/internals'
import {
  checkGroups,
  noteGroup,
  replacedRoutes,
  replacementWarning,
} from '#crud/mount/start_checks'
import { queryStrings } from '#crud/mount/mounted_parts'
import MountMiddleware from '#crud/mount_middleware'
import HttpExceptionHandler from '../../../../app/exceptions/handler.js'
import { takeSeen } from '#tests/fixtures/neighbours'
import { call } from '#tests/helpers/http'

const PROBLEM = 'application/problem+json; charset=utf-8'

test.group('The engine next to the routes of an application', (group) => {
  group.each.setup(() => void takeSeen())

  test('[K4] routes of the engine are not in the route list of the application', ({ assert }) => {
    const patterns = Object.values(router.toJSON()).flat()
    const own = Object.values(engineRouter().toJSON()).flat()
    assert.isAbove(own.length, 100)
    const ofEngine = patterns.filter(({ handler }) => own.some((one) => one.handler === handler))
    assert.deepEqual(ofEngine, [])
    assert.notInclude(
      patterns.map(({ pattern }) => pattern),
      '/api/route-items'
    )
  })

  test('[K4.2] of two matching routes the more specific one responds, and of equal ones that of the application', async ({
    assert,
  }) => {
    for (const path of ['/api/v1/clocks', '/api/route-items/own', '/admin/own-report']) {
      const { status, body } = await call('GET', path)
      assert.equal(status, 200)
      assert.equal(body.mine, path)
      assert.deepEqual(takeSeen(), [path])
    }
    /* `/:page/login` names nothing of the address, and `/admin/login` all of it. */
    const login = await call('GET', '/admin/login', { headers: { accept: 'text/html' } })
    assert.include(login.headers.get('content-type'), 'text/html')
    assert.include(login.text, 'name="password"')
    const other = await call('GET', '/shop/login')
    assert.equal(other.body.mine, '/shop/login')
    assert.deepEqual(takeSeen(), ['/shop/login'])
  })

  test('[K4.2] an unknown address below a path of the engine gets its 404, and others go to the application', async ({
    assert,
  }) => {
    const endpoint = await call('GET', '/api/nothing/here/at/all')
    assert.equal(endpoint.status, 404)
    assert.equal(endpoint.headers.get('content-type'), PROBLEM)
    /* `/:one/no/such/:thing` begins with no fixed segment. */
    for (const path of ['/api/no/such/thing', '/admin/no/such/thing']) {
      const { status } = await call('GET', path)
      assert.notEqual(status, 200)
    }
    const host = await call('GET', '/shop/no/such/thing')
    assert.equal(host.status, 200)
    assert.deepEqual(takeSeen(), ['/shop/no/such/thing'])

    const elsewhere = await call('GET', '/nowhere')
    assert.equal(elsewhere.status, 404)
    assert.notEqual(elsewhere.headers.get('content-type'), PROBLEM)
  })

  test('[K4] errors of an application route below the mount are handled by the application', async ({
    assert,
  }) => {
    const { status, text } = await call('GET', '/admin/broken')
    assert.equal(status, 500)
    assert.include(text, 'A route of the application fails')
  })

  test('[K4.3] middleware that changes Accept does not make pages respond with JSON', async ({
    assert,
  }) => {
    class ForceJson {
      async handle({ request }: HttpContext, next: NextFn) {
        request.headers().accept = 'application/json'
        return await next()
      }
    }
    const server = await app.container.make('server')
    for (const path of ['/admin/login', '/admin/missing']) {
      const message = new IncomingMessage(new Socket())
      Object.assign(message, { method: 'GET', url: path, rawHeaders: ['Accept', 'text/html'] })
      message.headers = { accept: 'text/html' }
      const request = server.createRequest(message, new ServerResponse(message))
      const response = server.createResponse(message, request.response)
      const ctx = server.createHttpContext(request, response, app.container.createResolver())
      await server.pipeline([ForceJson, MountMiddleware]).run(ctx)
      assert.notInclude(String(response.getHeader('content-type') ?? ''), 'json', path)
      assert.include([200, 303], response.getStatus(), path)
    }
  })

  test('[K4] middleware of the application’s routes does not run for requests of the engine', async ({
    assert,
  }) => {
    for (const path of ['/api/route-items', '/api/openapi.json', '/docs', '/admin/login']) {
      await call('GET', path)
    }
    assert.deepEqual(takeSeen(), [])
  })

  test('[K4.4] the application’s exception handler reports errors of the engine, which sends its own responses', async ({
    assert,
    cleanup,
  }) => {
    const { report } = HttpExceptionHandler.prototype
    const reported: string[] = []
    HttpExceptionHandler.prototype.report = async (error, ctx) => {
      if (error) reported.push(ctx.request.url())
    }
    cleanup(() => void (HttpExceptionHandler.prototype.report = report))
    await db.rawQuery('alter table route_items rename to route_items_away')
    cleanup(() => db.rawQuery('alter table route_items_away rename to route_items'))
    const { status, headers } = await call('GET', '/api/route-items')
    assert.equal(status, 500)
    assert.equal(headers.get('content-type'), PROBLEM)
    assert.deepEqual(reported, ['/api/route-items'])
  })

  test('[K4.4] an exception handler that throws changes no response of the engine', async ({
    assert,
    cleanup,
  }) => {
    const { report } = HttpExceptionHandler.prototype
    HttpExceptionHandler.prototype.report = () => Promise.reject(new Error('The service is away'))
    cleanup(() => void (HttpExceptionHandler.prototype.report = report))
    const endpoint = await call('GET', '/api/nothing/here')
    assert.equal(endpoint.status, 404)
    assert.equal(endpoint.headers.get('content-type'), PROBLEM)
    assert.notInclude(endpoint.text, 'away')
    const page = await call('GET', '/admin/nothing/here', { headers: { accept: 'text/html' } })
    assert.equal(page.status, 303)
  })

  test('[K4.4] an error after the response has started closes the connection', async ({
    assert,
  }) => {
    await assert.rejects(() => call('GET', '/api/cut-off', { headers: { 'x-break-off': '1' } }))
    const { status } = await call('GET', '/api/cut-off')
    assert.equal(status, 200)
  })

  test('[K4] a form cannot override its HTTP method, even if the application allows that', async ({
    assert,
    cleanup,
  }) => {
    const config = app.config.get<{ allowMethodSpoofing: boolean }>('app.http')
    config.allowMethodSpoofing = true
    cleanup(() => void (config.allowMethodSpoofing = false))
    const { status, headers } = await call('POST', '/api/route-items/1?_method=DELETE')
    assert.equal(status, 405)
    assert.include(headers.get('allow'), 'DELETE')
  })

  test('[K4.6] a route group of the application around crudRouter() fails at the start', ({
    assert,
  }) => {
    const secret = async (_: HttpContext, next: NextFn) => await next()
    const create = () => noteGroup('Tag')
    router.group(create)
    assert.doesNotThrow(checkGroups)
    const groups: [() => unknown, string][] = [
      [() => router.group(create).use(secret), '`middleware`'],
      [() => router.group(() => router.group(create)).use([secret]), '`middleware`'],
      [() => router.group(create).prefix('v1'), '`path`'],
      [() => router.group(create).domain('shop.test'), '.domain()'],
    ]
    for (const [make, advice] of groups) {
      make()
      assert.throws(checkGroups, RuntimeError)
      make()
      assert.throws(checkGroups, new RegExp(`^crudRouter\\(\\{ model: Tag \\}\\).*${advice}`))
    }
    assert.doesNotThrow(checkGroups)
  })

  test('[K4.7] the engine detects that a route of the application replaces one of its own', async ({
    assert,
  }) => {
    assert.isUndefined(replacementWarning(replacedRoutes()))
    const encryption = await app.container.make('encryption')
    const host = new Router(app, encryption.use(), queryStrings)
    const handle = () => {}
    host.post('/admin/login', handle)
    host.get('/api/route-items/:key', handle)
    host.delete('/api/guarded/*', handle)
    for (const path of ['/:one/*', '/admin/own', '/api/*']) host.any(path, handle)
    host.commit()
    assert.sameMembers(replacedRoutes(host), [
      'POST /admin/login (/admin/login)',
      'GET /api/route-items/:id (/api/route-items/:key)',
      'DELETE /api/guarded/:id (/api/guarded/*)',
    ])
    assert.match(
      replacementWarning(['GET /a (/a)', 'b', 'c', 'd', 'e', 'f', 'g'])!,
      /: GET \/a \(\/a\), b, c, d, e and 2 more$/
    )
  })

  test('[K4.3] without the mount middleware the start fails and names the file to add it to', async ({
    assert,
  }) => {
    class Other {
      async handle(_: HttpContext, next: NextFn) {
        return await next()
      }
    }
    const other = { reference: async () => ({ default: Other }), handle: () => {} }
    const mount = { reference: () => import('#crud/mount_middleware'), handle: () => {} }
    await assert.doesNotReject(() => requireMount([other, mount]))
    const error = await requireMount([other]).catch((reason) => reason)
    assert.instanceOf(error, RuntimeError)
    assert.include(error.message, 'start/kernel.ts')
    assert.include(error.message, 'adonis-atrium/middleware')
  })

  test('[K4.3] a body parser before the mount middleware fails at the start', async ({
    assert,
  }) => {
    const mount = { reference: () => import('#crud/mount_middleware'), handle: () => {} }
    const reference = () => import('@adonisjs/core/bodyparser_middleware')
    const error = await requireMount([{ reference, handle: () => {} }, mount]).catch((why) => why)
    assert.instanceOf(error, RuntimeError)
    assert.match(error.message, /bodyparser_middleware'\) from server\.use.* to router\.use/)
  })
})
