import { test } from '@japa/runner'
import { mapInTurns } from '#base/event_loop'

test.group('Long work that yields to other work', () => {
  test('other tasks run between the parts of a long list', async ({ assert }) => {
    const order: string[] = []
    const list = mapInTurns([1, 2, 3, 4, 5], 2, (item, index) => {
      order.push(`${item}`)
      return item * index
    })
    order.push('begun')
    setImmediate(() => order.push('other'))
    assert.deepEqual(await list, [0, 2, 6, 12, 20])
    assert.deepEqual(order.slice(0, 3), ['1', '2', 'begun'])
    assert.isBelow(order.indexOf('other'), order.indexOf('5'))
  })

  test('a short list is processed without yielding', async ({ assert }) => {
    const order: string[] = []
    const list = mapInTurns(['a', 'b'], 2, (item) => order.push(item))
    order.push('begun')
    await list
    assert.deepEqual(order, ['a', 'b', 'begun'])
  })
})
