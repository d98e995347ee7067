import { test } from '@japa/runner'
import Database from 'better-sqlite3'
import {
  keepBetterStatements,
  letRequestsIn,
  selectAtOnce,
} from '#base/database/sqlite/better_sqlite_statements'

test.group('Prepared statements of better-sqlite3', (group) => {
  let connection: any
  let prepared: string[]

  group.each.setup(() => {
    connection = new Database(':memory:')
    connection.exec('create table things (id integer primary key, flag boolean, made datetime)')
    prepared = []
    const prepare = connection.prepare.bind(connection)
    connection.prepare = (sql: string) => {
      prepared.push(sql)
      return prepare(sql)
    }
    keepBetterStatements(connection)
    return () => connection.close()
  })

  const INSERT = 'insert into things (flag, made) values (?, ?) returning *'

  test('[E3] a statement is prepared once, and accepts the same values as with the sqlite3 driver', async ({
    assert,
  }) => {
    const time = new Date(1_700_000_000_000)
    assert.deepEqual(await selectAtOnce(connection, INSERT, [true, time]), [
      { id: 1, flag: 1, made: 1_700_000_000_000 },
    ])
    assert.deepEqual(await selectAtOnce(connection, INSERT, [false, null]), [
      { id: 2, flag: 0, made: null },
    ])
    assert.deepEqual(prepared, [INSERT])
  })

  test('[D6.4] consecutive statements let requests run in between, and stay in their order', async ({
    assert,
    cleanup,
  }) => {
    const own = new Database(':memory:') as any
    cleanup(() => own.close())
    own.exec('create table things (id integer primary key, flag boolean, made datetime)')
    letRequestsIn(own)
    keepBetterStatements(own)
    let turns = 0
    let isOver = false
    const turn = () => {
      turns++
      if (!isOver) setImmediate(turn)
    }
    setImmediate(turn)
    const begun = performance.now()
    const written: Promise<unknown>[] = []
    while (turns < 5 && performance.now() - begun < 5000) {
      written.push(Promise.resolve(selectAtOnce(own, INSERT, [true, null])))
      if (written.length % 3 === 0) await written.at(-1)
    }
    const rows = (await Promise.all(written)) as Array<[{ id: number }]>
    isOver = true
    assert.isAtLeast(turns, 5)
    assert.deepEqual(
      rows.map(([{ id }]) => id),
      rows.map((_, index) => index + 1)
    )
  })

  test('statements that run once are not cached, and the size of the cache is limited', ({
    assert,
  }) => {
    for (let round = 0; round < 2; round++) connection.prepare('pragma user_version').all([])
    assert.lengthOf(prepared, 2)
    connection.prepare(INSERT)
    for (let number = 0; number < 1000; number++) connection.prepare(`select ${number}`)
    connection.prepare(INSERT)
    assert.lengthOf(
      prepared.filter((sql) => sql === INSERT),
      2
    )
    connection.prepare('select 999')
    assert.lengthOf(
      prepared.filter((sql) => sql === 'select 999'),
      1
    )
  })

  test('[A20] a query that returns big integers gets a separate statement', ({ assert }) => {
    const sql = 'select 9007199254740993 as big'
    const shared = connection.prepare(sql)
    assert.deepEqual(shared.safeIntegers(true).all(), [{ big: 9007199254740993n }])
    assert.notStrictEqual(connection.prepare(sql), shared)
    assert.typeOf(connection.prepare(sql).all()[0].big, 'number')
  })
})
