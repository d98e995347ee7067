import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import type { TableIntrospection } from '#base/database/introspection'
import { readSqliteTable } from '#base/database/sqlite/sqlite_table'

const TABLES = ['fact_views', 'facts', 'fact_notes', 'fact_lines', 'fact_orders']

async function drop() {
  await db.rawQuery('drop view if exists fact_views')
  for (const table of TABLES.slice(1)) await db.rawQuery(`drop table if exists ${table}`)
}

async function readTable(sql: string, table = 'facts'): Promise<TableIntrospection> {
  for (const statement of sql.split(';')) await db.rawQuery(statement)
  const introspection = await readSqliteTable(db.connection(), table)
  return introspection!
}

/** One property of all columns. */
function each(introspection: TableIntrospection, fact: string) {
  return Object.fromEntries(
    [...introspection.columns].map(([name, all]) => [name, (all as any)[fact]])
  )
}

test.group('SQLite table', (group) => {
  group.each.setup(async () => {
    await drop()
    return drop
  })

  test('[P7] types, nullability and lengths of columns are read', async ({ assert }) => {
    const introspection = await readTable(
      'create table facts (a VARCHAR(40) not null, b char(2), c text, d varchar, e decimal(8,2) not null, f character varying(9))'
    )
    assert.deepEqual([...introspection.columns.keys()], ['a', 'b', 'c', 'd', 'e', 'f'])
    assert.equal(introspection.columns.get('a')!.sqlType, 'varchar(40)')
    assert.deepEqual(each(introspection, 'nullable'), {
      a: false,
      b: true,
      c: true,
      d: true,
      e: false,
      f: true,
    })
    assert.deepEqual(each(introspection, 'maxLength'), {
      a: 40,
      b: 2,
      c: null,
      d: null,
      e: null,
      f: 9,
    })
  })

  test('[P7] defaults, auto-increment and generated columns are read', async ({ assert }) => {
    const introspection = await readTable(
      'create table facts (id integer primary key, a text default null, b text default "x", c int default 0, d text, e text as (d || 1) stored, f text as (d || 2))'
    )
    assert.deepEqual(each(introspection, 'hasDefault'), {
      id: true,
      a: true,
      b: true,
      c: true,
      d: false,
      e: true,
      f: true,
    })
    assert.deepEqual(each(introspection, 'autoIncrement'), {
      id: true,
      a: false,
      b: false,
      c: false,
      d: false,
      e: false,
      f: false,
    })
    assert.isFalse(introspection.columns.get('id')!.nullable)
  })

  test('[B17] a constant default of a column is read as text', async ({ assert }) => {
    const introspection = await readTable(
      `create table facts (id integer primary key, a text default 'it''s', b text default "x ""y""", c int default -7, d decimal default 1.5, e boolean default true, f text default null, g text default (lower('X')), h datetime default current_timestamp, i text default '', j text)`
    )
    assert.deepEqual(each(introspection, 'defaultText'), {
      id: null,
      a: "it's",
      b: 'x "y"',
      c: '-7',
      d: '1.5',
      e: 'true',
      f: null,
      g: null,
      h: null,
      i: '',
      j: null,
    })
  })

  test('[P7] only a single integer key is auto-increment', async ({ assert }) => {
    const text = await readTable('create table facts (code text primary key)')
    assert.deepEqual(each(text, 'autoIncrement'), { code: false })
    assert.deepEqual(each(text, 'hasDefault'), { code: false })
    assert.deepEqual(each(text, 'nullable'), { code: false })

    const pair = await readTable(
      'create table fact_notes (a integer, b integer, primary key (a, b))',
      'fact_notes'
    )
    assert.deepEqual(each(pair, 'autoIncrement'), { a: false, b: false })
    assert.deepEqual(each(pair, 'unique'), { a: false, b: false })
  })

  test('[P7] a column is unique if a unique index without a condition covers it alone', async ({
    assert,
  }) => {
    const introspection = await readTable(
      `create table facts (id integer primary key, a text unique, b text, c text, d text, e text, f text, unique (b, c));
       create unique index facts_d on facts (d);
       create unique index facts_e on facts (e) where e is not null;
       create unique index facts_f on facts (lower(f));
       create index facts_c on facts (c)`
    )
    assert.deepEqual(each(introspection, 'unique'), {
      id: true,
      a: true,
      b: false,
      c: false,
      d: true,
      e: false,
      f: false,
    })
  })

  test('[P7] the values that a check constraint allows are read as choices', async ({ assert }) => {
    const introspection = await readTable(
      `create table facts (a text check (a in ('x', 'it''s', 'a,b')), "b" text check ("b" in ('y')), c text check (c <> 'z'), d int check (d in (1, 2)), Mixed text CHECK ( Mixed  IN ( 'p' , 'q' ) ))`
    )
    assert.deepEqual(each(introspection, 'choices'), {
      a: ['x', "it's", 'a,b'],
      b: ['y'],
      c: null,
      d: null,
      Mixed: ['p', 'q'],
    })
  })

  test('[A8] foreign keys are read, including composite ones', async ({ assert }) => {
    const introspection = await readTable(
      `create table fact_orders (number text primary key);
       create table fact_lines (a int, b int, primary key (a, b));
       create table facts (id integer primary key, line_a int, line_b int, order_number text references fact_orders (number), other text references fact_orders, foreign key (line_a, line_b) references fact_lines (a, b))`
    )
    assert.sameDeepMembers(introspection.foreignKeys, [
      { columns: ['line_a', 'line_b'], table: 'fact_lines', references: ['a', 'b'] },
      { columns: ['order_number'], table: 'fact_orders', references: ['number'] },
      { columns: ['other'], table: 'fact_orders', references: ['number'] },
    ])
  })

  test('[P15] the columns of a view are read', async ({ assert }) => {
    const introspection = await readTable(
      'create table facts (id integer primary key, a varchar(5)); create view fact_views as select id, a from facts',
      'fact_views'
    )
    assert.deepEqual([...introspection.columns.keys()], ['id', 'a'])
    assert.deepEqual(introspection.foreignKeys, [])
  })
})
