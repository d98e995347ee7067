import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { Query } from '#base/database/dialect'
import { dialectOf } from '#base/database/dialects'
import { OutOfTime, timeLeft, withinTime } from '#base/database/time_limit'
import { Reader } from '#crud/sql/reader'
import { Resource } from '#crud/resource/resource'
import { Reading, ReadingWithFetchHooks } from '#tests/fixtures/crud'
import { each, insertRow, onMysql, onPostgres } from '#tests/helpers/databases'

const DIGITS = `(${Array.from({ length: 10 }, (_, digit) => `select ${digit} as n`).join(' union all ')})`

const ENDLESS = each({
  sqlite:
    '(with recursive numbers(n) as (select 1 union all select n + 1 from numbers) select count(*) from numbers)',
  postgres: '(select count(*) from pg_sleep(60))',
  mysql: `(select count(*) from ${Array.from({ length: 12 }, (_, index) => `${DIGITS} as d${index}`).join(', ')})`,
})

/** `out of time` or the message of another error, or else `done` */
async function outcomeOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work()
    return 'done'
  } catch (error) {
    return error instanceof OutOfTime ? 'out of time' : (error as Error).message
  }
}

/** True if the server still runs the statement; SQLite would not respond, with all readers busy. */
async function runsOn(): Promise<boolean> {
  if (onPostgres) {
    const { rows } = await db.rawQuery(
      "select 1 from pg_stat_activity where query like '%pg_sleep(60)%' and state = 'active' and pid <> pg_backend_pid() and datname = current_database()"
    )
    return rows.length > 0
  }
  if (!onMysql) return false
  const [rows] = await db.rawQuery(
    "select 1 from information_schema.processlist where info like '%as d11%' and id <> connection_id() and db = database()"
  )
  return rows.length > 0
}

test.group('withinTime()', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.tap((one) => one.timeout(20_000))

  const client = () => db.connection()
  const dialect = () => dialectOf(client())
  const isStoppable = () => dialect().stopsReads(client())

  group.each.setup(async () => {
    await db.from('crud_readings').delete()
  })

  test('the database cancels a read that exceeds the time limit, from a statement and from a query builder', async ({
    assert,
  }) => {
    /* Nothing stops better-sqlite3. */
    assert.equal(isStoppable(), process.env.DB_CONNECTION !== 'better-sqlite3')
    if (!isStoppable()) return
    await insertRow('crud_readings', { name: 'one', amount: 1 })
    const ways = {
      statement: () => dialect().selectRows(client(), `select ${ENDLESS} as n`, []),
      builder: () => {
        const query = Reading.query().whereRaw(`${ENDLESS} > 0`) as unknown as Query
        return dialect().read(client(), query, () => query)
      },
    }
    for (const [name, way] of Object.entries(ways)) {
      /* More than there are connections to read from */
      for (let index = 0; index < 6; index++) {
        assert.equal(await outcomeOf(() => withinTime(100, way)), 'out of time', name)
      }
      assert.isFalse(await runsOn(), name)
      assert.equal(client().getReadClient().client.pool.numUsed(), 0, name)
    }
    /* A connection that was used has no limit any more. */
    const slow = each({
      sqlite: '1',
      postgres: '(select 1 from pg_sleep(0.3))',
      mysql: 'sleep(0.3)',
    })
    for (let index = 0; index < 4; index++) {
      const [row] = await dialect().selectRows(client(), `select 1 as n, ${slow} as slept`, [])
      assert.equal(row.n, 1)
    }
  })

  test('no read begins after its time limit, and the shorter of two nested limits applies', async ({
    assert,
  }) => {
    assert.isUndefined(timeLeft())
    await withinTime(60_000, async () => {
      assert.isAtMost(timeLeft()!, 60_000)
      await withinTime(1000, async () => assert.isAtMost(timeLeft()!, 1000))
      await withinTime(90_000, async () => assert.isAtMost(timeLeft()!, 60_000))
    })
    const late = () => dialect().selectRows(client(), 'select 1 as n', [])
    assert.equal(await outcomeOf(() => withinTime(0, late)), 'out of time')
    /* A transaction must not fail by it. */
    const rows = await db.transaction((transaction) =>
      withinTime(0, () => dialect().selectRows(transaction, 'select 1 as n', []))
    )
    assert.lengthOf(rows, 1)
  })

  test('an error of a read within the time limit is unchanged', async ({ assert }) => {
    const outcome = await outcomeOf(() =>
      withinTime(5000, () => dialect().selectRows(client(), 'select nothing_such', []))
    )
    assert.match(outcome, /nothing_such/)
  })

  test('[L3] if reads can’t be cancelled, values are counted only in tables of up to 100,000 rows', async ({
    assert,
    cleanup,
  }) => {
    const names = ['b', 'a', 'b', 'unfetchable', 'b', 'c']
    for (const [amount, name] of names.entries()) await insertRow('crud_readings', { name, amount })
    const own = dialect()
    const { stopsReads } = own
    cleanup(() => {
      own.stopsReads = stopsReads
    })
    const counts = async (model: typeof Reading, stops: boolean, limit = 30_000) => {
      own.stopsReads = () => stops
      const resource = new Resource({ model })
      await resource.load()
      const column = resource.columns.find('name')!
      const reader = new Reader(resource)
      const { values } = await withinTime(limit, () =>
        reader.counts.byValue(client(), column, { where: [] }, 3)
      )
      return values
    }
    for (const model of [Reading, ReadingWithFetchHooks]) {
      const usual = await counts(model, true)
      assert.deepEqual(usual[0], { value: 'b', count: 3 })
      assert.deepEqual(await counts(model, false), usual)
    }

    const five = [0, 1, 2, 3, 4].map((index) => `${DIGITS} as d${index}`).join(', ')
    await db.rawQuery(`insert into crud_readings (name, amount) select 'x', 1 from ${five}`)
    const outcome = await outcomeOf(() => counts(Reading, false))
    assert.equal(outcome, 'out of time')
    await db.from('crud_readings').whereNot('name', 'x').delete()
    assert.deepEqual(await counts(Reading, false), [{ value: 'x', count: 100_000 }])
    await db.from('crud_readings').delete()
  })
})
