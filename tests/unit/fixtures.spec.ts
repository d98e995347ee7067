import { test } from '@japa/runner'
import { clash } from '#tests/fixtures/register'

test.group('Fixtures', () => {
  test('a fixture that can not stand beside a model of the application is named', ({ assert }) => {
    const cause = new Error('Two models of the admin site are called Article')
    const error = clash('events', cause)
    assert.include(error.message, 'tests/fixtures/events.ts could not be set up')
    assert.include(error.message, cause.message)
    assert.include(error.message, 'a model or a table of yours is called like one of that file')
    assert.strictEqual(error.cause, cause)
  })
})
