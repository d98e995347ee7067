import type { Assert } from '@japa/assert'
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { inDriverTransaction, type RunSql } from '#base/database/shared_transaction'
import type { WriteLog } from '#base/database/sqlite/commit_group'
import { unavailability } from '#base/database/unavailable'
import { onPostgres } from '#tests/helpers/databases'
import { addNote, DRIVERS, openGrouped, signal } from '#tests/helpers/grouped_writes'
import { queriesOf } from '#tests/helpers/queries'

const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index))

const inserting = (text: string) => ({
  sql: 'insert into notes (text) values (?) returning text',
  bindings: [text],
})

/** Log of which each write has a function for its entry */
type Log = WriteLog<(run: RunSql) => Promise<void>>

/* The write fails when its transaction is committed. */
async function deferError(run: RunSql) {
  await run({ sql: 'pragma defer_foreign_keys = on', bindings: [] })
  await run({ sql: 'insert into pages (note) values (4711)', bindings: [] })
}

type Opened = Awaited<ReturnType<typeof openGrouped>> & { insert(text: string): Promise<unknown> }

async function assertWaiting(assert: Assert, { insert, lock, texts }: Opened) {
  const release = await lock()
  let isStored = false
  const stored = insert('one').then(() => (isStored = true))
  await new Promise((resolve) => setTimeout(resolve, 60))
  assert.isFalse(isStored)
  await release()
  await stored
  assert.deepEqual(await texts(), ['one'])
}

for (const driver of DRIVERS) {
  test.group(`Transactions of the driver, ${driver}`, () => {
    async function open(cleanup: Parameters<typeof openGrouped>[1], options = {}) {
      const file = await openGrouped(driver, cleanup, options)
      const told: string[] = []
      const store: Log['store'] = async (entries, run) => {
        for (const entry of entries) await entry(run)
      }
      const insert = (text: string, entry: Log['entry'] = async () => {}) =>
        inDriverTransaction<string>(file.client, {
          work: async (run) => {
            const [row] = await run(inserting(text))
            return row.text as string
          },
          log: { entry, store },
          committed: (stored) => void told.push(stored),
        })
      return { ...file, insert, told }
    }

    const countOf = (queries: string[], start: string) =>
      queries.filter((sql) => sql.startsWith(start)).length

    test('[P8] a write is committed alone if no other write waits', async ({ assert, cleanup }) => {
      const { insert, texts, told } = await open(cleanup)
      const queries = await queriesOf(() => insert('one'))
      assert.deepEqual(
        queries.map((sql) => sql.split(' ')[0]),
        ['BEGIN', 'insert', 'COMMIT']
      )
      assert.deepEqual(await texts(), ['one'])
      assert.deepEqual(told, ['one'])
    })

    test('[P8] a write that fails stores nothing, is not reported, and releases its connection', async ({
      assert,
      cleanup,
    }) => {
      const { insert, texts, told } = await open(cleanup)
      const fail = async () => {
        throw new Error('own')
      }
      await assert.rejects(() => insert('one', fail), 'own')
      await insert('two')
      assert.deepEqual(await texts(), ['two'])
      assert.deepEqual(told, ['two'])
    })

    test('[P8, E1] waiting writes share a commit, and are reported after it in their order', async ({
      assert,
      cleanup,
    }) => {
      const { insert, texts, told } = await open(cleanup)
      const queries = await queriesOf(async () => {
        assert.deepEqual(await Promise.all(numbers(20).map((one) => insert(one))), numbers(20))
      })
      assert.deepEqual(await texts(), numbers(20))
      assert.deepEqual(told, numbers(20))
      assert.equal(countOf(queries, 'BEGIN'), 1)
      assert.equal(countOf(queries, 'COMMIT'), 1)
      assert.equal(countOf(queries, 'SAVEPOINT'), 0)
    })

    test('[P8] the logs of waiting writes are stored together, in their order, before the commit', async ({
      assert,
      cleanup,
    }) => {
      const { client } = await open(cleanup)
      const stored: string[][] = []
      const store = async (entries: readonly string[], run: RunSql) => {
        stored.push([...entries])
        await run(inserting(`log of ${entries.join()}`))
      }
      const queries = await queriesOf(async () => {
        await Promise.all(
          numbers(5).map((entry) =>
            inDriverTransaction(client, {
              work: (run) => run(inserting(entry)),
              log: { entry, store },
              committed: () => {},
            })
          )
        )
      })
      assert.deepEqual(stored, [numbers(5)])
      assert.deepEqual(
        queries.map((sql) => sql.split(' ')[0]).filter((word) => word !== 'select'),
        ['BEGIN', ...numbers(5).map(() => 'insert'), 'insert', 'COMMIT']
      )
    })

    test('[P8] if the log of a write fails, that write is rolled back, and the other writes are stored', async ({
      assert,
      cleanup,
    }) => {
      const { insert, texts, told } = await open(cleanup)
      const fail = async (run: RunSql) => void (await run(inserting('0')))
      const outcomes = await Promise.allSettled(
        numbers(20).map((text, index) => insert(text, index % 3 === 1 ? fail : undefined))
      )
      const stored = numbers(20).filter((_, index) => index % 3 !== 1)
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') assert.include(outcome.reason.message, 'UNIQUE')
      }
      assert.deepEqual(
        outcomes.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])),
        stored
      )
      assert.deepEqual(await texts(), stored)
      assert.deepEqual(told, stored)
    })

    test('[P8] no write of a group is stored or reported if its commit fails', async ({
      assert,
      cleanup,
    }) => {
      const { client, insert, texts, told } = await open(cleanup)
      const outcomes = await Promise.allSettled([
        insert('first', deferError),
        insert('second'),
        insert('third'),
      ])
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ['rejected', 'rejected', 'rejected']
      )
      assert.deepEqual(await texts(), [])
      assert.lengthOf(await client.from('pages'), 0)
      assert.deepEqual(told, [])
      assert.equal(await insert('fourth'), 'fourth')
    })

    test('[P8] with a deferred constraint on its table, each write is committed alone', async ({
      assert,
      cleanup,
    }) => {
      const { client, insert, texts } = await open(cleanup)
      await client.rawQuery(
        'create table later (note integer references notes (id) deferrable initially deferred)'
      )
      const queries = await queriesOf(async () => {
        await Promise.all(numbers(5).map((one) => insert(one)))
      })
      assert.equal(countOf(queries, 'COMMIT'), 5)
      assert.deepEqual(await texts(), numbers(5))
    })

    test('[P8] a write shares the commit of a Lucid transaction that it waits for', async ({
      assert,
      cleanup,
    }) => {
      const { count, insert, texts, write } = await open(cleanup)
      const { promise, resolve } = signal()
      const first = write(async (client) => {
        await addNote(client, 'first')
        await promise
      })
      const others = ['second', 'third'].map((text) => insert(text))
      resolve()
      await Promise.all([first, ...others])
      assert.equal(count('COMMIT'), 1)
      assert.deepEqual(await texts(), ['first', 'second', 'third'])
    })

    test('[P8] a waiting Lucid transaction is next in order, and later writes wait for it', async ({
      assert,
      cleanup,
    }) => {
      const { count, insert, note, texts } = await open(cleanup)
      const queries = await queriesOf(async () => {
        await Promise.all([insert('1'), insert('2'), note('3'), insert('4'), note('5')])
      })
      assert.deepEqual(await texts(), ['1', '2', '3', '4', '5'])
      assert.equal(countOf(queries, 'BEGIN IMMEDIATE'), 1)
      assert.equal(count('BEGIN'), 1)
    })

    test('[P8] a write waits for the lock of another process without blocking other code', async ({
      assert,
      cleanup,
    }) => {
      await assertWaiting(assert, await open(cleanup))
    })

    test('[P8] writes that wait too long for another process are all refused as busy', async ({
      assert,
      cleanup,
    }) => {
      const { insert, lock, texts } = await open(cleanup, { timeout: 50 })
      const release = await lock()
      let outcomes: PromiseSettledResult<string>[] = []
      const queries = await queriesOf(async () => {
        outcomes = await Promise.allSettled(numbers(10).map((one) => insert(one)))
      })
      await release()
      assert.lengthOf(outcomes, 10)
      for (const outcome of outcomes) {
        assert.equal(outcome.status, 'rejected')
        assert.equal(unavailability((outcome as PromiseRejectedResult).reason), 'busy')
      }
      assert.equal(countOf(queries, 'BEGIN'), 1)
      assert.deepEqual(await texts(), [])
      assert.equal(await insert('later'), 'later')
    })
  })

  test.group(`Writes of a single statement, ${driver}`, () => {
    async function open(cleanup: Parameters<typeof openGrouped>[1], options = {}) {
      const file = await openGrouped(driver, cleanup, options)
      const insert = async (text: string) => {
        const sql = 'insert into notes (text) values (?) returning text'
        const [row] = await inDriverTransaction<Array<Record<string, unknown>>>(file.client, {
          work: (run) => run({ sql, bindings: [text] }),
          committed: () => {},
          isOneStatement: true,
        })
        return row.text as string
      }
      return { ...file, insert }
    }

    test('a statement runs without a transaction if no other statement waits', async ({
      assert,
      cleanup,
    }) => {
      const { count, insert, texts } = await open(cleanup)
      assert.equal(await insert('one'), 'one')
      assert.equal(count('BEGIN'), 0)
      assert.deepEqual(await texts(), ['one'])
    })

    test('waiting statements share a commit without savepoints, in their order', async ({
      assert,
      cleanup,
    }) => {
      const { count, insert, texts } = await open(cleanup)
      assert.deepEqual(await Promise.all(numbers(20).map(insert)), numbers(20))
      assert.deepEqual(await texts(), numbers(20))
      assert.isAtMost(count('BEGIN'), 1)
      assert.equal(count('COMMIT'), count('BEGIN'))
      assert.equal(count('SAVEPOINT'), 0)
    })

    test('a statement that fails stores nothing, and the others of its group are stored', async ({
      assert,
      cleanup,
    }) => {
      const { insert, texts } = await open(cleanup)
      await insert('taken')
      const all = numbers(20).map((text, index) => (index % 3 === 1 ? 'taken' : text))
      const outcomes = await Promise.allSettled(all.map(insert))
      assert.deepEqual(
        outcomes.map(({ status }) => status === 'fulfilled'),
        all.map((text) => text !== 'taken')
      )
      assert.deepEqual(await texts(), ['taken', ...all.filter((text) => text !== 'taken')])
    })

    test('a statement waits for the commit of the write whose transaction it shares', async ({
      assert,
      cleanup,
    }) => {
      const { count, insert, texts, write } = await open(cleanup)
      const { promise, resolve } = signal()
      const ends: string[] = []
      const first = write(async (client) => {
        await addNote(client, 'first')
        await promise
      }).then(() => ends.push('first'))
      const second = insert('second').then(() => ends.push('second'))
      resolve()
      await Promise.all([first, second])
      assert.sameMembers(ends, ['first', 'second'])
      assert.equal(count('COMMIT'), 1)
      assert.deepEqual(await texts(), ['first', 'second'])
    })

    test('a statement is stored even if the write whose transaction it joined fails', async ({
      assert,
      cleanup,
    }) => {
      const { insert, texts, write } = await open(cleanup)
      const first = write(async (client) => {
        await addNote(client, 'first')
        throw new Error('own')
      })
      const [failed, stored] = await Promise.allSettled([first, insert('second')])
      assert.equal(failed.status, 'rejected')
      assert.equal(stored.status, 'fulfilled')
      assert.deepEqual(await texts(), ['second'])
    })

    test('no statement of a group is stored if its commit fails, and each gets the error', async ({
      assert,
      cleanup,
    }) => {
      const { client, insert, texts, write } = await open(cleanup)
      const first = write(async (own) => {
        await addNote(own, 'first')
        /* Joins are refused for deferred constraints of tables, not for those that a write defers itself. */
        await own.rawQuery('pragma defer_foreign_keys = on')
        await own.insertQuery().table('pages').insert({ note: 4711 })
      })
      const outcomes = await Promise.allSettled([first, insert('second')])
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ['rejected', 'rejected']
      )
      assert.deepEqual(await texts(), [])
      assert.lengthOf(await client.from('pages'), 0)
      assert.equal(await insert('third'), 'third')
    })

    test('a statement waits for the lock of another process without blocking other code', async ({
      assert,
      cleanup,
    }) => {
      await assertWaiting(assert, await open(cleanup))
    })

    test('a statement that waits too long for another process is refused as busy', async ({
      assert,
      cleanup,
    }) => {
      const { insert, lock, texts } = await open(cleanup, { timeout: 50 })
      const release = await lock()
      const error = await insert('one').catch((one) => one)
      await release()
      assert.equal(unavailability(error), 'busy')
      assert.deepEqual(await texts(), [])
    })
  })
}

test.group('Driver transactions on a server', (group) => {
  group.tap((one) =>
    one.tags(['@dialect', '@driver']).skip(!onPostgres, 'a server, and rows of a write')
  )

  test('[P8] a connection whose transaction could not be ended is not reused', async ({
    assert,
  }) => {
    const client = db.connection()
    const pid = async (run: RunSql) => {
      const [row] = await run({ sql: 'select pg_backend_pid() as pid', bindings: [] })
      return row.pid
    }
    const seen: unknown[] = []
    const work = async (run: RunSql) => {
      seen.push(await pid(run))
      await run({ sql: 'select pg_terminate_backend(pg_backend_pid())', bindings: [] })
    }
    const committed = () => void seen.push('told')
    const error = await inDriverTransaction(client, { work, committed }).catch((one) => one)
    assert.instanceOf(error, Error)
    assert.lengthOf(seen, 1)
    for (let round = 0; round < 3; round++) {
      assert.notEqual(
        await inDriverTransaction(client, { work: pid, committed: () => {} }),
        seen[0]
      )
    }
  })

  test('[P8] a write that fails is rolled back, and its connection is reused', async ({
    assert,
  }) => {
    const client = db.connection()
    const insert = {
      sql: "insert into event_plains (name) values ('bare') returning name",
      bindings: [],
    }
    const work = async (run: RunSql) => {
      await run(insert)
      throw new Error('own')
    }
    await assert.rejects(() => inDriverTransaction(client, { work, committed: () => {} }), 'own')
    assert.isNull(await db.from('event_plains').where('name', 'bare').first())
    await inDriverTransaction(client, { work: (run) => run(insert), committed: () => {} })
    assert.isNotNull(await db.from('event_plains').where('name', 'bare').first())
    await db.from('event_plains').where('name', 'bare').delete()
  })
})
