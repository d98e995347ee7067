import { test } from '@japa/runner'
import { iconOf } from '#admin/layout/model_icon'
import type { ModelView } from '#admin'

const icon = (name: string, options: { icon?: string; label?: string } = {}) =>
  iconOf({ name, label: name, icon: undefined, ...options } as ModelView)

test.group('iconOf()', () => {
  test('the option icon takes precedence over the icon of the last known word of the name', ({
    assert,
  }) => {
    assert.equal(icon('Order', { icon: 'M0 0h1' }).path, 'M0 0h1')
    assert.isString(icon('Order').path)
    assert.equal(icon('BlogPost').path, icon('Post').path)
    assert.equal(icon('OrderLine').path, icon('Order').path)
    assert.equal(icon('OrderAddress').path, icon('Address').path)
    assert.notEqual(icon('Order').path, icon('Address').path)
  })

  test('a name without a known word gets the first letter of its label', ({ assert }) => {
    assert.deepEqual(icon('Widgetry', { label: 'gadgets' }), { path: null, letter: 'G' })
    assert.deepEqual(icon('constructor', { label: '🎬 reels' }), { path: null, letter: '🎬' })
  })
})
