import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import fc from 'fast-check'
import { ANY_CHARACTER } from '#tests/helpers/any_character'
import { Booking } from '#tests/fixtures/crud'
import { Seat } from '#tests/fixtures/keys'
import { del, get, patch, post, type HttpResponse } from '#tests/helpers/http'
import { runs } from '#tests/helpers/random_runs'

const UUID = '0b7f3a52-97a4-4c5e-8c5d-0d8ad1f8a3b1'
const OTHER_UUID = '1b7f3a52-97a4-4c5e-8c5d-0d8ad1f8a3b1'

/**
 * Requests of every operation on one item, at this path.
 *
 * @param base  path of the endpoints; db_delete adds its segment before the id
 */
function callsAt(base: string, id: string): Array<() => Promise<HttpResponse>> {
  return [
    () => get(`${base}/${id}`),
    () => patch(`${base}/${id}`, {}),
    () => del(`${base}/${id}`),
    () => del(`${base}/db_delete/${id}`),
  ]
}

test.group('Integer keys', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.each.setup(async () => void (await db.from('samples').delete()))

  const impossible = {
    'abc': 'abc',
    '1.5': '1.5',
    '1e3': '1e3',
    '0x1': '0x1',
    '123456789012345678901234567890': '123456789012345678901234567890',
    '9223372036854775808': '9223372036854775808',
    '%201': ' 1',
    '1%20': '1 ',
    '+1': '+1',
    '01': '01',
    '-0': '-0',
    '1,2': '1,2',
    '1%00': '1\0',
    '%D9%A1': '١',
    'null': 'null',
    'NaN': 'NaN',
  }
  for (const [path, value] of Object.entries(impossible)) {
    test(`[A9] ${path} can't be an integer key, and is a 422 that contains it`, async ({
      assert,
    }) => {
      await db.table('samples').insert({ id: 1, name: 'one', created_at: '2024-01-01 00:00:00' })
      for (const request of callsAt('/api/samples', path)) {
        const response = await request()
        assert.equal(response.status, 422)
        assert.include(response.body.detail, value)
      }
      assert.lengthOf(await db.from('samples'), 1)
    })
  }

  for (const path of ['0', '-1', '4711', '9223372036854775807', '-9223372036854775808']) {
    test(`[A9] ${path} is a valid key, and is a 404 if no item has it`, async ({ assert }) => {
      for (const request of callsAt('/api/samples', path)) {
        const response = await request()
        assert.equal(response.status, 404)
        assert.equal(response.body.detail, 'Item not found')
      }
    })
  }

  test('[A9] negative keys and those beyond 2^53 are valid', async ({ assert }) => {
    const big = '9007199254740993'
    for (const id of ['-5', big]) {
      await db.rawQuery(
        `insert into samples (id, name, created_at) values (${id}, 'x', '2024-01-01 00:00:00')`
      )
    }
    const found = await get('/api/samples/-5')
    assert.equal(found.body.id, -5)
    const neighbour = await get('/api/samples/9007199254740992')
    assert.equal(neighbour.status, 404)
    const changed = await patch(`/api/samples/${big}`, { name: 'y' })
    assert.equal(changed.status, 200)
    const row = await db.from('samples').where('id', big).select('name').firstOrFail()
    assert.equal(row.name, 'y')
  })
})

test.group('Text keys', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.each.setup(async () => void (await db.from('countries').delete()))

  const codes = [
    'DE',
    'a/b',
    'a?b=c',
    '50%',
    '%2F',
    'a b',
    'a+b',
    '#1',
    'a&b',
    'db_delete',
    'ä/ß',
    '日本',
    '🇩🇪',
    "o'neil",
    '"x"',
    'a;b',
    'a\\b',
    '0',
    'null',
    '%',
  ]
  for (const code of codes) {
    test(`[A9] the key ${code} can be created, read, updated and deleted`, async ({ assert }) => {
      const created = await post('/api/countries', { code, name: 'one' })
      assert.equal(created.status, 201)
      assert.deepEqual(created.body, { code, name: 'one' })
      const path = `/api/countries/${encodeURIComponent(code)}`
      assert.equal(created.headers.get('location'), path)

      const read = await get(path)
      assert.deepEqual(read.body, { code, name: 'one' })
      const changed = await patch(path, { name: 'two' })
      assert.equal(changed.status, 200)
      const rows = await db.from('countries')
      assert.deepEqual(rows, [{ code, name: 'two' }])
      const deleted = await del(path)
      assert.equal(deleted.status, 200)
      assert.isEmpty(await db.from('countries'))
    })
  }

  test('[A9] any text that can be stored is a valid key', async ({ assert }) => {
    const texts = fc
      .string({ unit: ANY_CHARACTER, minLength: 1, maxLength: 20 })
      /* Clients resolve a path segment of dots. */
      .filter((text) => !text.includes('\0') && !/^\.{1,2}$/.test(text))
    await fc.assert(
      fc.asyncProperty(texts, async (code) => {
        await db.from('countries').delete()
        const created = await post('/api/countries', { code, name: 'one' })
        assert.equal(created.status, 201)
        const read = await get(created.headers.get('location')!)
        assert.deepEqual(read.body, { code, name: 'one' })
        const deleted = await del(`/api/countries/db_delete/${encodeURIComponent(code)}`)
        assert.equal(deleted.status, 200)
      }),
      { numRuns: runs(60) }
    )
  }).timeout(30_000)

  test('[A9] keys that differ in case, space or accent only are different items', async ({
    assert,
  }) => {
    for (const code of ['a', 'A', ' a', 'a ', 'á', '1', '1.0', '01']) {
      await db.table('countries').insert({ code, name: `is ${code}` })
    }
    for (const code of ['a', 'A', ' a', 'a ', 'á', '1', '1.0', '01']) {
      const response = await get(`/api/countries/${encodeURIComponent(code)}`)
      assert.equal(response.body.name, `is ${code}`)
    }
    const missing = await get('/api/countries/B')
    assert.equal(missing.status, 404)
    await patch('/api/countries/a', { name: 'changed' })
    const changed = await db.from('countries').where('name', 'changed')
    assert.deepEqual(changed, [{ code: 'a', name: 'changed' }])
  })

  test('[A9] a key with a NUL byte is refused', async ({ assert }) => {
    const response = await get('/api/countries/a%00b')
    assert.equal(response.status, 422)
  })

  test('[A9] a text key must be part of the body', async ({ assert }) => {
    const response = await post('/api/countries', { name: 'nowhere' })
    assert.equal(response.status, 422)
    assert.deepEqual(
      response.body.errors.map((error: any) => error.field),
      ['code']
    )
  })

  test('[A7, A9] an update never changes a key', async ({ assert }) => {
    await db.table('countries').insert({ code: 'DE', name: 'Germany' })
    const response = await patch('/api/countries/DE', { code: 'FR', name: 'changed' })
    assert.equal(response.status, 200)
    assert.deepEqual(await db.from('countries'), [{ code: 'DE', name: 'changed' }])
  })

  test('[A9] the database can generate the key', async ({ assert }) => {
    await db.from('crud_vouchers').delete()
    const created = await post('/api/crud-vouchers', { worth: 5 })
    assert.equal(created.status, 201)
    assert.match(created.body.code, /^[0-9a-f]{32}$/)
    assert.equal(created.headers.get('location'), `/api/crud-vouchers/${created.body.code}`)
    const read = await get(created.headers.get('location')!)
    assert.deepEqual(read.body, created.body)
  })
})

test.group('UUID keys', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.each.setup(async () => void (await db.from('tickets').delete()))

  test('[A9] the model generates the UUID, and the item can be read, updated and deleted by it', async ({
    assert,
  }) => {
    const created = await post('/api/tickets', { title: 'one' })
    assert.equal(created.status, 201)
    const { id } = created.body
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/)
    assert.equal(created.headers.get('location'), `/api/tickets/${id}`)

    const upper = await get(`/api/tickets/${id.toUpperCase()}`)
    assert.deepEqual(upper.body, { id, title: 'one' })
    await patch(`/api/tickets/${id}`, { title: 'two' })
    assert.deepEqual(await db.from('tickets'), [{ id, title: 'two' }])
    await del(`/api/tickets/${id}`)
    assert.isEmpty(await db.from('tickets'))
  })

  for (const id of [
    'abc',
    '1',
    UUID.slice(0, -1),
    `${UUID}0`,
    UUID.replaceAll('-', ''),
    `{${UUID}}`,
    UUID.replace('0b', 'gg'),
  ]) {
    test(`[A9] ${id} is not a UUID, and is a 422 that contains it`, async ({ assert }) => {
      for (const request of callsAt('/api/tickets', encodeURIComponent(id))) {
        const response = await request()
        assert.equal(response.status, 422)
        assert.include(response.body.detail, id)
      }
    })
  }

  test('[A9] a UUID that no item has is a 404', async ({ assert }) => {
    for (const request of callsAt('/api/tickets', UUID)) {
      const response = await request()
      assert.equal(response.status, 404)
    }
  })
})

test.group('Composite keys', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  const seats = [
    { hall: 1, place: 'a', label: '1a' },
    { hall: 1, place: 'b', label: '1b' },
    { hall: 2, place: 'a', label: '2a' },
    { hall: 2, place: 'b', label: '2b' },
  ]
  const others = seats.slice(1)
  const rows = () => db.from('seats').orderBy('hall').orderBy('place')

  group.each.setup(async () => {
    await db.from('seats').delete()
    await db.table('seats').multiInsert(seats)
    Seat.hooks = []
  })

  test('[A9] every column marked isPrimary is in the path, in declaration order', async ({
    assert,
  }) => {
    const response = await get('/api/seats/2/a')
    assert.equal(response.status, 200)
    assert.deepEqual(response.body, seats[2])
    const turned = await get('/api/seats/a/2')
    assert.equal(turned.status, 422)
  })

  test('[A9] an update changes one row and no neighbouring rows', async ({ assert }) => {
    const response = await patch('/api/seats/1/a', { label: 'changed' })
    assert.equal(response.status, 200)
    assert.deepEqual(await rows(), [{ ...seats[0], label: 'changed' }, ...others])
    assert.deepEqual(Seat.hooks, ['before:update', 'after:update'])
  })

  for (const path of ['/api/seats/1/a', '/api/seats/db_delete/1/a']) {
    test(`[A9] DELETE ${path} removes one row and leaves its neighbours`, async ({ assert }) => {
      const response = await del(path)
      assert.equal(response.status, 200)
      assert.deepEqual(await rows(), others)
      assert.deepEqual(Seat.hooks, ['before:delete', 'after:delete'])
    })
  }

  test('[A7, A9] an update changes no part of a composite key', async ({ assert }) => {
    const response = await patch('/api/seats/1/a', { hall: 9, place: 'z', label: 'changed' })
    assert.equal(response.status, 200)
    assert.deepEqual(await rows(), [{ ...seats[0], label: 'changed' }, ...others])
  })

  test('[A9] a create accepts all key parts and returns the location of the item', async ({
    assert,
  }) => {
    const seat = { hall: 3, place: 'a/ä', label: 'new' }
    const created = await post('/api/seats', seat)
    assert.equal(created.status, 201)
    assert.deepEqual(created.body, seat)
    assert.equal(created.headers.get('location'), '/api/seats/3/a%2F%C3%A4')
    const read = await get('/api/seats/3/a%2F%C3%A4')
    assert.deepEqual(read.body, seat)
    assert.lengthOf(await rows(), 5)
  })

  test('[A9] a create without one of the columns of the key is refused', async ({ assert }) => {
    const response = await post('/api/seats', { hall: 3, label: 'new' })
    assert.equal(response.status, 422)
    assert.deepEqual(
      response.body.errors.map((error: any) => error.field),
      ['place']
    )
  })

  test('[A8, A9] an existing composite key is a 409, and sharing one part is allowed', async ({
    assert,
  }) => {
    const taken = await post('/api/seats', seats[0])
    assert.equal(taken.status, 409)
    assert.deepEqual(
      taken.body.errors.map((error: any) => error.field),
      ['hall', 'place']
    )
    const free = await post('/api/seats', { hall: 1, place: 'c', label: 'new' })
    assert.equal(free.status, 201)
  })

  test('[A9] each part of a composite key is validated by its type', async ({ assert }) => {
    for (const request of callsAt('/api/seats', 'x/a')) {
      const response = await request()
      assert.equal(response.status, 422)
      assert.include(response.body.detail, '"x"')
    }
    for (const request of callsAt('/api/seats', '9/a')) {
      const response = await request()
      assert.equal(response.status, 404)
    }
    assert.deepEqual(await rows(), seats)
  })

  test('[A9, A21] a soft delete marks one row of many and runs the hooks of an update', async ({
    assert,
  }) => {
    await db.from('crud_bookings').delete()
    const keys = [
      [1, 'a', UUID],
      [1, 'a', OTHER_UUID],
      [1, 'b', UUID],
      [2, 'a', UUID],
    ]
    for (const [room, place, turn] of keys) {
      await db
        .table('crud_bookings')
        .insert({ room_number: room, place, turn, guest: `${room} ${place} ${turn}` })
    }
    Booking.hooks = []
    const path = `/api/crud-bookings/1/a/${UUID}`
    const deleted = await del(path)
    assert.equal(deleted.status, 200)
    const marked = await db.from('crud_bookings').where('is_deleted', true)
    assert.deepEqual(
      marked.map((row) => row.guest),
      [`1 a ${UUID}`]
    )
    assert.isNotNull(marked[0].deleted_at)
    assert.deepEqual(Booking.hooks, ['before:update', 'before:save', 'after:update', 'after:save'])

    const again = await del(path)
    assert.equal(again.status, 404)
    const purged = await del(`/api/crud-bookings/db_delete/1/a/${UUID}`)
    assert.equal(purged.status, 200)
    assert.lengthOf(await db.from('crud_bookings'), 3)
    const wrong = await get('/api/crud-bookings/1/a/nonsense')
    assert.equal(wrong.status, 422)
    assert.include(wrong.body.detail, 'nonsense')
  })
})

test.group('Composite keys that contain a date', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  const shift = { worker: 'anna', day: '2024-02-29', task: 'bake' }
  group.each.setup(async () => void (await db.from('crud_shifts').delete()))

  test('[A9] a date in the path has the format of the API', async ({ assert }) => {
    const other = { ...shift, day: '2024-03-01' }
    await db.table('crud_shifts').insert(other)
    const created = await post('/api/crud-shifts', shift)
    assert.equal(created.status, 201)
    assert.deepEqual(created.body, shift)
    const path = '/api/crud-shifts/anna/2024-02-29'
    assert.equal(created.headers.get('location'), path)

    const read = await get(path)
    assert.deepEqual(read.body, shift)
    const changed = await patch(path, { task: 'sweep' })
    assert.equal(changed.status, 200)
    const rows = await db.from('crud_shifts').orderBy('day')
    assert.deepEqual(rows, [{ ...shift, task: 'sweep' }, other])
    const deleted = await del(path)
    assert.equal(deleted.status, 200)
    assert.deepEqual(await db.from('crud_shifts'), [other])
  })

  test('[A9] an invalid date in the path is a 422', async ({ assert }) => {
    const response = await get('/api/crud-shifts/anna/2024-02-30')
    assert.equal(response.status, 422)
    assert.include(response.body.detail, '2024-02-30')
  })
})

test.group('Order of items with equal values', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.each.setup(async () => {
    await db.from('seats').delete()
  })

  /* Stored in an order that differs from that of the key and of any other column. */
  const seats = Array.from({ length: 53 }, (_, index) => {
    const number = (index * 31) % 53
    return {
      hall: number % 4,
      place: String.fromCodePoint(65 + number),
      label: number % 3 === 0 ? 'same' : 'other',
    }
  })
  type Seats = (typeof seats)[number]
  const byHall = (a: Seats, b: Seats) => a.hall - b.hall
  const byPlace = (a: Seats, b: Seats) => a.place.codePointAt(0)! - b.place.codePointAt(0)!
  const byLabel = (a: Seats, b: Seats) => Number(a.label > b.label) - Number(a.label < b.label)
  const orders: Record<string, (a: Seats, b: Seats) => number> = {
    'label': (a, b) => byLabel(a, b) || byHall(a, b) || byPlace(a, b),
    '-label': (a, b) => byLabel(b, a) || byHall(a, b) || byPlace(a, b),
    '-hall': (a, b) => byHall(b, a) || byPlace(a, b),
    'label,-hall': (a, b) => byLabel(a, b) || byHall(b, a) || byPlace(a, b),
    'label,-place': (a, b) => byLabel(a, b) || byPlace(b, a),
  }
  for (const [sort, order] of Object.entries(orders)) {
    test(`[A14] a list sorted by ${sort} is also sorted by key, so that pages skip and repeat nothing`, async ({
      assert,
    }) => {
      await db.table('seats').multiInsert(seats)
      const seen: Seats[] = []
      for (let page = 1; page <= 6; page++) {
        const response = await get(`/api/seats?page=${page}&itemsPerPage=10&sort=${sort}`)
        seen.push(...response.body.data)
      }
      assert.deepEqual(seen, seats.toSorted(order))
    })
  }
})
