import { test } from '@japa/runner'
import { unavailability } from '#base/database/unavailable'

test.group('Errors of unavailable databases', () => {
  test('the error {0} means that the database is {1}')
    .with([
      ['SQLITE_BUSY', 'busy'],
      ['SQLITE_BUSY_SNAPSHOT', 'busy'],
      ['SQLITE_LOCKED', 'busy'],
      ['40P01', 'busy'],
      ['ER_LOCK_DEADLOCK', 'busy'],
      ['ECONNREFUSED', 'away'],
      ['57P01', 'away'],
      ['PROTOCOL_CONNECTION_LOST', 'away'],
      ['SQLITE_FULL', 'full'],
      ['53100', 'full'],
      ['ENOSPC', 'full'],
    ])
    .run(({ assert }, [code, reason]) => {
      assert.equal(unavailability(Object.assign(new Error('x'), { code })), reason as any)
    })

  test('connection errors of drivers without a code are recognized by their messages', ({
    assert,
  }) => {
    assert.equal(unavailability(new Error('Connection terminated unexpectedly')), 'away')
    /* Knex puts the statement before the message. */
    const query = new Error('select $1 from products - Connection terminated unexpectedly')
    assert.equal(unavailability(query), 'away')
    const missing = Object.assign(new Error('x'), { code: 'ENOENT', syscall: 'connect' })
    assert.equal(unavailability(missing), 'away')
    const late = Object.assign(new Error('Knex: Timeout'), { name: 'KnexTimeoutError' })
    assert.equal(unavailability(late), 'busy')
  })

  test('other errors do not mean that the database is unavailable')
    .with([
      new Error('x'),
      Object.assign(new Error('x'), { code: 'SQLITE_CONSTRAINT' }),
      Object.assign(new Error('x'), { code: 'ENOENT', syscall: 'open' }),
      Object.assign(new Error('x'), { code: '23505' }),
      Object.assign(new Error('x'), { code: 1 }),
      null,
      undefined,
      'ECONNREFUSED',
    ])
    .run(({ assert }, error) => {
      assert.isUndefined(unavailability(error))
    })
})
