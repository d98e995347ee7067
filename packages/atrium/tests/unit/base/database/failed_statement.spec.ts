import { test } from '@japa/runner'
import { failedStatement } from '#base/database/failed_statement'

test.group('failedStatement()', () => {
  test('[A8] the statement in a driver’s message is parsed: {text}')
    .with([
      { text: 'insert into `a_b` (`a`) values (?) - SQLITE', verb: 'insert', table: 'a_b' },
      { text: 'insert or ignore into "x" ("a") values (?)', verb: 'insert', table: 'x' },
      { text: 'insert ignore into `x` (`a`) values (?)', verb: 'insert', table: 'x' },
      { text: 'replace into `x` (`a`) values (?)', verb: 'insert', table: 'x' },
      { text: 'delete from "public"."x" where "id" = $1 - y', verb: 'delete', table: 'x' },
    ])
    .run(({ assert }, { text, verb, table }) => {
      assert.deepEqual(failedStatement(text), { verb: verb as 'insert', table, columns: [] })
    })

  test('[A8] of an update, the columns that it sets are returned, and not those of its condition', ({
    assert,
  }) => {
    const text = 'update `x` set `a` = ?, `b_c` = ? where `d` = ? - FOREIGN KEY constraint failed'
    assert.deepEqual(failedStatement(text), { verb: 'update', table: 'x', columns: ['a', 'b_c'] })
  })

  test("[A8] a driver's message without a statement has no failed statement", ({ assert }) => {
    for (const text of [
      'FOREIGN KEY constraint failed',
      'insert or update on table "x" violates foreign key constraint "y"',
      'update or delete on table "x" violates foreign key constraint "y" on table "z"',
      '',
    ]) {
      assert.isUndefined(failedStatement(text))
    }
  })
})
