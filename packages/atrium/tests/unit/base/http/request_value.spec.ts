import { test } from '@japa/runner'
import type { HttpContext } from '@adonisjs/core/http'
import { RequestValue } from '#base/http/request'

test.group('RequestValue', () => {
  test('a value is stored for one request and one instance of RequestValue', ({ assert }) => {
    const [one, other] = [{}, {}] as HttpContext[]
    const actor = new RequestValue<string>('value')
    const another = new RequestValue<string>('value')
    actor.set(one, 'ada')
    assert.equal(actor.get(one), 'ada')
    assert.isUndefined(actor.get(other))
    assert.isUndefined(another.get(one))
    assert.deepEqual(Object.keys(one), [])
    actor.delete(one)
    assert.isUndefined(actor.get(one))
  })
})
