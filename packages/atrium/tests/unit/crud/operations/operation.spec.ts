import { test } from '@japa/runner'
import { isOperation, isRead, OPERATIONS } from '#crud/operations/operation'

test('[S1] the operations are the six of the specification', ({ assert }) => {
  assert.sameMembers(
    [...OPERATIONS],
    ['create', 'read', 'read_multi', 'update', 'delete', 'db_delete']
  )
  for (const operation of OPERATIONS) assert.isTrue(isOperation(operation))
  for (const name of ['list', 'Create', 'read_paginated', '', 'toString']) {
    assert.isFalse(isOperation(name), name)
  }
})

test('read and read_multi are the only operations that change no data', ({ assert }) => {
  const writes = OPERATIONS.filter((operation) => !isRead(operation))
  assert.sameMembers(writes, ['create', 'update', 'delete', 'db_delete'])
})
