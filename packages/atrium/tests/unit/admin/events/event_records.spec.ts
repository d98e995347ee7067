import { test } from '@japa/runner'
import { recordsOf, LONGEST_VALUE, storedChanges, storedState } from '#admin/events/event_records'
import { Write } from '#crud/events/write'
import { Resource } from '#crud/resource/resource'
import { Plain } from '#tests/fixtures/events'

const ANONYMOUS = { actor: { kind: 'none' as const }, origin: undefined }

test.group('Records of an event', (group) => {
  const resource = new Resource({ model: Plain })
  group.setup(() => resource.load())
  const one = { id: 1, name: 'one', value: 1 }
  const two = { id: 1, name: 'two', value: 1 }

  function actions(...steps: Array<[object | null, object | null]>) {
    const writes = steps.map(
      ([before, after]) =>
        new Write(resource, new Plain(), before as never, after as never, ANONYMOUS)
    )
    return recordsOf(writes).map(({ action, previousState, newState, changes }) => ({
      action,
      states: [previousState, newState],
      changed: Object.keys(changes),
    }))
  }

  test('[E3] several writes of one record are combined into one record of the event', ({
    assert,
  }) => {
    assert.deepEqual(actions([null, one], [one, two]), [
      { action: 'CREATE', states: [null, two], changed: ['id', 'name', 'value'] },
    ])
    assert.deepEqual(actions([one, two], [two, null]), [
      { action: 'DELETE', states: [one, null], changed: ['name', 'id', 'value'] },
    ])
    assert.deepEqual(actions([one, two], [two, one]), [
      { action: 'UPDATE', states: [one, one], changed: [] },
    ])
    assert.deepEqual(actions([one, null], [null, two]), [
      { action: 'UPDATE', states: [one, two], changed: ['name'] },
    ])
    assert.deepEqual(actions([null, one], [one, null]), [])
    assert.lengthOf(actions([null, one], [null, { ...one, id: 2 }]), 2)
  })
})

test.group('Stored states of records', () => {
  test('[E3] values are stored in full up to a limit, and longer ones as their beginning and a digest', ({
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

  test('[E3] many short values of a record are stored in full', ({ assert }) => {
    const state = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`c${index}`, 'x'.repeat(1000)])
    )
    assert.deepEqual(JSON.parse(storedState(state)!), state)
  })

  test('[E3] a surrogate pair is not split when a value is shortened', ({ assert }) => {
    const text = `${'x'.repeat(999)}${'🎬'.repeat(LONGEST_VALUE)}`
    const { text: stored } = JSON.parse(storedState({ text })!)
    assert.isTrue(stored.isWellFormed())
  })
})
