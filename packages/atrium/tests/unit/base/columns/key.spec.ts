import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import fc from 'fast-check'
import { Problem, resources } from '#crud'
import { dialectOf } from '#base/database/dialects'
import { whereSql } from '#base/sql/sql'
import { Key } from '#base/columns/key'
import { LongDecimal } from '#base/values/json'
import { Resource } from '#crud/resource/resource'
import { ANY_CHARACTER } from '#tests/helpers/any_character'
import { Booking, Counter, Shift } from '#tests/fixtures/crud'
import { Country, Seat, Ticket } from '#tests/fixtures/keys'
import { Sample } from '#tests/fixtures/samples'

const UUID = '0b7f3a52-97a4-4c5e-8c5d-0d8ad1f8a3b1'

async function keyOf(model: LucidModel): Promise<Key> {
  const resource = new Resource({ model })
  await resource.load()
  return resource.key
}

function problemOf(read: () => unknown): Problem {
  try {
    read()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('There was no problem')
}

test.group('Key', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  test('[A9] a single key is :id in the path, whatever the name of its column', async ({
    assert,
  }) => {
    const key = await keyOf(Country)
    assert.isFalse(key.isComposite)
    assert.equal(key.pattern, '/:id')
    assert.deepEqual(key.fromParams({ id: 'DE' }), ['DE'])
    assert.deepEqual(key.of({ code: 'DE', name: 'Germany' }), ['DE'])
  })

  test('[A9] every column of a composite key is in the path, in declaration order', async ({
    assert,
  }) => {
    const key = await keyOf(Booking)
    assert.isTrue(key.isComposite)
    assert.equal(key.pattern, '/:roomNumber/:place/:turn')
    assert.deepEqual(key.fromParams({ turn: UUID, place: 'a', roomNumber: '1' }), [1, 'a', UUID])
    assert.deepEqual(key.of({ turn: UUID, roomNumber: 1, place: 'a' }), [1, 'a', UUID])
  })

  test('[A9] an invalid part of a key is a 422 that contains it', async ({ assert }) => {
    const invalid: Array<[LucidModel, Record<string, string>, string]> = [
      [Counter, { id: 'abc' }, '"abc"'],
      [Counter, { id: '1.5' }, '"1.5"'],
      [Ticket, { id: 'abc' }, '"abc"'],
      [Seat, { hall: 'x', place: 'a' }, '"x"'],
      [Booking, { roomNumber: '1', place: 'a', turn: 'x' }, '"x"'],
    ]
    for (const [model, params, value] of invalid) {
      const key = await keyOf(model)
      const problem = problemOf(() => key.fromParams(params))
      assert.equal(problem.status, 422)
      assert.include(problem.message, value)
    }
  })

  test('[A9] only plain decimal numbers of 64 bits are integer keys', async ({ assert }) => {
    const key = await keyOf(Counter)
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (id) => {
        const [value] = key.fromParams({ id: String(id) })
        assert.equal(String(value), String(id))
      })
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string().filter((text) => !/^(0|-?[1-9]\d*)$/.test(text)),
          fc.bigInt({ min: 2n ** 63n, max: 2n ** 200n }).map(String),
          fc.integer().map((number) => `${number}.0`),
          fc.integer({ min: 0 }).map((number) => `0${number}`)
        ),
        (id) => {
          const problem = problemOf(() => key.fromParams({ id }))
          assert.equal(problem.status, 422)
        }
      )
    )
  })

  test('[A9] UUID keys are parsed in upper and lower case', async ({ assert }) => {
    const key = await keyOf(Ticket)
    assert.deepEqual(key.fromParams({ id: UUID.toUpperCase() }), [UUID])
  })

  test('[P8] application code passes a key as a value, or as an array of all parts', async ({
    assert,
  }) => {
    const single = await keyOf(Counter)
    assert.deepEqual(single.fromCode(7), [7])
    assert.deepEqual(single.fromCode([7]), [7])
    const composite = await keyOf(Seat)
    assert.deepEqual(composite.fromCode([1, 'a']), [1, 'a'])
    assert.throws(
      () => composite.fromCode(1),
      TypeError as any,
      'A key of seats has 2 part(s): hall, place'
    )
    assert.throws(() => composite.fromCode([1, 'a', 'b']), TypeError as any)
  })

  test('[A9] any key is unchanged when it is written as a path and parsed again', async ({
    assert,
  }) => {
    const key = await keyOf(Seat)
    assert.equal(key.toPath([1, 'a/b ?%ä']), '/1/a%2Fb%20%3F%25%C3%A4')
    fc.assert(
      fc.property(
        fc.integer(),
        fc.string({ unit: ANY_CHARACTER }).filter((text) => !text.includes('\0')),
        (hall, place) => {
          const [, first, second] = key.toPath([hall, place]).split('/').map(decodeURIComponent)
          assert.deepEqual(key.fromParams({ hall: first, place: second }), [hall, place])
        }
      )
    )
  })

  test('[A9] the condition of a key contains every key column', async ({ assert }) => {
    const key = await keyOf(Booking)
    const dialect = dialectOf(db.connection())
    const { sql, bindings } = key.is([1, 'a', UUID], dialect)
    for (const name of ['room_number', 'place', 'turn']) assert.include(sql, dialect.quote(name))
    assert.includeMembers(bindings, [1, 'a', UUID])
  })

  test("[A9] a key read from a driver's row has the API format", async ({ assert }) => {
    const counter = await keyOf(Counter)
    assert.deepEqual(counter.ofRow({ id: 7, name: 'x' }), [7])
    assert.deepEqual(counter.ofRow({ id: '9007199254740993' }), ['9007199254740993'])
    const booking = await keyOf(Booking)
    assert.deepEqual(booking.ofRow({ turn: UUID, guest: 'x', room_number: 1, place: 'a' }), [
      1,
      'a',
      UUID,
    ])
    const shift = await keyOf(Shift)
    assert.deepEqual(shift.ofRow({ day: '2026-02-01', worker: 'jo' }), ['jo', '2026-02-01'])
    assert.deepEqual(shift.ofRow({ day: Date.UTC(2026, 1, 1), worker: 'jo' }), ['jo', '2026-02-01'])
  })

  test('[A9] the key of a row equals the key of its model instance', async ({ assert }) => {
    const key = await keyOf(Shift)
    await db.from('crud_shifts').delete()
    await db.table('crud_shifts').insert({ worker: 'jo', day: '2026-02-01', task: 'x' })
    const record = await Shift.query().firstOrFail()
    const row = await db.from('crud_shifts').firstOrFail()
    assert.deepEqual(key.of(record), key.ofRow(row))
  })

  test('[A9] the condition for several keys matches exactly their rows', async ({ assert }) => {
    const dialect = dialectOf(db.connection())
    await db.from('seats').delete()
    const places = ['a', 'b', 'c'].flatMap((place) => [1, 2, 3].map((hall) => ({ hall, place })))
    await db.table('seats').multiInsert(places.map((seat) => ({ ...seat, label: 'x' })))
    const key = await keyOf(Seat)
    const find = async (keys: unknown[][]) => {
      /* An existing condition applies to all of them. */
      const query = Seat.query().where('label', 'x').orderBy('hall').orderBy('place')
      whereSql(query as any, key.isAny(keys, dialect))
      const seats = await query
      return seats.map(({ hall, place }) => `${hall}${place}`)
    }
    assert.deepEqual(
      await find([
        [1, 'a'],
        [3, 'c'],
      ]),
      ['1a', '3c']
    )
    assert.deepEqual(
      await find([
        [1, 'b'],
        [1, 'b'],
      ]),
      ['1b']
    )
    assert.deepEqual(await find([[9, 'a']]), [])
    await db.from('seats').where('place', 'b').update({ label: 'y' })
    assert.deepEqual(
      await find([
        [1, 'a'],
        [1, 'b'],
      ]),
      ['1a']
    )
  })

  test('[A9] a key in a JSON body has the type of its column, as a number or with all its digits')
    .with<Array<[column: string, part: unknown, read: unknown]>>([
      ['big', 7, 7],
      ['big', 9007199254740993n, '9007199254740993'],
      ['big', 1.5, null],
      ['big', 2 ** 53, null],
      ['big', true, null],
      ['big', '8', 8],
      ['big', new LongDecimal('12.5'), null],
      ['ratio', 1.5, 1.5],
      ['ratio', 12n, 12],
      ['name', 12, '12'],
      ['name', 9007199254740993n, '9007199254740993'],
      ['name', 'a', 'a'],
      ['name', null, null],
      ['name', {}, null],
      ['active', true, true],
      ['active', 1, null],
      ['token', 1, null],
    ])
    .run(({ assert }, [name, part, read]) => {
      const { columns } = resources.all().find(({ model }) => model === Sample)!
      const key = new Key([columns.find(name)!], 'samples')
      const [value] = key.fromJson(part) ?? [null]
      assert.equal(value === null ? null : String(value), read === null ? null : String(read))
    })

  test('[A9] a thousand single keys fit into one statement', async ({ assert }) => {
    const key = await keyOf(Counter)
    const numbers = Array.from({ length: 1000 }, (_, index) => index + 1)
    await db.from('crud_counters').delete()
    await db.table('crud_counters').insert({ id: 500, name: 'here' })
    const query = Counter.query()
    const keys = numbers.map((number) => [number])
    whereSql(query as any, key.isAny(keys, dialectOf(db.connection())))
    const found = await query
    assert.deepEqual(
      found.map(({ name }) => name),
      ['here']
    )
  })
})
