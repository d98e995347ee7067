import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { LucidCrud, Problem, type Actor } from '#crud'
import { identityOf } from '#base/columns/key'
import { keyOf, noteKey } from '#base/items'
import { reachedOf } from '#crud/operations/authorize'
import { Resource } from '#crud/resource/resource'
import { Booking, Counter, Note, Shift, Voucher } from '#tests/fixtures/crud'
import { Country, Seat, Ticket } from '#tests/fixtures/keys'
import { strange } from '#tests/helpers/actors'
import { NO, YES, insertRow } from '#tests/helpers/databases'
import { UnknownKey } from '#base/errors'

const TURN = '0b7f3a52-97a4-4c5e-8c5d-0d8ad1f8a3b1'
const ANNA: Actor = strange({ kind: 'token', user: 'anna' })

class Undone extends Error {}

async function failureOf(promise: Promise<unknown>): Promise<any> {
  return await promise.then(
    () => assertFailed(),
    (error) => error
  )
}

function assertFailed(): never {
  throw new Error('It did not fail')
}

async function insertCounters(...names: string[]): Promise<number[]> {
  const ids = []
  for (const name of names) {
    const id = await insertRow('crud_counters', { name })
    ids.push(id)
  }
  return ids
}

async function insertNote(note: Record<string, unknown>): Promise<number> {
  const id = await insertRow('crud_notes', { owner: 'anna', title: 'a note', ...note })
  return id
}

const namesLeft = async () => {
  const rows = await db.from('crud_counters').orderBy('id')
  return rows.map(({ name }) => name)
}

test.group('LucidCrud | one record', (group) => {
  group.tap((one) => one.tags(['@database']))
  const counters = new LucidCrud(Counter)
  const notes = new LucidCrud(Note)
  group.each.setup(async () => {
    Note.asked = []
    await db.from('crud_counters').delete()
    await db.from('crud_notes').delete()
  })

  test('[P8] find returns the model instance with hidden columns, or null', async ({ assert }) => {
    const [id] = await insertCounters('one')
    const record = (await counters.find(id)) as Counter
    assert.instanceOf(record, Counter)
    assert.equal(record.name, 'one')
    assert.isNull(await counters.find(id + 1))
  })

  test('[P14] find applies policy and scope', async ({ assert }) => {
    const id = await insertNote({})
    const record = (await notes.find(id, { actor: ANNA })) as Note
    assert.equal(record.title, 'a note')
    assert.deepEqual(
      Note.asked.map(({ actor, action, title }) => [actor, action, title]),
      [[ANNA, 'read', 'a note']]
    )
    assert.isNull(await notes.find(id, { actor: strange({ kind: 'token', user: 'bert' }) }))
    const refused = await insertNote({ title: 'no read' })
    const failure = await failureOf(notes.find(refused, { actor: ANNA }))
    assert.equal(failure.status, 403)
  })

  test('[A22] find returns deleted records on request only', async ({ assert }) => {
    const id = await insertNote({ is_deleted: true })
    const active = await insertNote({})
    const find = async (key: number, deleted?: 'exclude' | 'include' | 'only') =>
      (await notes.find(key, { actor: ANNA, deleted })) !== null
    assert.isFalse(await find(id))
    assert.isFalse(await find(id, 'exclude'))
    assert.isTrue(await find(id, 'include'))
    assert.isTrue(await find(id, 'only'))
    assert.isFalse(await find(active, 'only'))
  })

  test('[B25] a precondition receives the locked record, and its error is thrown', async ({
    assert,
  }) => {
    const [id] = await insertCounters('one')
    for (const write of ['update', 'delete', 'dbDelete'] as const) {
      const seen: string[] = []
      const options = {
        precondition: (record: LucidRow) => {
          seen.push((record as Counter).name)
          throw new Undone()
        },
      }
      const call =
        write === 'update'
          ? counters.update(id, { name: 'two' }, options)
          : counters[write](id, options)
      assert.instanceOf(await failureOf(call), Undone, write)
      assert.deepEqual(seen, ['one'], write)
      assert.deepEqual(await namesLeft(), ['one'], write)
    }
  })

  test('[B25] the write proceeds if the precondition is met, which can be asynchronous', async ({
    assert,
  }) => {
    const ids = await insertCounters('one', 'two', 'three')
    const precondition = async (record: LucidRow) => {
      await record.$trx!.rawQuery('select 1')
    }
    await counters.update(ids[0], { name: 'changed' }, { precondition })
    await counters.delete(ids[1], { precondition })
    await counters.dbDelete(ids[2], { precondition })
    assert.deepEqual(await namesLeft(), ['changed'])
  })

  test('[B25] a precondition is checked even if an update has no values', async ({ assert }) => {
    const [id] = await insertCounters('one')
    const precondition = () => {
      throw new Undone()
    }
    assert.instanceOf(await failureOf(counters.update(id, {}, { precondition })), Undone)
  })

  test('[B25] of several writers with the same version as their precondition, one succeeds', async ({
    assert,
  }) => {
    const [id] = await insertCounters('one')
    const version = counters.resource.columns.versionOf((await counters.find(id))!)
    const outcomes = await Promise.allSettled(
      ['a', 'b', 'c', 'd', 'e'].map((name) =>
        counters.update(
          id,
          { name },
          {
            precondition: (record) => {
              if (counters.resource.columns.versionOf(record) !== version) throw new Undone()
            },
          }
        )
      )
    )
    const won = outcomes.filter(({ status }) => status === 'fulfilled')
    assert.lengthOf(won, 1)
  })
})

test.group('LucidCrud | several records', (group) => {
  group.tap((one) => one.tags(['@database']))
  const counters = new LucidCrud(Counter)
  const notes = new LucidCrud(Note)
  const bookings = new LucidCrud(Booking)
  const seats = new LucidCrud(Seat)

  group.each.setup(async () => {
    Note.asked = []
    Booking.hooks = []
    for (const table of ['crud_counters', 'crud_notes', 'crud_bookings', 'seats']) {
      await db.from(table).delete()
    }
  })

  test('[S52] findMany returns the records in the order of the keys without duplicates', async ({
    assert,
  }) => {
    const [one, two, three] = await insertCounters('one', 'two', 'three')
    const found = (await counters.findMany([three, one, String(three), two, one])) as Counter[]
    assert.deepEqual(
      found.map(({ name }) => name),
      ['three', 'one', 'two']
    )
    assert.deepEqual(await counters.findMany([]), [])
  })

  test('[B20] the error about missing records names the first unknown key', async ({ assert }) => {
    const [one] = await insertCounters('one')
    for (const call of [
      () => counters.findMany([one, 98, 99]),
      () => counters.deleteMany([one, 98, 99]),
      () => counters.deleteMany([one, 98, 99], { hard: true }),
    ]) {
      const failure = await failureOf(call())
      assert.instanceOf(failure, UnknownKey)
      assert.deepEqual(failure.key, [98])
      assert.equal(failure.message, 'Item with id 98 not found')
    }
    assert.deepEqual(await namesLeft(), ['one'])
  })

  test('[S52] deleteMany deletes all records and returns them', async ({ assert }) => {
    const [one, two] = await insertCounters('one', 'two', 'three')
    const deleted = (await counters.deleteMany([two, one, two])) as Counter[]
    assert.deepEqual(
      deleted.map(({ name }) => name),
      ['two', 'one']
    )
    assert.deepEqual(await namesLeft(), ['three'])
  })

  test('[S52] deleteMany deletes none if one of the records can’t be deleted', async ({
    assert,
  }) => {
    class Reluctant extends Counter {
      static table = 'crud_counters'
    }
    Reluctant.boot()
    Reluctant.before('delete', ({ name }: Reluctant) => {
      if (name === 'two') throw new Undone()
    })
    const crud = new LucidCrud(Reluctant)
    const ids = await insertCounters('one', 'two', 'three')
    assert.instanceOf(await failureOf(crud.deleteMany(ids)), Undone)
    assert.deepEqual(await namesLeft(), ['one', 'two', 'three'])
  })

  test('[B20, A21] soft-deleting a deleted record fails, and purging removes it', async ({
    assert,
  }) => {
    const ids = [await insertNote({ title: 'a' }), await insertNote({ title: 'b' })]
    await notes.deleteMany(ids, { actor: ANNA })
    const marks = await db.from('crud_notes').select('is_deleted')
    assert.deepEqual(marks, [{ is_deleted: YES }, { is_deleted: YES }])

    const again = await failureOf(notes.deleteMany([ids[1]], { actor: ANNA }))
    assert.instanceOf(again, UnknownKey)
    await notes.deleteMany([ids[1]], { actor: ANNA, hard: true })
    assert.lengthOf(await db.from('crud_notes'), 1)
  })

  test('[B16] restoreMany resets the deletion flag and timestamp', async ({ assert }) => {
    const values = { place: 'a', turn: TURN, guest: 'jo' }
    for (const room of [1, 2]) {
      await db.table('crud_bookings').insert({ room_number: room, ...values })
    }
    const keys = [1, 2].map((room) => [room, 'a', TURN])
    await bookings.deleteMany(keys)
    const gone = await db.from('crud_bookings').where('is_deleted', true).whereNotNull('deleted_at')
    assert.lengthOf(gone, 2)

    Booking.hooks = []
    await bookings.restoreMany([keys[1]])
    const [first, second] = await db.from('crud_bookings').orderBy('room_number')
    assert.equal(first.is_deleted, 1)
    assert.deepInclude(second, { is_deleted: NO, deleted_at: null })
    assert.isNotNull(second.updated_at)
    assert.deepEqual(Booking.hooks, ['before:update', 'before:save', 'after:update', 'after:save'])
  })

  test('[B16] restoreMany fails if one of the records is not deleted, and restores none', async ({
    assert,
  }) => {
    const ids = [await insertNote({ is_deleted: true }), await insertNote({})]
    const failure = await failureOf(notes.restoreMany(ids, { actor: ANNA }))
    assert.instanceOf(failure, UnknownKey)
    assert.deepEqual(failure.key, [ids[1]])
    assert.lengthOf(await db.from('crud_notes').where('is_deleted', true), 1)
  })

  test('[P14] the policy is called for each record, and refusing one record stops the deletion of all', async ({
    assert,
  }) => {
    const cases = [
      ['deleteMany', 'delete', {}],
      ['deleteMany', 'db_delete', { hard: true }],
      ['restoreMany', 'delete', {}],
      ['findMany', 'read', {}],
    ] as const
    for (const [method, action, options] of cases) {
      await db.from('crud_notes').delete()
      const isDeleted = method === 'restoreMany'
      const ids = []
      for (const title of ['a', `no ${action}`, 'c']) {
        ids.push(await insertNote({ title, is_deleted: isDeleted }))
      }
      const before = await db.from('crud_notes')
      Note.asked = []
      const failure = await failureOf(notes[method](ids, { ...options, actor: ANNA }))
      assert.instanceOf(failure, Problem)
      assert.equal(failure.status, 403)
      assert.deepEqual(
        Note.asked.map((question) => [question.action, question.title]),
        [
          [action, 'a'],
          [action, `no ${action}`],
        ]
      )
      assert.deepEqual(await db.from('crud_notes'), before, method)
    }
  })

  test('[U2] the scopes of grants are checked on the given records only', async ({ assert }) => {
    const [id] = [await insertNote({ title: 'a' }), await insertNote({ title: 'b' })]
    const resource = new Resource({ model: Note })
    await resource.load()
    const by = { actor: ANNA }
    const found = await reachedOf(resource, [[id]], [null, []], db.connection(), by)
    assert.deepEqual([...found], [[identityOf([id]), [true, false]]])
  })

  test('[P14] records that the scope hides are not found', async ({ assert }) => {
    const id = await insertNote({ owner: 'bert' })
    for (const method of ['findMany', 'deleteMany'] as const) {
      assert.instanceOf(await failureOf(notes[method]([id], { actor: ANNA })), UnknownKey)
    }
    assert.lengthOf(await db.from('crud_notes').where('is_deleted', false), 1)
  })

  test('[A9] composite keys select only their rows', async ({ assert }) => {
    for (const [hall, place] of [
      [1, 'a'],
      [1, 'b'],
      [2, 'a'],
      [2, 'b'],
    ] as const) {
      await db.table('seats').insert({ hall, place, label: `${hall}${place}` })
    }
    const found = (await seats.findMany([
      [2, 'a'],
      [1, 'b'],
      ['2', 'a'],
    ])) as Seat[]
    assert.deepEqual(
      found.map(({ label }) => label),
      ['2a', '1b']
    )
    await seats.deleteMany([
      [1, 'a'],
      [2, 'b'],
    ])
    const left = await db.from('seats').orderBy('hall')
    assert.deepEqual(
      left.map(({ label }) => label),
      ['1b', '2a']
    )
    const failure = await failureOf(
      seats.deleteMany([
        [1, 'b'],
        [1, 'a'],
      ])
    )
    assert.equal(failure.message, 'Item with id 1, a not found')
  })

  test('[A9] a thousand keys, also composite ones, can be passed in one call', async ({
    assert,
  }) => {
    const numbers = Array.from({ length: 1000 }, (_, index) => index)
    for (let start = 0; start < 1000; start += 200) {
      const some = numbers.slice(start, start + 200)
      await db
        .table('seats')
        .multiInsert(some.map((number) => ({ hall: number % 10, place: `p${number}`, label: 'x' })))
      await db.table('crud_counters').multiInsert(some.map((number) => ({ name: `n${number}` })))
    }
    const keys = numbers.map((number) => [number % 10, `p${number}`])
    const reversed = keys.toReversed()
    const found = (await seats.findMany(reversed)) as Seat[]
    assert.deepEqual(
      found.map(({ hall, place }) => [hall, place]),
      reversed
    )
    await seats.deleteMany(keys)
    assert.lengthOf(await db.from('seats'), 0)

    const rows = await db.from('crud_counters').select('id')
    await counters.deleteMany(rows.map(({ id }) => id))
    assert.lengthOf(await db.from('crud_counters'), 0)
  }).timeout(30_000)

  test('[A9] upper and lower case do not matter in a UUID', async ({ assert }) => {
    const tickets = new LucidCrud(Ticket)
    await db.from('tickets').delete()
    await db.table('tickets').insert({ id: TURN, title: 'x' })
    const found = await tickets.findMany([TURN])
    assert.lengthOf(found, 1)
  })

  test('[P8] bulk operations are part of the caller’s transaction', async ({ assert }) => {
    const ids = await insertCounters('one', 'two')
    const noteId = await insertNote({ is_deleted: true })
    await failureOf(
      db.transaction(async (client) => {
        await counters.deleteMany(ids, { client })
        await notes.restoreMany([noteId], { client, actor: ANNA })
        assert.lengthOf(await client.from('crud_counters'), 0)
        assert.lengthOf(await client.from('crud_notes').where('is_deleted', false), 1)
        throw new Undone()
      })
    )
    assert.deepEqual(await namesLeft(), ['one', 'two'])
    assert.lengthOf(await db.from('crud_notes').where('is_deleted', true), 1)
  })
})

test.group('LucidCrud | keys of items', (group) => {
  group.tap((one) => one.tags(['@database']))
  group.each.setup(async () => {
    for (const table of ['seats', 'crud_counters', 'crud_shifts', 'countries', 'crud_vouchers']) {
      await db.from(table).delete()
    }
  })

  const keysOf = async (crud: LucidCrud<any>) => {
    const { data } = await crud.getMulti({}, { keys: true })
    return data.map((item) => keyOf(item))
  }

  test('[A9] a list returns the keys of its items on request', async ({ assert }) => {
    const counters = new LucidCrud(Counter)
    const [one, two] = await insertCounters('one', 'two')
    assert.deepEqual(await keysOf(counters), [[one], [two]])
    const { data } = await counters.getMulti()
    assert.isUndefined(keyOf(data[0]))
  })

  test('[A9] keys of every type are returned: composite, text and dates', async ({ assert }) => {
    await db.table('seats').insert({ hall: 1, place: 'a/b', label: 'x' })
    await db.table('countries').insert({ code: 'DE', name: 'Germany' })
    await db.table('crud_shifts').insert({ worker: 'jo', day: '2026-02-01', task: 'x' })
    assert.deepEqual(await keysOf(new LucidCrud(Seat)), [[1, 'a/b']])
    assert.deepEqual(await keysOf(new LucidCrud(Country)), [['DE']])
    assert.deepEqual(await keysOf(new LucidCrud(Shift)), [['jo', '2026-02-01']])
  })

  test('[A2, A9] the key of an item is returned even if selectSchema excludes its columns', async ({
    assert,
  }) => {
    const { default: vine } = await import('@vinejs/vine')
    const selectSchema = vine.object({ label: vine.string() })
    const seats = new LucidCrud(Seat).bind(new Resource({ model: Seat, selectSchema }))
    await db.table('seats').insert({ hall: 1, place: 'a', label: 'x' })
    const { data } = await seats.getMulti({}, { keys: true })
    assert.deepEqual(data, [{ label: 'x' }])
    assert.deepEqual(keyOf(data[0]), [1, 'a'])
  })

  test('[A1] the item that create returns has its generated key', async ({ assert }) => {
    const counter = await new LucidCrud(Counter).create({ name: 'one' })
    assert.deepEqual(keyOf(counter), [counter.id])
    const voucher = await new LucidCrud(Voucher).create({ worth: 5 })
    const [{ code }] = await db.from('crud_vouchers')
    assert.deepEqual(keyOf(voucher), [code])
  })

  test('[A9] a key is attached to an item without becoming one of its properties', ({ assert }) => {
    const item = { a: 1 }
    assert.strictEqual(noteKey(item, [7]), item)
    assert.deepEqual(keyOf(item), [7])
    assert.deepEqual(item, { a: 1 })
    assert.isUndefined(keyOf({ a: 1 }))
  })
})
