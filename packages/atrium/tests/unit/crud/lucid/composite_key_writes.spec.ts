import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { deleteByKey, updateByKey } from '#crud/lucid/record_writes'
import { Resource } from '#crud/resource/resource'
import { Booking, Twin } from '#tests/fixtures/crud'

const TURN = '0b7f3a52-97a4-4c5e-8c5d-0d8ad1f8a3b1'

async function bookingOf(room: number, place: string, client = db.connection()) {
  return await Booking.query({ client })
    .where({ roomNumber: room, place, turn: TURN })
    .firstOrFail()
}

const guests = async () => {
  const rows = await db.from('crud_bookings').orderBy('room_number').orderBy('place')
  return rows.map((row) => row.guest)
}

test.group('Writes by a composite key', (group) => {
  const bookings = new Resource({ model: Booking })
  const twins = new Resource({ model: Twin })
  group.setup(async () => {
    await bookings.load()
    await twins.load()
  })

  group.each.setup(async () => {
    await db.from('crud_twins').delete()
    await db.from('crud_bookings').delete()
    for (const [room, place] of [
      [1, 'a'],
      [1, 'b'],
      [2, 'a'],
    ]) {
      await db
        .table('crud_bookings')
        .insert({ room_number: room, place, turn: TURN, guest: `${room}${place}` })
    }
    Booking.hooks = []
  })

  test('[A9] an update by a composite key changes one row only', async ({ assert }) => {
    await db.transaction(async (client) => {
      const booking = await bookingOf(1, 'a', client)
      booking.guest = 'anna'
      await updateByKey(booking, bookings, client)
      assert.isFalse(booking.$isDirty)
    })
    assert.deepEqual(await guests(), ['anna', '1b', '2a'])
  })

  test("[A9] an update runs the model's hooks in Lucid's order", async ({ assert }) => {
    await db.transaction(async (client) => {
      const booking = await bookingOf(1, 'a', client)
      booking.guest = 'by hook'
      await updateByKey(booking, bookings, client)
    })
    assert.deepEqual(Booking.hooks, ['before:update', 'before:save', 'after:update', 'after:save'])
    assert.deepEqual(await guests(), ['changed by hook', '1b', '2a'])
  })

  test('[A9] an update without changes writes nothing, as with save()', async ({ assert }) => {
    await db.transaction(async (client) => {
      await updateByKey(await bookingOf(1, 'a', client), bookings, client)
    })
    assert.deepEqual(Booking.hooks, ['before:update', 'before:save'])
  })

  test('[A9] a forced update without changes runs its hooks, as with save()', async ({
    assert,
  }) => {
    await db.transaction(async (client) => {
      const booking = await bookingOf(1, 'a', client)
      booking.enableForceUpdate()
      await updateByKey(booking, bookings, client)
    })
    assert.deepEqual(Booking.hooks, ['before:update', 'before:save', 'after:update', 'after:save'])
  })

  test("[A9] an update sets Lucid's timestamps", async ({ assert }) => {
    await db.table('crud_twins').insert({ left: 1, right: 1, label: 'one' })
    await db.transaction(async (client) => {
      const twin = await Twin.query({ client }).firstOrFail()
      twin.label = 'changed'
      await updateByKey(twin, twins, client)
    })
    const [row] = await db.from('crud_twins')
    assert.match(row.updated_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  })

  test('[A9] a record is updated and deleted by its stored key, even if its key attributes have changed', async ({
    assert,
  }) => {
    await db.transaction(async (client) => {
      const booking = await bookingOf(1, 'a', client)
      booking.place = 'c'
      await updateByKey(booking, bookings, client)
      booking.place = 'd'
      await deleteByKey(booking, bookings, client).then(() => assert.isTrue(booking.$isDeleted))
    })
    assert.deepEqual(await guests(), ['1b', '2a'])
  })

  test('[A9] a delete removes only one row and runs the hooks', async ({ assert }) => {
    await db.transaction(async (client) => {
      const booking = await bookingOf(1, 'a', client)
      await deleteByKey(booking, bookings, client)
      assert.isTrue(booking.$isDeleted)
    })
    assert.deepEqual(await guests(), ['1b', '2a'])
    assert.deepEqual(Booking.hooks, ['before:delete', 'after:delete'])
  })

  test('[A9] a statement that does not affect exactly one row is rolled back', async ({
    assert,
  }) => {
    await db.table('crud_twins').multiInsert([
      { left: 1, right: 1, label: 'one' },
      { left: 1, right: 1, label: 'two' },
    ])
    const before = await db.from('crud_twins')
    const writes = [
      db.transaction(async (client) => {
        const twin = await Twin.query({ client }).firstOrFail()
        twin.label = 'changed'
        await updateByKey(twin, twins, client)
      }),
      db.transaction(async (client) => {
        await deleteByKey(await Twin.query({ client }).firstOrFail(), twins, client)
      }),
    ]
    for (const outcome of await Promise.allSettled(writes)) {
      assert.equal(outcome.status, 'rejected')
      assert.match(String((outcome as any).reason), /one Twin affected 2 rows/)
    }
    assert.deepEqual(await db.from('crud_twins'), before)
  })

  test('[A9] a row that was deleted in the meantime is not written', async ({ assert }) => {
    const booking = await bookingOf(1, 'a')
    await db.from('crud_bookings').where('guest', '1a').delete()
    booking.guest = 'anna'
    await assert.rejects(
      () => db.transaction((client) => updateByKey(booking, bookings, client)),
      /skipped this write/
    )
    await assert.rejects(
      () => db.transaction((client) => deleteByKey(booking, bookings, client)),
      /skipped this write/
    )
  })
})
