import { test } from '@japa/runner'
import { recordsOf } from '#admin/events/event_records'
import { Write } from '#crud/events/write'
import { Resource } from '#crud/resource/resource'
import { Plain } from '#tests/fixtures/events'

const NOBODY = { actor: { kind: 'none' as const }, origin: undefined }

test.group('Records of an event', (group) => {
  const resource = new Resource({ model: Plain })
  group.setup(() => resource.load())
  const one = { id: 1, name: 'one', value: 1 }
  const two = { id: 1, name: 'two', value: 1 }

  function actions(...steps: Array<[object | null, object | null]>) {
    const writes = steps.map(
      ([before, after]) => new Write(resource, new Plain(), before as never, after as never, NOBODY)
    )
    return recordsOf(writes).map(({ action, previousState, newState, changes }) => ({
      action,
      states: [previousState, newState],
      changed: Object.keys(changes),
    }))
  }

  test('[E3] several writes of a record are merged', ({ assert }) => {
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
