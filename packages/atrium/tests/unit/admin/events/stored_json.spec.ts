import { test } from '@japa/runner'
import { LONGEST_VALUE, storedChanges, storedState } from '#admin/events/stored_json'

test.group('Stored states', () => {
  test('[E3] values are stored whole up to a limit, longer ones as their beginning and a digest', ({
    assert,
  }) => {
    const whole = 'a'.repeat(LONGEST_VALUE - 2)
    const long = 'b'.repeat(LONGEST_VALUE)
    const state = JSON.parse(storedState({ whole, long, short: [1], none: null })!)
    assert.deepInclude(state, { whole, short: [1], none: null })
    assert.match(
      state.long,
      new RegExp(`^b{1000}… \\(${LONGEST_VALUE} characters, SHA-256 [0-9a-f]{64}\\)$`)
    )
    const changes = JSON.parse(storedChanges({ long: { old: long, new: `${long}c` } }))
    assert.equal(changes.long.old, state.long)
    assert.notEqual(changes.long.new, state.long)
    assert.isNull(storedState(null))
  })

  test('[E3] many short values are stored whole', ({ assert }) => {
    const state = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`c${index}`, 'x'.repeat(1000)])
    )
    assert.deepEqual(JSON.parse(storedState(state)!), state)
  })

  test('[E3] a surrogate pair is not split', ({ assert }) => {
    const text = `${'x'.repeat(999)}${'🎬'.repeat(LONGEST_VALUE)}`
    const { text: stored } = JSON.parse(storedState({ text })!)
    assert.isTrue(stored.isWellFormed())
  })
})
