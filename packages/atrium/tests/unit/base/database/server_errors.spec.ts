import { test } from '@japa/runner'
import { explainMysql } from '#base/database/mysql/mysql_errors'
import { PostgresDialect } from '#base/database/postgres/postgres_dialect'

/** Messages of the servers, with texts that a client may have put into them. */
test.group('Database errors | MySQL and MariaDB', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  const INSERT = "insert into `goods` (`name`) values ('x')"

  test('[A8] an error of the database is recognized by its message: {sqlMessage}')
    .with([
      {
        errno: 1062,
        sqlMessage: "Duplicate entry 'for key 'stolen.name'' for key 'goods.goods_name_unique'",
        expected: { kind: 'unique', table: 'goods', columns: [], constraint: 'goods_name_unique' },
      },
      {
        errno: 1062,
        sqlMessage: "Duplicate entry '1' for key 'PRIMARY'",
        expected: { kind: 'unique', table: 'goods', columns: [], constraint: 'PRIMARY' },
      },
      {
        errno: 1452,
        sqlMessage:
          'Cannot add or update a child row: a foreign key constraint fails (`a`.`goods`, CONSTRAINT `x` FOREIGN KEY (`maker_id`) REFERENCES `makers` (`id`))',
        expected: {
          kind: 'foreign_key',
          reference: 'missing',
          table: 'goods',
          columns: ['maker_id'],
        },
      },
      {
        errno: 1451,
        sqlMessage:
          'Cannot delete or update a parent row: a foreign key constraint fails (`a`.`goods`, CONSTRAINT `x` FOREIGN KEY (`maker_id`) REFERENCES `makers` (`id`))',
        expected: { kind: 'foreign_key', reference: 'used', columns: [] },
      },
      {
        errno: 1048,
        sqlMessage: "Column 'name' cannot be null",
        expected: { kind: 'not_null', table: 'goods', columns: ['name'] },
      },
      {
        errno: 1406,
        sqlMessage: "Data too long for column 'name' at row 1",
        expected: { kind: 'range', table: 'goods', columns: ['name'] },
      },
      {
        errno: 1366,
        sqlMessage:
          "Incorrect integer value: 'for column 'other' at row 1' for column `a`.`goods`.`price` at row 1",
        expected: { kind: 'range', table: 'goods', columns: ['price'] },
      },
      {
        errno: 1265,
        sqlMessage: "Data truncated for column 'status' at row 1",
        expected: { kind: 'check', table: 'goods', columns: ['status'] },
      },
      {
        errno: 4025,
        sqlMessage: 'CONSTRAINT `goods.price` failed for `a`.`goods`',
        expected: { kind: 'check', table: 'goods', columns: ['price'], constraint: 'goods.price' },
      },
      {
        errno: 3819,
        sqlMessage: "Check constraint 'goods_chk_1' is violated.",
        expected: { kind: 'check', table: 'goods', columns: [], constraint: 'goods_chk_1' },
      },
    ])
    .run(({ assert }, { errno, sqlMessage, expected }) =>
      assert.deepEqual(explainMysql({ errno, sqlMessage, sql: INSERT }) as unknown, expected)
    )

  test(
    '[A8] the message of an error raised by a trigger or procedure is preserved: {errno}, {sqlState}'
  )
    .with([
      { errno: 1644, sqlState: '45000' },
      { errno: 1644, sqlState: 'ZX007' },
      { errno: 31_000, sqlState: 'HY000' },
      { errno: 1062, sqlState: '45123' },
    ])
    .run(({ assert }, error) => {
      const invalid = explainMysql({ ...error, sqlMessage: 'Sold out', sql: INSERT })
      assert.deepEqual(invalid as unknown, { kind: 'raised', columns: [], message: 'Sold out' })
    })

  test('[A29] MySQL errors that the request did not cause are not translated', ({ assert }) => {
    assert.isNull(explainMysql({ errno: 1146, sqlMessage: "Table 'a.goods' doesn't exist" }))
    assert.isNull(explainMysql(new Error('x')))
  })
})

test.group('Database errors | PostgreSQL', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  const { explain } = new PostgresDialect()
  const about = { table: 'goods', constraint: 'goods_name_unique' }

  test(
    '[A8] a foreign key error {code} after "{message}" is reported as a reference that is {reference}'
  )
    .with([
      { code: '23503', message: 'insert into "goods" ("a") - x', reference: 'missing' },
      { code: '23503', message: 'delete from "makers" - x', reference: 'used' },
      { code: '23503', message: 'update "makers" set "id" = $1 - x', reference: 'used' },
      { code: '23503', message: 'update "goods" set "a" = $1 - x', reference: undefined },
      {
        code: '23503',
        message: 'insert or update on table "goods" violates foreign key constraint "x"',
        reference: 'missing',
      },
      {
        code: '23503',
        message: 'update or delete on table "makers" violates foreign key constraint "x"',
        reference: 'used',
      },
      { code: '23001', message: 'x', reference: 'used' },
    ])
    .run(({ assert }, { reference, ...error }) => {
      assert.equal(explain({ ...error, table: 'goods' })!.reference, reference)
    })

  test('[A8] the PostgreSQL code {code} is recognized as {kind}')
    .with([
      { code: '23505', kind: 'unique' },
      { code: '23503', kind: 'foreign_key' },
      { code: '23514', kind: 'check' },
      { code: '22001', kind: 'range' },
      { code: '22003', kind: 'range' },
      { code: '22P02', kind: 'range' },
      { code: '22021', kind: 'range' },
      { code: '22012', kind: 'range' },
      { code: '44000', kind: 'check' },
    ])
    .run(({ assert }, { code, kind }) => assert.equal(explain({ ...about, code })?.kind, kind))

  test(
    '[A8] the message of an error raised by a trigger or procedure is preserved: {code}, {routine}'
  )
    .with([
      { code: 'P0001', routine: 'exec_stmt_raise' },
      { code: '23505', routine: 'exec_stmt_raise' },
      { code: 'P0004', routine: 'exec_stmt_assert' },
      { code: 'ZX007', routine: undefined },
      { code: '45123', routine: undefined },
    ])
    .run(({ assert }, error) => {
      const invalid = explain({
        ...error,
        message: 'insert into "a" - Sold out',
        reason: 'Sold out',
      })
      assert.deepEqual(invalid as unknown, { kind: 'raised', columns: [], message: 'Sold out' })
    })

  test('[A29] a temporary error raised by a trigger or procedure is not translated', ({
    assert,
  }) => {
    assert.isNull(explain({ code: '40001', routine: 'exec_stmt_raise', message: 'again' }))
  })

  test('[A8] the error of a NOT NULL column names the column', ({ assert }) => {
    assert.deepEqual(explain({ code: '23502', table: 'goods', column: 'name' }) as unknown, {
      kind: 'not_null',
      table: 'goods',
      columns: ['name'],
    })
  })

  test('[A29] PostgreSQL errors that the request did not cause are not translated', ({
    assert,
  }) => {
    assert.isNull(explain({ code: '42P01' }))
    assert.isNull(explain(new Error('x')))
  })
})
