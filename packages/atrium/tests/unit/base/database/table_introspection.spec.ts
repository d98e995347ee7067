/* Introspection of a migrated table, which is the same on every database. */
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { dialectOf } from '#base/database/dialects'
import type { ColumnIntrospection, TableIntrospection } from '#base/database/introspection'
import { readTables } from '#base/database/read_tables'
import { Column } from '#base/columns/column'
import { Sample } from '#tests/fixtures/samples'
import { onMysql, onPostgres, onSqlite } from '#tests/helpers/databases'

const TABLES = ['fact_goods', 'fact_makers']

async function drop() {
  for (const table of TABLES) await db.connection().schema.dropTableIfExists(table)
}

async function introspectionOf(table: string): Promise<TableIntrospection> {
  const introspection = await dialectOf(db.connection()).readTable(db.connection(), table)
  return introspection!
}

function pick(
  introspection: TableIntrospection,
  read: (column: ColumnIntrospection, name: string) => unknown
) {
  return Object.fromEntries(
    [...introspection.columns].map(([name, all]) => [name, read(all, name)])
  )
}

/** Value type of the column for a model without declarations */
function kindOf(introspection: ColumnIntrospection) {
  Sample.boot()
  const column = new Column(Sample, 'name', { ...Sample.$getColumn('name')!, meta: undefined })
  column.introspected(introspection)
  return column.kind
}

test.group('Table introspection', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.each.setup(async () => {
    await drop()
    await db.connection().schema.createTable('fact_makers', (table) => {
      table.increments('id')
      table.string('city', 20)
      table.integer('number')
      table.unique(['city', 'number'])
    })
    await db.connection().schema.createTable('fact_goods', (table) => {
      table.increments('id')
      table.string('name', 40).notNullable().unique()
      table.text('notes')
      table.integer('amount').notNullable().defaultTo(7)
      table.bigInteger('big')
      table.decimal('price', 8, 2)
      table.double('ratio')
      table.boolean('active').notNullable().defaultTo(true)
      table.date('day')
      table.dateTime('moment')
      table.time('clock')
      table.json('data')
      table.binary('bytes')
      table.uuid('token')
      table.enum('status', ['draft', 'on hold']).notNullable().defaultTo('draft')
      table.string('label', 20).defaultTo("it's")
      table.specificType('twice', 'integer generated always as (amount * 2) stored')
      table.integer('maker_id').unsigned().references('fact_makers.id')
      table.string('city', 20)
      table.integer('number')
      table.foreign(['city', 'number']).references(['city', 'number']).inTable('fact_makers')
    })
    return drop
  })

  test('[P15] a missing table has no description', async ({ assert }) => {
    for (const name of ['fact_nothing', "x'); drop table fact_goods; --", 'Fact"Goods', 'a`b']) {
      assert.isNull(await dialectOf(db.connection()).readTable(db.connection(), name), name)
    }
  })

  test('[P15] reading many tables in one call returns the same as reading each', async ({
    assert,
  }) => {
    const there = ['fact_goods', 'fact_makers', 'reels', 'admin_users']
    /* More tables than one statement takes. */
    const gone = [
      "x'); drop table fact_goods; --",
      ...Array.from({ length: 60 }, (_, n) => `no_${n}`),
    ]
    const many = await readTables(db.connection(), [...gone, ...there])
    assert.sameMembers([...many!.keys()], there)
    for (const table of there)
      assert.deepEqual(many!.get(table), await introspectionOf(table), table)
    const none = await readTables(db.connection(), [])
    assert.equal(none!.size, 0)
  })

  test('[R11] the columns of unique indexes are read', async ({ assert }) => {
    const keys = async (table: string) => {
      const { uniqueKeys } = (await introspectionOf(table))!
      return uniqueKeys.map((names) => names.join())
    }
    assert.sameMembers(await keys('fact_goods'), ['id', 'name'])
    assert.sameMembers(await keys('fact_makers'), ['id', 'city,number'])
  })

  test('[P7] types, nullability, lengths and choices of columns are read', async ({ assert }) => {
    const introspection = await introspectionOf('fact_goods')
    assert.deepEqual(pick(introspection, kindOf), {
      id: 'integer',
      name: 'text',
      notes: 'text',
      amount: 'integer',
      big: 'integer',
      price: 'number',
      ratio: 'number',
      active: 'boolean',
      day: 'date',
      moment: 'datetime',
      clock: 'time',
      data: 'json',
      bytes: 'binary',
      token: 'uuid',
      status: 'text',
      label: 'text',
      twice: 'integer',
      maker_id: 'integer',
      city: 'text',
      number: 'integer',
    })
    const required = Object.entries(pick(introspection, ({ nullable }) => nullable))
      .filter(([, nullable]) => !nullable)
      .map(([name]) => name)
    assert.deepEqual(required, ['id', 'name', 'amount', 'active', 'status'])
    const { name, notes, label, status } = pick(introspection, ({ maxLength }) => maxLength)
    assert.deepEqual([name, notes, label], [40, null, 20])
    /* A list of choices needs no length. */
    assert.isTrue(status === null || status === 255)
    assert.deepEqual(introspection.columns.get('status')!.choices, ['draft', 'on hold'])
    assert.isNull(introspection.columns.get('name')!.choices)
  })

  test('[P7] defaults, auto-increment and generated columns are read', async ({ assert }) => {
    const introspection = await introspectionOf('fact_goods')
    const which = (has: (column: ColumnIntrospection) => boolean) =>
      Object.keys(pick(introspection, has)).filter((name) => has(introspection.columns.get(name)!))
    assert.deepEqual(
      which(({ hasDefault }) => hasDefault),
      ['id', 'amount', 'active', 'status', 'label', 'twice']
    )
    assert.deepEqual(
      which(({ autoIncrement }) => autoIncrement),
      ['id']
    )
    assert.deepEqual(
      which(({ generated }) => generated),
      ['twice']
    )
    const { id, amount, active, status, label, twice } = pick(
      introspection,
      (one) => one.defaultText
    )
    assert.deepEqual(
      [id ?? null, amount, status, label, twice ?? null],
      [null, '7', 'draft', "it's", null]
    )
    assert.match(String(active), /^(?:1|true)$/)
  })

  test('[A8] unique columns and references are read', async ({ assert }) => {
    const introspection = await introspectionOf('fact_goods')
    const unique = Object.entries(pick(introspection, (column) => column.unique))
    assert.deepEqual(
      unique.filter(([, is]) => is).map(([name]) => name),
      ['id', 'name']
    )
    const makers = await introspectionOf('fact_makers')
    assert.isFalse(makers.columns.get('city')!.unique)
    assert.sameDeepMembers(introspection.foreignKeys, [
      { columns: ['maker_id'], table: 'fact_makers', references: ['id'] },
      { columns: ['city', 'number'], table: 'fact_makers', references: ['city', 'number'] },
    ])
  })

  test('[A8] constraint names are read where errors of the database name only the constraint', async ({
    assert,
  }) => {
    const { constraints } = await introspectionOf('fact_goods')
    assert.deepEqual(constraints!.get('fact_goods_name_unique'), ['name'])
    assert.deepEqual(constraints!.get('fact_goods_city_number_foreign'), ['city', 'number'])
  }).skip(onSqlite, 'its errors name the columns')

  test('[A20] ranges of integer and decimal columns are read', async ({ assert }) => {
    const introspection = await introspectionOf('fact_goods')
    assert.deepEqual(introspection.columns.get('amount')!.integerRange, {
      least: -2147483648n,
      most: 2147483647n,
    })
    assert.isUndefined(introspection.columns.get('big')!.integerRange)
    assert.isUndefined(introspection.columns.get('amount')!.decimalRange)
    assert.deepEqual(introspection.columns.get('price')!.decimalRange, {
      most: '999999.99',
      scale: 2,
    })
  }).skip(onSqlite, 'there 64 bits fit into every one')
})

test.group('Table introspection | PostgreSQL only', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.tap((one) => one.skip(!onPostgres, 'these are its own types'))
  const clear = async () => {
    await db.rawQuery('drop table if exists fact_natives')
    await db.rawQuery('drop domain if exists fact_age')
    await db.rawQuery('drop type if exists fact_mood')
  }
  group.each.setup(async () => {
    await clear()
    return clear
  })

  test('[P7] a PostgreSQL type for which the API has no format is text', async ({ assert }) => {
    await db.rawQuery("create type fact_mood as enum ('sad', 'it''s ok')")
    await db.rawQuery('create domain fact_age as varchar(9) not null')
    await db.rawQuery(`create table fact_natives (
      id integer generated always as identity primary key,
      mood fact_mood default 'sad', age fact_age, places text[], span interval, address inet,
      spot point, days daterange, cash money, small smallint, plain timestamp, code char(3),
      part text, whole text, sum numeric(6, 2) default -1.5, made timestamptz default now())`)
    await db.rawQuery('create unique index on fact_natives (part) where part is not null')
    await db.rawQuery('create unique index on fact_natives (lower(whole))')
    const introspection = await introspectionOf('fact_natives')
    assert.deepEqual(pick(introspection, kindOf), {
      id: 'integer',
      mood: 'text',
      age: 'text',
      places: 'json',
      span: 'text',
      address: 'text',
      spot: 'text',
      days: 'text',
      cash: 'number',
      small: 'integer',
      plain: 'datetime',
      code: 'text',
      part: 'text',
      whole: 'text',
      sum: 'number',
      made: 'datetime',
    })
    const { columns } = introspection
    assert.isTrue(columns.get('id')!.generated)
    assert.isTrue(columns.get('id')!.autoIncrement)
    assert.deepEqual(columns.get('mood')!.choices, ['sad', "it's ok"])
    assert.equal(columns.get('mood')!.defaultText, 'sad')
    assert.isFalse(columns.get('age')!.nullable)
    assert.equal(columns.get('age')!.maxLength, 9)
    assert.isFalse(columns.get('part')!.unique)
    assert.isFalse(columns.get('whole')!.unique)
    assert.equal(columns.get('sum')!.defaultText, '-1.5')
    assert.isTrue(columns.get('made')!.hasDefault)
    assert.isNull(columns.get('made')!.defaultText)
    assert.equal(columns.get('small')!.integerRange!.most, 32767n)
  })
})

test.group('Table introspection | MySQL and MariaDB only', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.tap((one) => one.skip(!onMysql, 'these are its own types'))
  const clear = async () => void (await db.rawQuery('drop table if exists fact_natives'))
  group.each.setup(async () => {
    await clear()
    return clear
  })

  test('[P7] MySQL types and collations are read', async ({ assert }) => {
    await db.rawQuery(`create table fact_natives (
      id bigint unsigned not null auto_increment primary key,
      flag tinyint(1), bits bit(1), tiny tinyint, wide mediumint unsigned, years year,
      mood enum('sad', 'it''s ok') default 'sad', exact varchar(20), loose varchar(20) collate utf8mb4_general_ci,
      bin varchar(20) collate utf8mb4_bin, old varchar(20) character set latin1, doc json,
      made timestamp default current_timestamp, code varchar(36) default (uuid()))`)
    const introspection = await introspectionOf('fact_natives')
    assert.deepEqual(pick(introspection, kindOf), {
      id: 'integer',
      flag: 'boolean',
      bits: 'boolean',
      tiny: 'integer',
      wide: 'integer',
      years: 'integer',
      mood: 'text',
      exact: 'text',
      loose: 'text',
      bin: 'text',
      old: 'text',
      doc: 'json',
      made: 'datetime',
      code: 'text',
    })
    const { columns } = introspection
    const collations = ['exact', 'loose', 'bin', 'old', 'mood'].map(
      (name) => columns.get(name)!.collation
    )
    assert.deepEqual(collations, ['binary', 'loose', 'loose', 'loose', 'loose'])
    assert.deepEqual(columns.get('mood')!.choices, ['sad', "it's ok"])
    assert.equal(columns.get('mood')!.defaultText, 'sad')
    assert.deepEqual(columns.get('wide')!.integerRange, { least: 0n, most: 16777215n })
    assert.deepEqual(columns.get('tiny')!.integerRange, { least: -128n, most: 127n })
    assert.equal(columns.get('id')!.integerRange!.most, 18446744073709551615n)
    assert.match(columns.get('code')!.defaultExpression!, /uuid\(\)/)
    assert.isNull(columns.get('made')!.defaultText)
  })
})
