import { test } from '@japa/runner'
import { AdminSession } from '#admin'
import { currentClientOf, readingClientOf } from '#admin/config/database_config'
import { onSqlite } from '#tests/helpers/databases'

test.group('Clients of the admin tables', () => {
  test('[B7] sessions, tokens and roles are not read from a replica, which can lag behind a revocation', ({
    assert,
  }) => {
    const client = currentClientOf(AdminSession)
    assert.strictEqual(client.getReadClient(), client.getWriteClient())
    if (!onSqlite) assert.equal(readingClientOf(AdminSession).mode, 'write')
  })
})
