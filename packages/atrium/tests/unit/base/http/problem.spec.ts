import { test } from '@japa/runner'
import { Exception } from '@adonisjs/core/exceptions'
import { Problem } from '#crud'

test.group('Problem', () => {
  test('[A4] a problem has its four members, and the errors of fields if there are any', ({
    assert,
  }) => {
    const errors = [{ field: 'name', rule: 'required', message: 'The name is missing' }]

    assert.deepEqual(new Problem(404, 'Item not found').toJSON(), {
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'Item not found',
    })
    assert.deepEqual(new Problem(422, 'Wrong', { errors }).toJSON(), {
      type: 'about:blank',
      title: 'Unprocessable Entity',
      status: 422,
      detail: 'Wrong',
      errors,
    })
  })

  test('a problem is an exception of AdonisJS', ({ assert }) => {
    const problem = new Problem(409, 'Taken', { headers: { 'retry-after': '1' } })

    assert.instanceOf(problem, Exception)
    assert.equal(problem.status, 409)
    assert.equal(problem.message, 'Taken')
    assert.deepEqual(problem.headers, { 'retry-after': '1' })
  })

  test('the problem of a status without a standard name has the title Error', ({ assert }) => {
    assert.equal(new Problem(499, 'Gone').title, 'Error')
  })
})
