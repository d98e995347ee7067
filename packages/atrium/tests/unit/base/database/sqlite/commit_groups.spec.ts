import { AsyncLocalStorage } from 'node:async_hooks'
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { afterOutermostCommit } from '#base/database/outermost_commit'
import { inTransaction } from '#base/database/transaction'
import { SharedTransactionUndone, unavailability, WaitedTooLong } from '#base/database/unavailable'
import { addNote, DRIVERS, GROUPED, openGrouped, signal } from '#tests/helpers/grouped_writes'

const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index))

for (const driver of DRIVERS) {
  test.group(`Writes that share a commit, ${driver}`, () => {
    test('a write runs in a transaction of its own if no other write waits', async ({
      assert,
      cleanup,
    }) => {
      const { count, note, texts } = await openGrouped(driver, cleanup)
      assert.equal(await note('one'), 'one')
      assert.equal(count('SAVEPOINT'), 0)
      assert.equal(count('COMMIT'), 1)
      assert.deepEqual(await texts(), ['one'])
    })

    test('waiting writes share the commit of the first, in their order', async ({
      assert,
      cleanup,
    }) => {
      const { count, note, texts } = await openGrouped(driver, cleanup)
      assert.deepEqual(await Promise.all(numbers(20).map(note)), numbers(20))
      assert.deepEqual(await texts(), numbers(20))
      assert.equal(count('BEGIN'), 1)
      assert.equal(count('SAVEPOINT'), 19)
      assert.equal(count('COMMIT'), 1)
    })

    test('writes started in one turn of the event loop share a commit, even if one could end before the next begins', async ({
      assert,
      cleanup,
    }) => {
      const { count, note } = await openGrouped(driver, cleanup)
      const soon = (text: string) =>
        new Promise<string>((resolve, reject) => {
          setImmediate(() => note(text).then(resolve, reject))
        })
      await Promise.all(numbers(20).map(soon))
      assert.equal(count('COMMIT'), 1)
    })

    test('a write that fails is rolled back alone and gets its own error', async ({
      assert,
      cleanup,
    }) => {
      const { count, texts, write } = await openGrouped(driver, cleanup)
      const outcomes = await Promise.allSettled(
        numbers(20).map((text, index) =>
          write(async (client) => {
            await addNote(client, index % 3 === 1 ? '0' : text)
            if (index % 3 === 2) throw new Error(`refused ${text}`)
          })
        )
      )
      const stored = numbers(20).filter((_text, index) => index % 3 === 0)
      assert.deepEqual(await texts(), stored)
      for (const [index, outcome] of outcomes.entries()) {
        const { reason } = outcome as PromiseRejectedResult
        if (index % 3 === 0) assert.isUndefined(reason)
        else if (index % 3 === 1) assert.match(reason.code, /^SQLITE_CONSTRAINT/)
        else assert.equal(reason.message, `refused ${index}`)
      }
      assert.equal(count('COMMIT'), 1)
    })

    test('if the first write fails, those that wait for it are not affected', async ({
      assert,
      cleanup,
    }) => {
      const { note, texts, write } = await openGrouped(driver, cleanup)
      const first = write(async (client) => {
        await addNote(client, 'first')
        throw new Error('refused')
      })
      const others = Promise.all([note('second'), note('third')])
      await assert.rejects(() => first, 'refused')
      await others
      assert.deepEqual(await texts(), ['second', 'third'])
    })

    test('writes are reported only after the commit, all in their order', async ({
      assert,
      cleanup,
    }) => {
      const { count, write } = await openGrouped(driver, cleanup)
      const heard: string[] = []
      const hear = (text: string) => {
        assert.equal(count('COMMIT'), 1, text)
        heard.push(text)
      }
      const outcomes = numbers(6).map((text, index) =>
        write(async (client) => {
          await addNote(client, text)
          afterOutermostCommit(client, () => hear(`event ${text}`))
          client.after('commit', async () => hear(`hook ${text}`))
          client.after('rollback', async () => hear(`undone ${text}`))
          if (index % 3 === 2) throw new Error('refused')
        }).then(
          () => hear(`answer ${text}`),
          () => hear(`refusal ${text}`)
        )
      )
      await Promise.all(outcomes)
      const stored = ['0', '1', '3', '4']
      const ofKind = (kind: string) => heard.filter((one) => one.startsWith(kind))
      assert.deepEqual(
        heard.slice(0, 4),
        stored.map((text) => `event ${text}`)
      )
      assert.deepEqual(
        ofKind('hook'),
        stored.map((text) => `hook ${text}`)
      )
      assert.deepEqual(
        ofKind('answer'),
        stored.map((text) => `answer ${text}`)
      )
      assert.deepEqual(ofKind('undone'), ['undone 2', 'undone 5'])
      assert.lengthOf(heard, 16)
    })

    test('code that runs after the commit has the async context of its own request', async ({
      assert,
      cleanup,
    }) => {
      const { write } = await openGrouped(driver, cleanup)
      const request = new AsyncLocalStorage<string>()
      const heard: Array<string | undefined> = []
      const hear = () => void heard.push(request.getStore())
      await Promise.all(
        numbers(3).map((text) =>
          request.run(text, () =>
            write(async (client) => {
              hear()
              afterOutermostCommit(client, hear)
            })
          )
        )
      )
      assert.deepEqual(heard.toSorted(), ['0', '0', '1', '1', '2', '2'])
    })

    test('a write can open nested transactions', async ({ assert, cleanup }) => {
      const { texts, write } = await openGrouped(driver, cleanup)
      await Promise.all(
        numbers(3).map((text) =>
          write(async (client) => {
            await client.transaction((inner) => addNote(inner, `${text} kept`))
            const undone = await client.transaction()
            await addNote(undone, `${text} undone`)
            await undone.rollback()
          })
        )
      )
      assert.deepEqual(await texts(), ['0 kept', '1 kept', '2 kept'])
    })

    test('if the COMMIT fails, all writes of the group fail and nothing is stored', async ({
      assert,
      cleanup,
    }) => {
      const { count, note, texts, write } = await openGrouped(driver, cleanup)
      const heard: string[] = []
      const work = (text: string) =>
        write(async (client) => {
          afterOutermostCommit(client, () => void heard.push('event'))
          client.after('commit', () => void heard.push('commit'))
          client.after('rollback', () => void heard.push(`undone ${text}`))
          await addNote(client, text)
          if (text !== '2') return
          /* SQLite looks at it in the COMMIT. */
          await client.rawQuery('pragma defer_foreign_keys = on')
          await client.insertQuery().table('pages').insert({ note: 4711 })
        })
      const outcomes = await Promise.allSettled(numbers(4).map(work))
      for (const outcome of outcomes) {
        const { reason } = outcome as PromiseRejectedResult
        assert.instanceOf(reason, SharedTransactionUndone)
        assert.equal(unavailability(reason), 'busy')
      }
      assert.deepEqual(
        heard.toSorted(),
        numbers(4).map((text) => `undone ${text}`)
      )
      assert.isEmpty(await texts())
      assert.equal(count('COMMIT'), 1)
      await note('later')
      assert.deepEqual(await texts(), ['later'])
    })

    test('if SQLite rolls back by itself, all writes of the group fail and nothing is stored', async ({
      assert,
      cleanup,
    }) => {
      const { note, texts, write } = await openGrouped(driver, cleanup)
      await note('taken')
      const rollBack = "insert or rollback into notes (text) values ('taken')"
      const outcomes = await Promise.allSettled([
        note('first'),
        note('second'),
        write(async (client) => void (await client.rawQuery(rollBack))),
        note('fourth'),
      ])
      const reasons = outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason)
      assert.instanceOf(reasons[0], SharedTransactionUndone)
      assert.instanceOf(reasons[1], SharedTransactionUndone)
      assert.match(reasons[2].code, /^SQLITE_CONSTRAINT/)
      assert.isUndefined(reasons[3], 'it begins the next group')
      assert.deepEqual(await texts(), ['taken', 'fourth'])
    })

    test('after a rollback by SQLite itself no write is stored partially, even if code catches the error', async ({
      assert,
      cleanup,
    }) => {
      const { note, texts, write } = await openGrouped(driver, cleanup)
      await note('taken')
      const rollBack = "insert or rollback into notes (text) values ('taken')"
      const careless = () =>
        write(async (client) => void (await client.rawQuery(rollBack).catch(() => {})))
      for (const writes of [
        [careless, () => note('after the first')],
        [() => note('before'), careless, () => note('after')],
      ]) {
        const outcomes = await Promise.allSettled(writes.map((one) => one()))
        const isStored = outcomes.map(({ status }) => status === 'fulfilled')
        assert.deepEqual(isStored, writes.length === 2 ? [false, true] : [false, false, true])
      }
      assert.deepEqual(await texts(), ['taken', 'after the first', 'after'])
    })

    test('a full database rolls back the group or the write, with an error that names the cause', async ({
      assert,
      cleanup,
    }) => {
      const { client, note, texts, write } = await openGrouped(driver, cleanup)
      await note('before')
      const [{ page_count: pages }] = await client.rawQuery('pragma page_count')
      await client.rawQuery(`pragma max_page_count = ${pages + 2}`)
      const large = 'x'.repeat(100_000)
      const outcomes = await Promise.allSettled([
        note('first'),
        write((own) => addNote(own, large)),
        note('third'),
      ])
      const stored = ['first', large, 'third'].filter(
        (_text, index) => outcomes[index].status === 'fulfilled'
      )
      assert.equal(unavailability((outcomes[1] as PromiseRejectedResult).reason), 'full')
      assert.deepEqual(await texts(), ['before', ...stored])
    })

    test('the number of writes in a group is limited', async ({ assert, cleanup }) => {
      const groups = { writes: 4, milliseconds: 60_000 }
      const { count, note, texts } = await openGrouped(driver, cleanup, { groups })
      await Promise.all(numbers(10).map(note))
      assert.equal(count('COMMIT'), 3)
      assert.deepEqual(await texts(), numbers(10))
    })

    test('a group that has reached its time limit accepts no further write', async ({
      assert,
      cleanup,
    }) => {
      const groups = { writes: 50, milliseconds: 1 }
      const { count, texts, write } = await openGrouped(driver, cleanup, { groups })
      await Promise.all(
        numbers(3).map((text) =>
          write(async (client) => {
            await addNote(client, text)
            await new Promise((resolve) => setTimeout(resolve, 5))
          })
        )
      )
      assert.equal(count('COMMIT'), 3)
      assert.deepEqual(await texts(), numbers(3))
    })

    test('if a group is limited to one write or to no time, each write has its own commit', async ({
      assert,
      cleanup,
    }) => {
      const groups = { writes: 1, milliseconds: 20 }
      const { count, note } = await openGrouped(driver, cleanup, { groups })
      await Promise.all(numbers(3).map(note))
      assert.equal(count('COMMIT'), 3)
      assert.equal(count('SAVEPOINT'), 0)
    })

    test('in a database with a deferred constraint, each write has its own commit', async ({
      assert,
      cleanup,
    }) => {
      const { client, count, note } = await openGrouped(driver, cleanup)
      await client.rawQuery(
        'create table links (note integer references notes (id) deferrable initially deferred)'
      )
      await Promise.all(numbers(3).map(note))
      assert.equal(count('COMMIT'), 3)
    })

    test('a column name that contains “deferred” does not make a constraint deferred', async ({
      assert,
      cleanup,
    }) => {
      const { client, count, note } = await openGrouped(driver, cleanup)
      await client.rawQuery('create table tasks (deferred_until text)')
      await Promise.all(numbers(3).map(note))
      assert.equal(count('COMMIT'), 1)
    })

    test('no write joins a group while the code of a write has left a nested transaction open', async ({
      assert,
      cleanup,
    }) => {
      const { count, note, texts, write } = await openGrouped(driver, cleanup)
      let open: TransactionClientContract
      const careless = write(async (client) => {
        open = await client.transaction()
        await addNote(open, 'in the open one')
      })
      await Promise.all([careless, note('second'), note('third')])
      assert.equal(count('COMMIT'), 2)
      await open!.rollback().catch(() => {})
      assert.deepEqual(await texts(), ['in the open one', 'second', 'third'])
    })

    test('code that waits for a later write of its own group gets an error and continues', async ({
      assert,
      cleanup,
    }) => {
      const { note, texts, write } = await openGrouped(driver, cleanup, { waitTimeout: 50 })
      const waitFor = (text: string) =>
        write(async (client) => {
          await addNote(client, text)
          await assert.rejects(() => note('behind'), /waited longer than 50 ms/)
        })
      await Promise.all([waitFor('first'), waitFor('second')]).catch((error) =>
        assert.instanceOf(error, WaitedTooLong)
      )
      assert.notInclude(await texts(), 'behind')
      await note('later')
      assert.include(await texts(), 'later')
    })

    test('a write that waits for an earlier write of its group is rolled back after a timeout', async ({
      assert,
      cleanup,
    }) => {
      const { note, texts, write } = await openGrouped(driver, cleanup, { waitTimeout: 50 })
      const begun = signal()
      const first = write(async (client) => {
        await addNote(client, 'first')
        await begun.promise
      })
      const second = write(async (client) => {
        await addNote(client, 'second')
        await first
        await addNote(client, 'too late')
      })
      const error = second.catch((reason) => reason)
      begun.resolve()
      await first
      assert.instanceOf(await error, WaitedTooLong)
      assert.equal(unavailability(await error), 'busy')
      await note('third')
      assert.deepEqual(await texts(), ['first', 'third'])
    })

    test('the transaction of a write can’t be used after its function has ended', async ({
      assert,
      cleanup,
    }) => {
      const { note, texts, write } = await openGrouped(driver, cleanup)
      const stored: any[] = []
      const keep = () => write(async (client) => void stored.push(client))
      const late = (async () => {
        await write(async (client) => {
          for (const one of stored) {
            await assert.rejects(() => addNote(one, 'late'))
            await assert.rejects(() => one.transaction((own: any) => addNote(own, 'late')))
            assert.isTrue(one.isCompleted)
          }
          await addNote(client, 'kept')
        })
      }).bind(null)
      await Promise.all([keep(), keep(), late()])
      await note('later')
      assert.deepEqual(await texts(), ['kept', 'later'])
    })

    test('separate transactions take turns with groups of writes', async ({ assert, cleanup }) => {
      const { client, note, texts } = await openGrouped(driver, cleanup)
      await Promise.all([
        ...numbers(5).map(note),
        client.transaction((own) => addNote(own, 'own')),
        inTransaction(db.connection(GROUPED), (own) => addNote(own, 'another')),
        client.insertQuery().table('notes').insert({ text: 'without a transaction' }),
        ...numbers(5).map((text) => note(`more ${text}`)),
      ])
      assert.lengthOf(await texts(), 13)
    })
  })
}
