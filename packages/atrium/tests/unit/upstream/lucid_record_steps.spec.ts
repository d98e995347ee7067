import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { takeChanges } from '#upstream/lucid_record_steps'
import { Booking } from '#tests/fixtures/crud'

const TURN = '0b7f3a52-97a4-4c5e-8c5d-0d8ad1f8a3b1'

test.group('Patched steps of save()', (group) => {
  group.each.setup(async () => {
    await db.from('crud_bookings').delete()
    for (const place of ['a', 'b']) {
      await db
        .table('crud_bookings')
        .insert({ room_number: 1, place, turn: TURN, guest: `1${place}` })
    }
    return async () => void (await db.from('crud_bookings').delete())
  })

  const first = () => Booking.query().where('place', 'a').firstOrFail()

  test('Lucid still writes one key column’s value to all rows', async ({ assert }) => {
    const booking = await first()
    booking.guest = 'anna'
    await booking.save()
    const rows = await db.from('crud_bookings').select('guest')
    assert.deepEqual(rows, [{ guest: 'anna' }, { guest: 'anna' }])
  })

  test('the changes of a record are returned by column name, and a forced update counts as changes only once', async ({
    assert,
  }) => {
    const booking = await first()
    assert.isNull(takeChanges(booking))
    booking.guest = 'anna'
    assert.equal(takeChanges(booking)?.guest, 'anna')
    booking.$hydrateOriginals()
    assert.isNull(takeChanges(booking))
    booking.enableForceUpdate()
    assert.isNotNull(takeChanges(booking))
    assert.isNull(takeChanges(booking))
  })
})
