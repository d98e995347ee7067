import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import Database from 'better-sqlite3'
import { resources } from '#crud'
import type { Query } from '#base/database/dialect'
import { whereSql, type Sql } from '#base/sql/sql'
import { SqliteDialect } from '#base/database/sqlite/sqlite_dialect'
import { ANY, ONE, type TextPattern } from '#base/values/text_pattern'
import { Specimen } from '#tests/fixtures/lists'

const dialect = new SqliteDialect()

function columnOf(name: string) {
  return resources
    .all()
    .find((one) => one.name === 'Specimen')!
    .columns.find(name)!
}

async function clear() {
  await db.from('specimens').delete()
}

/** Labels of the specimens that match the condition. */
async function labelsWhere(condition: Sql): Promise<unknown[]> {
  const query = Specimen.query() as Query
  whereSql(query, condition)
  const rows = await query.pojo()
  return rows.map((row: any) => row.label)
}

/** Labels of all specimens in this order. */
async function labelsBy(order: string): Promise<unknown[]> {
  const rows = await Specimen.query().orderByRaw(order).pojo()
  return rows.map((row: any) => row.label)
}

test.group('SQLite dialect | text', (group) => {
  group.each.setup(async () => {
    await clear()
    return clear
  })

  test('[A18] a negated condition matches all rows that the condition does not match, except null', async ({
    assert,
  }) => {
    const labels = ['Mask', 'ma\u017F\u212A', 'mast', '', null]
    await db.table('specimens').multiInsert(labels.map((label) => ({ label })))
    const masks = ['Mask', 'ma\u017F\u212A']
    for (const [pattern, found] of [
      [[ANY, 'SK', ANY], masks],
      [[ANY, 'sK'], masks],
      [
        ['mAs', ONE],
        [...masks, 'mast'],
      ],
      [[ANY, 'a', ONE, 'K', ANY], masks],
      [[ANY], [...masks, 'mast', '']],
    ] as Array<[TextPattern, string[]]>) {
      const find = (negate: boolean) =>
        labelsWhere(
          dialect.match('specimens', columnOf('label'), pattern, { foldCase: true, negate })
        )
      assert.sameMembers(await find(false), found)
      assert.sameMembers(
        await find(true),
        labels.filter((label) => label !== null && !found.includes(label))
      )
    }
  })

  test("[A18] texts are compared by code point, whatever the column's collation", async ({
    assert,
  }) => {
    const labels = ['b', 'A', 'B', 'a', 'Z', 'z', '\uFFFD', '😀', 'ä', '']
    await db.table('specimens').multiInsert(labels.map((label) => ({ label, shade: label })))
    const byCodePoint = ['', 'A', 'B', 'Z', 'a', 'b', 'z', 'ä', '\uFFFD', '😀']
    for (const name of ['label', 'shade']) {
      const column = columnOf(name)
      const ordered = await labelsBy(dialect.order('specimens', column, 'asc'))
      assert.deepEqual(ordered, byCodePoint)

      const equal = dialect.compare('specimens', column, '=', 'a')
      assert.deepEqual(await labelsWhere(equal), ['a'])
      const less = dialect.compare('specimens', column, '<', 'B')
      assert.sameMembers(await labelsWhere(less), ['', 'A'])
      const listed = dialect.compareList('specimens', column, ['a', 'Z'], false)
      assert.sameMembers(await labelsWhere(listed), ['a', 'Z'])
      const others = dialect.compareList('specimens', column, labels.slice(0, 9), true)
      assert.deepEqual(await labelsWhere(others), [''])
    }
  })

  test('[A18] null is sorted first, and last in descending order', async ({ assert }) => {
    await db.table('specimens').multiInsert([{ label: 'a' }, { label: null }, { label: '' }])
    for (const [direction, labels] of [
      ['asc', [null, '', 'a']],
      ['desc', ['a', '', null]],
    ] as const) {
      const found = await labelsBy(dialect.order('specimens', columnOf('label'), direction))
      assert.deepEqual(found, labels)
    }
  })
})

test.group('SQLite dialect | values', (group) => {
  group.each.setup(async () => {
    await clear()
    return clear
  })

  test('[A20] integers read from SQLite preserve all digits', async ({ assert }) => {
    const amounts = ['9007199254740993', '-9223372036854775808', '9007199254740991', '0']
    await db.table('specimens').multiInsert(amounts.map((amount) => ({ amount })))
    const amount = dialect.select('specimens', columnOf('amount'))
    const rows = await db.from('specimens').select(db.raw(amount)).orderBy('id')
    assert.deepEqual(
      rows.map((row) => row.amount),
      ['9007199254740993', '-9223372036854775808', 9007199254740991, 0]
    )
  })

  test('[Q4] stored values are read and compared exactly, whatever their type', async ({
    assert,
  }) => {
    await db.rawQuery(
      `insert into specimens (label, clock, mark) values
        ('1', 9007199254740992, 'AB'), ('2', 9007199254740993, 'Ab'), ('3', 9007199254740994, 'ab'),
        ('4', 0.1, null), ('5', 'text', 'b')`
    )
    const clock = columnOf('clock')
    const stored = db.raw(dialect.stored('specimens', clock, 'crud_stored'))
    const rows = await db.from('specimens').select(stored).orderBy('id')
    assert.deepEqual(
      rows.map((row) => row.crud_stored),
      ['9007199254740992', '9007199254740993', '9007199254740994', 0.1, 'text']
    )
    for (const [index, { crud_stored: value }] of rows.entries()) {
      const [own] = await labelsWhere({
        sql: ['<=', '>=']
          .map((operator) => dialect.compareStored('specimens', clock, operator, value).sql)
          .join(' and '),
        bindings: [value, value],
      })
      assert.equal(own, String(index + 1))
    }
    /* UUIDs are not normalized either, as the order depends on them. */
    const after = dialect.compareStored('specimens', columnOf('mark'), '>', 'Ab')
    assert.deepEqual(await labelsWhere(after), ['3', '5'])
  })

  test('[A18] integers are compared with all digits', async ({ assert }) => {
    const amounts = ['9007199254740992', '9007199254740993', '9007199254740994']
    await db
      .table('specimens')
      .multiInsert(amounts.map((amount) => ({ amount, label: amount.slice(-1) })))
    const column = columnOf('amount')
    const given = '9007199254740993'
    assert.deepEqual(await labelsWhere(dialect.compare('specimens', column, '=', given)), ['3'])
    assert.deepEqual(await labelsWhere(dialect.compare('specimens', column, '>', given)), ['4'])
    assert.deepEqual(await labelsWhere(dialect.compareList('specimens', column, [given], false)), [
      '3',
    ])
  })

  test('[A20] booleans are bound in the format in which SQLite stores them', async ({ assert }) => {
    assert.equal(dialect.bind(columnOf('fresh'), true), 1)
    assert.equal(dialect.bind(columnOf('fresh'), false), 0)
    assert.equal(dialect.bind(columnOf('label'), 'true'), 'true')
  })
})

test.group('SQLite dialect | errors', () => {
  const explain = (message: string, code = 'SQLITE_CONSTRAINT') =>
    dialect.explain(Object.assign(new Error(message), { code }))

  test('[A8] errors of the driver are recognized by their messages', ({ assert }) => {
    const prefix = 'insert into `x` - SQLITE_CONSTRAINT:'
    assert.deepEqual(explain(`${prefix} UNIQUE constraint failed: films.title`), {
      kind: 'unique',
      table: 'films',
      columns: ['title'],
    })
    assert.deepEqual(explain(`${prefix} UNIQUE constraint failed: seats.hall, seats.place`), {
      kind: 'unique',
      table: 'seats',
      columns: ['hall', 'place'],
    })
    assert.deepEqual(explain(`${prefix} UNIQUE constraint failed: index 'lower_title'`), {
      kind: 'unique',
      columns: [],
    })
    assert.deepEqual(explain(`${prefix} NOT NULL constraint failed: films.title`), {
      kind: 'not_null',
      table: 'films',
      columns: ['title'],
    })
    assert.equal(explain(`${prefix} FOREIGN KEY constraint failed`)!.kind, 'foreign_key')
    assert.include(explain(`${prefix} CHECK constraint failed: price > 0`)!.columns, 'price')
    assert.equal(explain('SQLITE_TOOBIG: string or blob too big', 'SQLITE_TOOBIG')!.kind, 'range')
    assert.equal(explain('SQLITE_MISMATCH: datatype mismatch', 'SQLITE_MISMATCH')!.kind, 'range')
  })

  test('[A8] better-sqlite3 reports a RESTRICT foreign key as a trigger, which is recognized', ({
    assert,
  }) => {
    const refused = (reason: string) =>
      explain(`delete from \`x\` where \`id\` = ? - ${reason}`, 'SQLITE_CONSTRAINT_TRIGGER')
    assert.equal(refused('FOREIGN KEY constraint failed')?.kind, 'foreign_key')
    const raised = { kind: 'raised', columns: [], message: 'the message of a trigger' }
    assert.deepEqual(refused('the message of a trigger') as unknown, raised)
  })

  test('[A8] a value that contains the text of an error message is not mistaken for that error', ({
    assert,
  }) => {
    const message =
      "insert into `x` values ('UNIQUE constraint failed: films.title') - SQLITE_CONSTRAINT: UNIQUE constraint failed: films.director"
    assert.deepEqual(explain(message)!.columns, ['director'])
  })

  test('[A29] SQLite errors that the request did not cause are not translated', ({ assert }) => {
    assert.isNull(explain('SQLITE_BUSY: database is locked', 'SQLITE_BUSY'))
    assert.isNull(explain('no such table: films', 'SQLITE_ERROR'))
    assert.isNull(dialect.explain(new Error('UNIQUE constraint failed: films.title')))
    assert.isNull(dialect.explain({}))
  })
})

test.group('SQLite dialect | reading', (group) => {
  group.each.setup(async () => {
    await clear()
    return clear
  })

  const read = (client: any) => {
    const query = Specimen.query({ client }) as Query
    return dialect.read<any[]>(client, query, () => query.pojo())
  }

  test('a list does not wait for a write transaction, and does not see its changes', async ({
    assert,
  }) => {
    const transaction = await db.transaction()
    try {
      await transaction.table('specimens').insert({ label: 'new' })
      assert.lengthOf(await read(db.connection()), 0)
      assert.lengthOf(await read(transaction), 1)
    } finally {
      await transaction.commit()
    }
    assert.lengthOf(await read(db.connection()), 1)
  })

  test('the connection of a failed read is released', async ({ assert }) => {
    const client = db.connection()
    for (let turn = 0; turn < 10; turn++) {
      const query = Specimen.query({ client }) as Query
      query.whereRaw('nonsense(')
      await assert.rejects(() => dialect.read(client, query, () => query.pojo()))
    }
    assert.lengthOf(await read(client), 0)
  })
})

test.group('SQLite dialect | one query plan for all values', (group) => {
  const column = () => columnOf('label')
  let connection: Database.Database

  group.each.setup(() => {
    connection = new Database(':memory:')
    connection.exec(`
      create table specimens (id integer primary key, label text);
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 500)
        insert into specimens (label) select 'Label ' || (n % 20) from numbers;
      create index labels on specimens (label);
      analyze;`)
    return () => void connection.close()
  })

  /** Number of times that the statement is planned: the driver then reads its columns again. */
  function timesPlanned({ sql }: Sql): number {
    const statement = connection.prepare(`select * from specimens where ${sql}`)
    const { Function: make } = globalThis
    let times = 0
    globalThis.Function = ((...source: string[]) => {
      times += 1
      return make(...source)
    }) as FunctionConstructor
    try {
      for (let number = 0; number < 20; number++) {
        const values = statement.all(...[...sql.matchAll(/\?/g)].map(() => `Label ${number}`))
        if (values.length === 0) throw new Error(`${sql} finds nothing`)
      }
    } finally {
      globalThis.Function = make
    }
    return times
  }

  test('after ANALYZE, a comparison with another value reuses the query plan', ({ assert }) => {
    assert.equal(timesPlanned({ sql: 'label = ?', bindings: [] }), 20)
    for (const operator of ['=', '<=', '>='] as const) {
      assert.equal(timesPlanned(dialect.compare('specimens', column(), operator, 'x')), 1)
    }
    assert.equal(timesPlanned(dialect.compareList('specimens', column(), ['x', 'y'], false)), 1)
    assert.equal(timesPlanned(dialect.compareStored('specimens', column(), '>=', 'x')), 1)
  })
})
