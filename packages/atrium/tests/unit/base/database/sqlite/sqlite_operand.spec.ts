import db from '@adonisjs/lucid/services/db'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import { test } from '@japa/runner'
import { LucidCrud } from '#crud'
import { readCondition } from '#base/columns/condition'
import { ListRequest } from '#crud/request/list_request'
import { onSqlite } from '#tests/helpers/databases'

const TABLE = 'odd_values'

/** A model with a key and the column `value`, loaded after its rows were stored. */
async function stored(type: string, values: string[], decorate: any = column(), table = TABLE) {
  await db.rawQuery(`create table ${TABLE} (id integer primary key, value ${type})`)
  for (const value of values) await db.rawQuery(`insert into ${TABLE} (value) values (${value})`)
  if (table !== TABLE) {
    await db.rawQuery(
      `create view ${table} as select id, sum(value) as value from ${TABLE} group by id`
    )
  }
  class Odd extends BaseModel {
    static table = table
    declare id: number
    declare value: unknown
  }
  column({ isPrimary: true })(Odd.prototype, 'id')
  decorate(Odd.prototype, 'value')
  return await crudOf(Odd)
}

async function crudOf(model: LucidModel) {
  const crud = new LucidCrud(model)
  const { resource } = crud
  await resource.load()
  const value = resource.columns.find('value')!
  const list = async (conditions: any[], sorts: any[] = []) => {
    const paging = { shape: 'offset', offset: 0, limit: 100 } as const
    const request = new ListRequest(conditions, sorts, paging, 'exclude', { count: false })
    const { data } = await crud.getMulti(request)
    return data
  }
  return {
    crud,
    column: value,
    values: async () => {
      const items = await list([])
      return items.map((item) => item.value)
    },
    find: async (operator: string, text: string) => {
      const items = await list([readCondition(value, operator as any, text)])
      return items.map(({ id }) => id)
    },
    sorted: async () => {
      const items = await list([], [{ column: value, direction: 'asc' }])
      return items.map(({ id }) => id)
    },
  }
}

test.group('SQLite | values that Lucid did not write', (group) => {
  group.tap((one) => one.skip(!onSqlite, 'other databases store one form'))
  group.each.setup(async () => {
    const drop = async () => {
      await db.rawQuery('drop view if exists odd_view')
      await db.rawQuery(`drop table if exists ${TABLE}`)
    }
    await drop()
    return drop
  })

  test('datetimes are found whether they are stored as text in any format or as epoch numbers', async ({
    assert,
  }) => {
    const { values, find, sorted } = await stored(
      'datetime',
      [
        "'1996-07-04 00:00:00.000'",
        "'1996-07-05T00:00:00Z'",
        "'1996-07-06'",
        "'1996-07-07T02:30:00+02:00'",
        '836697600000',
        '836784000',
        "'1996-02-30 00:00:00'",
        'null',
      ],
      column.dateTime()
    )
    assert.deepEqual(await values(), [
      '1996-07-04 00:00:00',
      '1996-07-05 00:00:00',
      '1996-07-06 00:00:00',
      '1996-07-07 00:30:00',
      '1996-07-07 00:00:00',
      '1996-07-08 00:00:00',
      '1996-02-30 00:00:00',
      null,
    ])
    assert.deepEqual(await find('eq', '1996-07-05 00:00:00'), [2])
    assert.deepEqual(await find('in', '1996-07-06,1996-07-07T00:00:00Z'), [3, 5])
    assert.deepEqual(await find('between', '1996-07-04,1996-07-05'), [1, 2])
    assert.deepEqual(await find('gt', '1996-07-07 00:00:00'), [4, 6])
    assert.deepEqual(await find('ne', '1996-07-04 00:00:00'), [2, 3, 4, 5, 6, 7])
    assert.deepEqual(await sorted(), [8, 7, 1, 2, 3, 5, 4, 6])
  })

  test('dates are found whether they are stored as text in any format or as epoch numbers', async ({
    assert,
  }) => {
    const { crud, values, find } = await stored(
      'date',
      ["'2024-01-05T10:00:00Z'", '1704412800000', "'2024-01-06'", "'05.01.2024'"],
      column.date()
    )
    assert.deepEqual(await values(), ['2024-01-05', '2024-01-05', '2024-01-06', '05.01.2024'])
    assert.deepEqual(await find('eq', '2024-01-05'), [1, 2])
    assert.deepEqual(await find('gte', '2024-01-05'), [1, 2, 3])
    const { value } = (await crud.get(2))!
    assert.equal(value, '2024-01-05')
  })

  test('datetimes stored in a text column are found in any format', async ({ assert }) => {
    const { find } = await stored('text', ["'1996-07-05T00:00:00.5Z'"], column.dateTime())
    assert.deepEqual(await find('eq', '1996-07-05 00:00:00'), [1])
  })

  test('booleans in any stored format are found by their displayed value', async ({ assert }) => {
    const { values, find } = await stored('boolean', [
      '1',
      '0',
      '2',
      "'yes'",
      "'t'",
      "'False'",
      "'maybe'",
      'null',
    ])
    assert.deepEqual(await values(), [true, false, true, true, true, false, 'maybe', null])
    assert.deepEqual(await find('eq', 'true'), [1, 3, 4, 5])
    assert.deepEqual(await find('eq', 'false'), [2, 6])
    assert.deepEqual(await find('in', 'true,false'), [1, 2, 3, 4, 5, 6])
  })

  test('texts are not found by numeric comparisons', async ({ assert }) => {
    const { values, find } = await stored('decimal(10,2)', ["'12,5'", '12.5', '3', "'n/a'"])
    assert.deepEqual(await values(), ['12,5', 12.5, 3, 'n/a'])
    assert.deepEqual(await find('gte', '5'), [2])
    assert.deepEqual(await find('lt', '5'), [3])
    assert.deepEqual(await find('eq', '12.5'), [2])
    assert.deepEqual(await find('ne', '3'), [1, 2, 4])
  })

  test('numbers in a text column are compared as numbers', async ({ assert }) => {
    const number = column({ meta: { kind: 'number' } })
    const { find, sorted } = await stored('text', ["'9'", "'12345'", "'10'", "'x'"], number)
    assert.deepEqual(await find('gte', '10'), [2, 3])
    assert.deepEqual(await find('eq', '9'), [1])
    assert.deepEqual(await sorted(), [1, 3, 2, 4])
  })

  test('[A20.8] imported values between others in a table are compared by their meaning', async ({
    assert,
    cleanup,
  }) => {
    cleanup(() => db.rawQuery(`drop table ${TABLE}`))
    await db.rawQuery(`create table ${TABLE} (id integer primary key, value datetime)`)
    await db.rawQuery(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 40000)
      insert into ${TABLE} select i, iif(i between 14000 and 17000, 1704412800000, '2024-01-05 00:00:00') from n`)
    class Odd extends BaseModel {
      static table = TABLE
      declare id: number
      declare value: unknown
    }
    column({ isPrimary: true })(Odd.prototype, 'id')
    column.dateTime()(Odd.prototype as any, 'value')
    const { resource } = await crudOf(Odd).then(({ crud }) => crud)
    const value = resource.columns.find('value')!
    assert.isTrue(value.hasOtherForms)
  })

  test('[A20.10] in a number column of texts, only numerals are found and shown as numbers', async ({
    assert,
  }) => {
    const texts = ['-', '1-2', '2024-01-05', '10.0.0.1', '', ' ', '+', '0x10', '--5', '5.']
    const numerals = ['007', '-1.50', '1e3', ' 12 ']
    const number = column({ meta: { kind: 'number' } })
    const all = [...texts, ...numerals].map((text) => `'${text}'`)
    const { find, sorted, values } = await stored('text', all, number)
    assert.deepEqual(await values(), [...texts, 7, -1.5, 1000, 12])
    assert.deepEqual(await find('gte', '-100000'), [11, 12, 13, 14])
    for (const one of ['0', '1', '2024', '10', '16', '-5', '5']) {
      assert.deepEqual(await find('eq', one), [])
    }
    const ids = await sorted()
    assert.deepEqual(ids.slice(0, 4), [12, 11, 14, 13])
  })

  test('[A20.10] an empty text in a number column is shown unchanged', async ({ assert }) => {
    const { find, values } = await stored('double', ["''", '0', "'-'"])
    assert.deepEqual(await values(), ['', 0, '-'])
    assert.deepEqual(await find('eq', '0'), [2])
    assert.deepEqual(await find('lte', '0'), [2])
  })

  test('numbers in a text column are found by their digits', async ({ assert }) => {
    const { values, find } = await stored('', ["'a'", '12', "'12b'"])
    assert.deepEqual(await values(), ['a', '12', '12b'])
    assert.deepEqual(await find('eq', '12'), [2])
    assert.deepEqual(await find('startswith', '12'), [2, 3])
  })

  test('a view column without a declared type is compared as numbers if it contains numbers', async ({
    assert,
  }) => {
    const one = await stored('integer', ['9', '12345', '12000'], column(), 'odd_view')
    assert.equal(one.column.kind, 'number')
    assert.deepEqual(await one.find('gte', '12000'), [2, 3])
  })

  test('a column with values in the usual format only is compared as stored, so that its index is used', async ({
    assert,
  }) => {
    const one = await stored(
      'datetime',
      ["'1996-07-04 00:00:00'", "'1996-07-05 00:00:00'"],
      column.dateTime()
    )
    assert.isFalse(one.column.hasOtherForms)
    assert.deepEqual(await one.find('eq', '1996-07-05 00:00:00'), [2])
  })

  test('changing another field of a record preserves the format of its stored value', async ({
    assert,
  }) => {
    await db.rawQuery(`create table ${TABLE} (id integer primary key, value date, name text)`)
    await db.rawQuery(`insert into ${TABLE} (value, name) values (1704412800000, 'a'), ('x', 'b')`)
    class Dated extends BaseModel {
      static table = TABLE

      @column({ isPrimary: true })
      declare id: number

      @column.date()
      declare value: any

      @column()
      declare name: string
    }
    const crud = new LucidCrud(Dated)
    await crud.update(1, { name: 'c' })
    await crud.update(2, { name: 'd' })
    const rows = await db.from(TABLE).orderBy('id').select('value', 'name')
    assert.deepEqual(rows, [
      { value: 1_704_412_800_000, name: 'c' },
      { value: 'x', name: 'd' },
    ])
  })
})
