import { test } from '@japa/runner'
import { inBareTransaction, type RunSql } from '#base/database/shared_transaction'
import { unavailability } from '#base/database/unavailable'
import { addNote, DRIVERS, openGrouped, signal } from '#tests/helpers/grouped_writes'

const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index))

for (const driver of DRIVERS) {
  test.group(`Writes of one statement, ${driver}`, () => {
    async function open(cleanup: Parameters<typeof openGrouped>[1], options = {}) {
      const file = await openGrouped(driver, cleanup, options)
      const insert = async (text: string) => {
        const sql = 'insert into notes (text) values (?) returning text'
        const work = (run: RunSql) => run({ sql, bindings: [text] })
        const [row] = await inBareTransaction(file.client, work, () => {}, true)
        return row.text as string
      }
      return { ...file, insert }
    }

    test('a statement has no transaction if no other one waits', async ({ assert, cleanup }) => {
      const { count, insert, texts } = await open(cleanup)
      assert.equal(await insert('one'), 'one')
      assert.equal(count('BEGIN'), 0)
      assert.deepEqual(await texts(), ['one'])
    })

    test('statements that wait share a commit without savepoints, in their order', async ({
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

    test('a statement that fails stores nothing, and those of its group are stored', async ({
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

    test('a statement is stored although the write that it waited for fails', async ({
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

    test('a statement waits for the lock of another process, while other code runs', async ({
      assert,
      cleanup,
    }) => {
      const { insert, lock, texts } = await open(cleanup)
      const release = await lock()
      let isStored = false
      const stored = insert('one').then(() => (isStored = true))
      await new Promise((resolve) => setTimeout(resolve, 60))
      assert.isFalse(isStored)
      await release()
      await stored
      assert.deepEqual(await texts(), ['one'])
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
