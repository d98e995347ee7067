import { test } from '@japa/runner'
import { expectLibrary, hasMethods, hasText } from '#upstream/expect_library'

test.group('expectLibrary()', () => {
  test('a library with the expected parts passes the check', ({ assert }) => {
    assert.doesNotThrow(() => expectLibrary('knex', 'knex_transaction', { 'Knex#raw': true }))
  })

  test('the error contains library, version, file and all changed parts', ({ assert }) => {
    const parts = { 'Knex#raw': true, 'Transaction#commit': false, 'Client#query': false }
    assert.throws(
      () => expectLibrary('knex', 'knex_transaction', parts),
      /^knex \d+\.\d+\.\d+ has changed: Transaction#commit, Client#query\. adonis-atrium relies on it \(src\/upstream\/knex_transaction\.ts\): install the version that it names, or a newer adonis-atrium$/
    )
  })

  test('the error is one line of plain text for the operator', ({ assert }) => {
    for (const [library, named] of [
      ['node', `node ${process.versions.node} has changed`],
      ['@adonisjs/lucid', '@adonisjs/lucid 22'],
      ['not-installed', 'not-installed unknown has changed'],
    ]) {
      try {
        expectLibrary(library, 'file', { part: false })
        assert.fail('it did not throw')
      } catch (error) {
        const { code, message } = error as { code: string; message: string }
        assert.include(message, named)
        assert.equal(code, 'E_RUNTIME')
      }
    }
  })

  test('hasMethods is true only if each name is a function', ({ assert }) => {
    assert.isTrue(hasMethods({ one() {}, two() {} }, 'one', 'two'))
    assert.isFalse(hasMethods({ one() {}, two: 2 }, 'one', 'two'))
    assert.isFalse(hasMethods(undefined, 'one'))
  })

  test('hasText searches the source of a function', ({ assert }) => {
    assert.isTrue(hasText(() => 'COMMIT;', "'COMMIT;'"))
    assert.isFalse(hasText(() => 'commit', "'COMMIT;'"))
    assert.isFalse(hasText('COMMIT;', 'COMMIT;'))
  })
})
