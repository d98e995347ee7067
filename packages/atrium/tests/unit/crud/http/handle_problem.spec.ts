import { errors as httpErrors } from '@adonisjs/core/http'
import { HttpContextFactory } from '@adonisjs/core/factories/http'
import { Exception } from '@adonisjs/core/exceptions'
import { errors as lucidErrors } from '@adonisjs/lucid'
import { errors as vineErrors } from '@vinejs/vine'
import { test } from '@japa/runner'
import { Problem, RuntimeError, ValueError } from '#crud'
import { handleProblem, toReport } from '#crud/http/handle_problem'
import { toProblem } from '#base/http/send_problem'

const SECRET = 'select * from products in /srv/app/models/product.ts'
const FIXED = 'The server made a mistake; it was logged'

function contextFor(path: string) {
  const ctx = new HttpContextFactory().create()
  ctx.request.parsedUrl.pathname = path
  return ctx
}

test.group('toProblem()', () => {
  test('[A4] a problem is returned unchanged', ({ assert }) => {
    const problem = new Problem(418, 'Short and stout')
    assert.strictEqual(toProblem(problem), problem)
  })

  test('[A6] a VineJS error is 422 with its fields', ({ assert }) => {
    const messages = [{ field: 'name', rule: 'required', message: 'The name is missing' }]
    const problem = toProblem(new vineErrors.E_VALIDATION_ERROR(messages))

    assert.equal(problem.status, 422)
    assert.deepEqual(problem.errors, messages)
  })

  test('an exception of AdonisJS with a 4xx status keeps its status and message', ({ assert }) => {
    const problem = toProblem(new Exception('Not today', { status: 403 }))
    assert.equal(problem.status, 403)
    assert.equal(problem.message, 'Not today')

    const missing = toProblem(new lucidErrors.E_ROW_NOT_FOUND())
    assert.equal(missing.status, 404)
    assert.equal(toProblem(new Exception('', { status: 403 })).message, 'The request was refused')
  })

  test('[A29] any other error is a 500 without details')
    .with([
      new Error(SECRET),
      new TypeError(SECRET),
      new ValueError(SECRET),
      new RuntimeError(SECRET),
      new Exception(SECRET, { status: 302 }),
      Object.assign(new Error(SECRET), { status: 404 }),
      { status: 422, message: SECRET },
      SECRET,
      null,
      undefined,
    ])
    .run(({ assert }, error) => {
      const problem = toProblem(error)
      assert.equal(problem.status, 500)
      assert.deepEqual(problem.toJSON(), {
        type: 'about:blank',
        title: 'Internal Server Error',
        status: 500,
        detail: FIXED,
      })
    })

  test('[A29] an unavailable or full database is 503 without details')
    .with([
      ['ECONNREFUSED', '5', 'The database can not be reached; try again'],
      ['SQLITE_FULL', '60', 'The disk of the database is full; try again later'],
    ])
    .run(({ assert }, [code, seconds, text]) => {
      const problem = toProblem(Object.assign(new Error(SECRET), { code }))
      assert.equal(problem.status, 503)
      assert.equal(problem.headers['retry-after'], seconds)
      assert.equal(problem.message, text)
    })

  test('a busy database is 503 with Retry-After')
    .with([{ code: 'SQLITE_BUSY' }, { code: 'SQLITE_LOCKED' }, { name: 'KnexTimeoutError' }])
    .run(({ assert }, traits) => {
      const problem = toProblem(Object.assign(new Error(SECRET), traits))
      assert.equal(problem.status, 503)
      assert.equal(problem.message, 'The database is busy; try again')
      assert.property(problem.headers, 'retry-after')
    })
})

test.group('toReport()', () => {
  test("[A29] an error that has the 4xx status of another service's response is logged as an internal error", ({
    assert,
  }) => {
    const error = Object.assign(new Error('upstream'), { status: 422 })
    const reported = toReport(error, contextFor('/api/utensils')) as Exception

    assert.equal(reported.status, 500)
    assert.equal(reported.message, 'upstream')
    assert.strictEqual(reported.cause, error)
  })

  test('client errors, and errors outside the prefix, are reported unchanged', ({ assert }) => {
    const refused = new Problem(403, 'No')
    assert.strictEqual(toReport(refused, contextFor('/api/utensils')), refused)

    const plain = new Error('plain')
    assert.strictEqual(toReport(plain, contextFor('/api/utensils')), plain)
    assert.isUndefined(toReport(undefined, contextFor('/api/utensils')))
    assert.isNull(toReport(null, contextFor('/api/utensils')))

    const elsewhere = Object.assign(new Error('page'), { status: 422 })
    assert.strictEqual(toReport(elsewhere, contextFor('/home')), elsewhere)
  })
})

test.group('handleProblem()', () => {
  test('[A4] errors below the prefix become problems, and others are left to the application', async ({
    assert,
  }) => {
    for (const path of ['/api', '/api/', '/api/nothing/here']) {
      const ctx = contextFor(path)
      assert.isTrue(await handleProblem(new Error(SECRET), ctx))
      assert.equal(ctx.response.getStatus(), 500)
      assert.equal(
        ctx.response.getHeader('content-type'),
        'application/problem+json; charset=utf-8'
      )
    }
    for (const path of ['/', '/apis', '/home/api']) {
      const ctx = contextFor(path)
      assert.isFalse(await handleProblem(new Error(SECRET), ctx))
      assert.equal(ctx.response.getStatus(), 200)
    }
  })

  test('[A4] a missing route is 404, whatever throws it', async ({ assert }) => {
    const ctx = contextFor('/api/nothing')
    await handleProblem(new httpErrors.E_ROUTE_NOT_FOUND(['GET', '/api/nothing']), ctx)

    assert.equal(ctx.response.getStatus(), 404)
    assert.include(ctx.response.getBody(), 'There is no such endpoint')
  })

  test('a response has the headers of its problem', async ({ assert }) => {
    const ctx = contextFor('/api/x')
    await handleProblem(new Problem(503, 'Later', { headers: { 'retry-after': '7' } }), ctx)

    assert.equal(ctx.response.getStatus(), 503)
    assert.equal(ctx.response.getHeader('retry-after'), '7')
  })
})
