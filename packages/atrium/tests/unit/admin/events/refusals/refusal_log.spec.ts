import { test } from '@japa/runner'
import { OncePerMinute } from '#admin/events/refusals/refusal_log'

test.group('Admin | refusals that are logged once a minute', () => {
  test('the same cause of a refusal is logged again after a minute', ({ assert }) => {
    const once = new OncePerMinute()
    assert.isTrue(once.admits('a', '403', 0))
    assert.isFalse(once.admits('a', '403', 59_999))
    assert.isTrue(once.admits('b', '403', 59_999))
    assert.isTrue(once.admits('a', '403', 60_000))
  })

  test('a limited number of causes is remembered, and all others are logged once for each kind', ({
    assert,
  }) => {
    const once = new OncePerMinute(3)
    const admitted = Array.from({ length: 1000 }, (_, index) => once.admits(`${index}`, '403', 0))
    assert.lengthOf(admitted.filter(Boolean), 4)
    assert.isTrue(once.admits('other', '429', 0))
    assert.isFalse(once.admits('another', '429', 0))
    assert.isAtMost(once.size, 5)
    assert.isTrue(once.admits('0', '403', 60_000))
    assert.equal(once.size, 1)
  })
})
