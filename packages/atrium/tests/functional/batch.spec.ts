import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import emitter from '@adonisjs/core/services/emitter'
import db from '@adonisjs/lucid/services/db'
import { ModelCreated, ModelDeleted, ModelUpdated, useTokenAuthorizer } from '#crud'
import { called } from '#tests/fixtures/batches'
import { bearerIsUser } from '#tests/fixtures/crud'
import { insertRow, onMysql } from '#tests/helpers/databases'
import { call, get, post, type HttpResponse } from '#tests/helpers/http'

const CRATES = '/api/batch-crates/batch'
const SLOTS = '/api/batch-slots/batch'
const PARCELS = '/api/batch-parcels/batch'

const crates = () => db.from('batch_crates').orderBy('id')
async function labels(): Promise<string[]> {
  const rows = await crates()
  return rows.map(({ label }) => label)
}

async function clear() {
  called.length = 0
  for (const table of ['batch_straps', 'batch_crates', 'batch_shelves', 'batch_slots']) {
    await db.from(table).delete()
  }
  await db.from('batch_parcels').delete()
  await db.from('idempotency_keys').delete()
}

async function insertCrate(label: string, row: Record<string, unknown> = {}): Promise<number> {
  return await insertRow('batch_crates', { label, updated_at: '2020-01-01 00:00:00', ...row })
}

const errorsOf = ({ body }: HttpResponse) =>
  body.errors.map(({ operation, index, field, rule }: any) =>
    [operation, index, field, rule].join(' ')
  )

test.group('Batch', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.each.setup(clear)

  test('[D4] a batch creates, updates and deletes in this order, and returns items in request order', async ({
    assert,
  }) => {
    const [a, b] = [await insertCrate('a'), await insertCrate('b')]
    const response = await post(CRATES, {
      delete: [String(b), a],
      update: [
        { id: b, weight: 2 },
        { id: String(a), label: 'by hook' },
        { id: a, weight: 5 },
      ],
      create: [{ label: 'c', weight: 1, content: { deep: [1] } }, { label: 'd' }],
    })
    assert.equal(response.status, 200)
    const { created, updated, deleted } = response.body
    assert.deepEqual(Object.keys(response.body), ['created', 'updated', 'deleted'])
    assert.deepEqual(
      created.map(({ label, weight, content }: any) => [label, weight, content]),
      [
        ['c', 1, { deep: [1] }],
        ['d', null, null],
      ]
    )
    assert.notProperty(created[0], 'secret')
    assert.deepEqual(
      updated.map(({ id, label, weight }: any) => [id, label, weight]),
      [
        [b, 'b', 2],
        [a, 'changed by hook', null],
        [a, 'changed by hook', 5],
      ]
    )
    assert.deepEqual(deleted, [b, a])
    assert.isNull(response.headers.get('etag'))
    const read = await get(`/api/batch-crates/${created[0].id}`)
    assert.deepEqual(read.body, created[0])
    const { body: list } = await get('/api/batch-crates')
    assert.sameMembers(
      list.data.map(({ label }: any) => label),
      ['c', 'd']
    )
    /* Soft deletion, as DELETE does */
    assert.lengthOf(await crates(), 4)
  })

  test('[D4] all validation errors are returned by position, and nothing is written', async ({
    assert,
  }) => {
    const id = await insertCrate('a')
    const response = await post(CRATES, {
      create: [{ label: 'new' }, {}, 'x', { label: 5, weight: -1 }, null],
      update: [
        { id, weight: 'heavy' },
        { weight: 1 },
        { id: 1.5, weight: 'x' },
        [],
        { id, weight: 9 },
      ],
      delete: [id, true, { id }, null, id],
    })
    assert.equal(response.status, 422)
    assert.equal(response.headers.get('content-type'), 'application/problem+json; charset=utf-8')
    assert.sameMembers(errorsOf(response), [
      'create 1 label required',
      'create 2  object',
      'create 3 label string',
      'create 3 weight min',
      'create 4  object',
      'update 0 weight integer',
      'update 1 id required',
      'update 2 id key',
      'update 2 weight integer',
      'update 3  object',
      'delete 1 id key',
      'delete 2 id key',
      'delete 3 id key',
      'delete 4 id distinct',
    ])
    assert.isTrue(response.body.errors.every(({ message }: any) => typeof message === 'string'))
    assert.deepEqual(await labels(), ['a'])
    const [row] = await crates()
    assert.isNull(row.weight)
    assert.isEmpty(called)
  })

  test('[D4, A8] database errors of a batch are a 409 with the positions, and nothing is written', async ({
    assert,
  }) => {
    const id = await insertCrate('taken')
    const response = await post(CRATES, {
      create: [
        { label: 'new' },
        { label: 'taken' },
        { label: 'new' },
        { label: 'x', shelf_code: 'nowhere' },
      ],
      update: [{ id, label: 'changed' }],
      delete: [404, id],
    })
    assert.equal(response.status, 409)
    assert.include(response.body.detail, 'Value taken is already registered')
    assert.deepEqual(errorsOf(response), [
      'create 1 label unique',
      'create 2 label unique',
      'create 3 shelf_code foreign_key',
      'delete 0 id exists',
    ])
    assert.deepEqual(await labels(), ['taken'])
    const { body } = await get(`/api/batch-crates/${id}`)
    assert.isFalse(body.is_deleted)
  })

  test('[D4, A5] items of a batch that do not exist are a 422 with their positions', async ({
    assert,
  }) => {
    const id = await insertCrate('a')
    const gone = await insertCrate('gone', { is_deleted: true })
    const response = await post(CRATES, {
      update: [{ id, weight: 1 }, { id: gone, weight: 1 }, { id: 99999 }],
      delete: [gone],
    })
    assert.equal(response.status, 422)
    assert.deepEqual(errorsOf(response), [
      'update 1 id exists',
      'update 2 id exists',
      'delete 0 id exists',
    ])
    assert.equal(response.body.errors[0].message, 'Item not found')
    const [row] = await crates()
    assert.isNull(row.weight)
  })

  test('[D4, A9] a composite key in a batch is an array of its parts, and later operations see earlier ones', async ({
    assert,
  }) => {
    await db.table('batch_slots').insert({ row: 'a', place: 1, guest: 'jo' })
    const response = await post(SLOTS, {
      create: [
        { row: 'b', place: 2, guest: 'x' },
        { row: 'b', place: 3 },
      ],
      update: [
        { id: ['b', 2], guest: 'y' },
        { id: ['a', '1'], guest: 'x', row: 'c' },
      ],
      delete: [
        ['a', 1],
        ['b', '3'],
      ],
    })
    assert.equal(response.status, 200)
    assert.deepEqual(response.body, {
      created: [
        { row: 'b', place: 2, guest: 'x' },
        { row: 'b', place: 3, guest: null },
      ],
      updated: [
        { row: 'b', place: 2, guest: 'y' },
        { row: 'a', place: 1, guest: 'x' },
      ],
      deleted: [
        ['a', 1],
        ['b', 3],
      ],
    })
    const slots = await db.from('batch_slots')
    assert.deepEqual(
      slots.map(({ row, place, guest }) => [row, place, guest]),
      [['b', 2, 'y']]
    )
    for (const id of ['a', ['a'], ['a', 1, 2], ['a', null], { row: 'a', place: 1 }]) {
      const refused = await post(SLOTS, { delete: [id] })
      assert.deepEqual(errorsOf(refused), ['delete 0 id key'])
    }
  })

  test('[D4] an error of a batch at its COMMIT is a 409, and nothing is written', async ({
    assert,
  }) => {
    const response = await post('/api/batch-straps/batch', { create: [{ crate_id: 404 }] })
    assert.equal(response.status, 409)
    assert.include(response.body.detail, 'refers to another one')
    assert.isEmpty(await db.from('batch_straps'))
  }).skip(onMysql, 'It checks references at once')

  test('[D4, Q7] a batch with an Idempotency-Key is written once, completely or not at all', async ({
    assert,
  }) => {
    const id = await insertCrate('a')
    const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })
    const body = { create: [{ label: 'b' }], update: [{ id, weight: 3 }], delete: [id] }
    const failed = await post(CRATES, { ...body, delete: [404] }, keyed('one'))
    assert.equal(failed.status, 422)
    const first = await post(CRATES, body, keyed('one'))
    assert.equal(first.status, 200)
    assert.isNull(first.headers.get('idempotency-replayed'))
    const again = await post(CRATES, body, keyed('one'))
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    assert.equal(again.text, first.text)
    assert.deepEqual(await labels(), ['a', 'b'])
    const other = await post(CRATES, { delete: [id] }, keyed('one'))
    assert.equal(other.status, 422)
    /* A key belongs to one path. */
    const created = await post('/api/batch-crates', { label: 'c' }, keyed('one'))
    assert.equal(created.status, 201)
  })

  test('[D4, E1] a batch runs application code and hooks for each item, and emits events after the commit', async ({
    assert,
    cleanup,
  }) => {
    const told: string[] = []
    const stops = [ModelCreated, ModelUpdated, ModelDeleted].map((event) =>
      emitter.on(event as any, async (one: any) => {
        const rows = await crates()
        told.push(`${event.name} ${one.record.label} of ${rows.length}`)
      })
    )
    cleanup(() => stops.forEach((stop) => stop()))
    const [a, stored] = [await insertCrate('a'), await insertCrate('kept')]
    const refused = await post(CRATES, {
      create: [{ label: 'b', remark: 'virtual' }],
      update: [{ id: a, weight: 1 }],
      delete: [a, stored],
    })
    assert.equal(refused.status, 418)
    assert.deepEqual(errorsOf(refused), ['delete 1  invalid'])
    assert.include(refused.body.detail, 'This crate stays')
    assert.deepEqual(called, [
      'create b',
      'prepareUpdate a',
      'prepareDelete a',
      'prepareDelete kept',
    ])
    assert.deepEqual(await labels(), ['a', 'kept'])
    assert.isEmpty(told)

    const done = await post(CRATES, {
      create: [{ label: 'b' }],
      update: [{ id: a, weight: 1 }],
      delete: [a],
    })
    assert.equal(done.status, 200)
    while (told.length < 3) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.sameMembers(told, ['ModelCreated b of 3', 'ModelUpdated a of 3', 'ModelDeleted a of 3'])
  })
})

test.group('Batch | limits', (group) => {
  group.each.setup(clear)

  test('[D4] a batch has at most 1,000 operations of all kinds together', async ({ assert }) => {
    const deletions = Array.from({ length: 998 }, (_, index) => 1_000_000 + index)
    const batch = (more: number[]) => ({
      create: [{ label: 'a' }],
      update: [{ id: 1 }],
      delete: [...deletions, ...more],
    })
    const most = await post(CRATES, batch([]))
    assert.include(most.body.errors[0].message, 'not found')
    const over = await post(CRATES, batch([5]))
    assert.equal(over.status, 422)
    assert.include(over.body.detail, '1000 operations at most, and this one has 1001')
    assert.isEmpty(called.filter((one) => one.startsWith('prepare')))
  })

  test('[D4] a batch can write 1,000 items in one request', async ({ assert }) => {
    const create = Array.from({ length: 1000 }, (_, index) => ({ label: `crate ${index}` }))
    const { body, status } = await post(CRATES, { create })
    assert.equal(status, 200)
    assert.deepEqual(
      body.created.map(({ label }: any) => label),
      create.map(({ label }) => label)
    )
  })

  test('[D4, A7] an empty batch does nothing', async ({ assert }) => {
    for (const body of [{}, { create: [] }, { other: [1] }, { delete: [], __proto__: null }]) {
      const response = await post(CRATES, body)
      assert.equal(response.status, 200)
      assert.deepEqual(response.body, { created: [], updated: [], deleted: [] })
    }
  })

  test('[D4] a batch with an invalid list is refused: {$self}')
    .with(['{"create":{}}', '{"update":null}', '{"delete":"1"}', '{"delete":{"length":3}}'])
    .run(async ({ assert }, body) => {
      const headers = { 'content-type': 'application/json' }
      const response = await call('POST', CRATES, { body, headers })
      assert.equal(response.status, 422)
      assert.equal(response.body.errors[0].rule, 'array')
      assert.notProperty(response.body.errors[0], 'operation')
    })

  test("[D4, A29] items with names of Object.prototype's members, and other hostile values, write nothing", async ({
    assert,
  }) => {
    const id = await insertCrate('a')
    const headers = { 'content-type': 'application/json' }
    const bodies = [
      '{"__proto__":{"create":[{"label":"x"}]}}',
      '{"constructor":{"prototype":{"delete":[1]}}}',
      `{"update":[{"__proto__":{"id":${id}},"weight":1}]}`,
      `{"update":[{"id":{"toString":1},"weight":1}]}`,
      `{"update":[{"id":[${id}],"weight":1}]}`,
      `{"update":[{"id":"${id} ","weight":1}]}`,
      `{"update":[{"id":"0x${id}","weight":1}]}`,
      `{"update":[{"id":1e400,"weight":1}]}`,
      `{"update":[{"id":${'9'.repeat(40)},"weight":1}]}`,
      `{"delete":[[[[${id}]]]]}`,
      `{"delete":[""]}`,
    ]
    for (const body of bodies) {
      const { status } = await call('POST', CRATES, { body, headers })
      assert.include([200, 400, 422], status)
    }
    const [row, ...others] = await crates()
    assert.isEmpty(others)
    assert.isNull(row.weight)
    assert.equal(Number(row.is_deleted), 0)
    assert.isUndefined(({} as any).label)
  })

  test('[D4, A6] batches that are too long or too deep are refused; an item has the same maximum depth as in a single request', async ({
    assert,
  }) => {
    const { depth, limit } = app.config.get<any>('crud.body') ?? { depth: 32, limit: 1024 * 1024 }
    const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
    const content = nested((depth ?? 32) - 1)
    const single = await post('/api/batch-crates', { label: 'a', content })
    const batched = await post(CRATES, { create: [{ label: 'b', content }] })
    assert.deepEqual([single.status, batched.status], [201, 200])
    const deeper = await post(CRATES, { create: [{ label: 'c', content: [content] }] })
    assert.equal(deeper.status, 400)
    const long = await post(CRATES, { create: [{ label: 'x'.repeat((limit ?? 1024 * 1024) + 1) }] })
    assert.equal(long.status, 413)
    const form = await call('POST', CRATES, { body: 'x', headers: { 'content-type': 'text/csv' } })
    assert.equal(form.status, 415)
  })

  test('[D4, A7] strict bodies refuse unknown fields of the batch and of its items', async ({
    assert,
    cleanup,
  }) => {
    app.config.set('crud.strictBody', true)
    cleanup(() => app.config.set('crud.strictBody', false))
    const id = await insertCrate('a')
    const typo = await post(CRATES, { creates: [] })
    assert.equal(typo.body.errors[0].rule, 'unknown')
    const items = await post(CRATES, {
      create: [{ label: 'b', wieght: 1 }],
      update: [
        { id, weight: 1 },
        { id, secret: 'x' },
      ],
    })
    assert.deepEqual(errorsOf(items), ['create 0 wieght unknown', 'update 1 secret unknown'])
  })

  test('[D4, Q6, A3] a batch refuses If-Match, and returns no items with Prefer: return=minimal', async ({
    assert,
  }) => {
    const id = await insertCrate('a')
    const body = { update: [{ id, weight: 1 }] }
    for (const name of ['if-match', 'if-none-match']) {
      const response = await post(CRATES, body, { headers: { [name]: '*' } })
      assert.equal(response.status, 400)
    }
    const headers = { 'prefer': 'return=minimal', 'idempotency-key': 'minimal' }
    for (const status of [204, 204]) {
      const response = await post(CRATES, body, { headers })
      assert.equal(response.status, status)
      assert.equal(response.headers.get('preference-applied'), 'return=minimal')
    }
    const [row] = await crates()
    assert.equal(row.weight, 1)
  })

  test('[D4, A29] a batch whose response would exceed the limit writes nothing, and the error suggests return=minimal', async ({
    assert,
    cleanup,
  }) => {
    const limits = app.config.get<any>('crud.limits')
    app.config.set('crud.limits', { ...limits, response: 1500 })
    cleanup(() => app.config.set('crud.limits', limits))
    const create = Array.from({ length: 20 }, (_, index) => ({ label: `crate ${index}` }))
    const response = await post(CRATES, { create })
    assert.equal(response.status, 413)
    assert.include(response.body.detail, 'return=minimal')
    assert.isEmpty(await crates())
    const minimal = await post(CRATES, { create }, { headers: { prefer: 'return=minimal' } })
    assert.equal(minimal.status, 204)
    assert.lengthOf(await crates(), 20)
  })
})

test.group('Batch | permissions', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.setup(() => {
    const before = useTokenAuthorizer(bearerIsUser)
    return () => void useTokenAuthorizer(before)
  })
  group.each.setup(clear)

  const as = (user: string) => ({ headers: { authorization: `Bearer ${user}` } })
  const parcel = (owner: string, title: string) => insertRow('batch_parcels', { owner, title })
  async function titles(): Promise<string[]> {
    const rows = await db.from('batch_parcels').orderBy('id')
    return rows.map(({ title }) => title)
  }

  test('[D4, P14] scope and policy are checked for each record, and one refusal rolls back all', async ({
    assert,
  }) => {
    const mine = await parcel('jo', 'mine')
    const other = await parcel('ann', 'other')
    const locked = await parcel('jo', 'no delete')
    const unseen = await post(
      PARCELS,
      {
        update: [
          { id: mine, title: 'x' },
          { id: other, title: 'x' },
        ],
      },
      as('jo')
    )
    assert.equal(unseen.status, 422)
    assert.deepEqual(errorsOf(unseen), ['update 1 id exists'])
    const refusals: Array<[object, string]> = [
      [
        {
          create: [
            { owner: 'jo', title: 'new' },
            { owner: 'jo', title: 'no create' },
          ],
        },
        'create 1',
      ],
      [{ create: [{ owner: 'ann', title: 'new' }] }, 'create 0'],
      [
        {
          update: [
            { id: mine, title: 'x' },
            { id: mine, owner: 'ann' },
          ],
        },
        'update 1',
      ],
      [{ update: [{ id: mine, title: 'no update' }] }, 'update 0'],
      [{ delete: [mine, locked] }, 'delete 1'],
    ]
    for (const [body, place] of refusals) {
      const response = await post(PARCELS, body, as('jo'))
      assert.equal(response.status, 403)
      assert.deepEqual(errorsOf(response), [`${place}  forbidden`])
    }
    assert.deepEqual(await titles(), ['mine', 'other', 'no delete'])
    const anonymous = await post(PARCELS, { delete: [mine] })
    assert.equal(anonymous.status, 401)
  })

  test('[D4, P14, Q7] items of a batch that the caller cannot read are null in the response, also in a repeated one', async ({
    assert,
  }) => {
    const body = {
      create: [
        { owner: 'jo', title: 'no read' },
        { owner: 'jo', title: 'b' },
      ],
    }
    const { headers } = as('jo')
    const keyed = { headers: { ...headers, 'idempotency-key': 'x' } }
    const first = await post(PARCELS, body, keyed)
    assert.isNull(first.body.created[0])
    assert.equal(first.body.created[1].title, 'b')
    await db.from('batch_parcels').where('title', 'b').update({ title: 'no read' })
    const again = await post(PARCELS, body, keyed)
    assert.deepEqual(again.body.created, [null, null])
    await db.from('batch_parcels').update({ title: 'no create' })
    const refused = await post(PARCELS, body, keyed)
    assert.equal(refused.status, 403)
  })

  test('[D4, P11] a batch calls the overridden database methods of a custom EndpointCreator', async ({
    assert,
  }) => {
    const response = await post('/api/batch-rooms/many', {
      create: [{ code: 'a', room: 'of the body' }],
      update: [{ id: 'a' }],
    })
    assert.equal(response.status, 200)
    assert.equal(response.body.created[0].room, 'of the caller')
    const refused = await post('/api/batch-rooms/many', { delete: ['a'] })
    assert.equal(refused.status, 422)
    assert.deepInclude(refused.body.errors[0], { field: 'delete', rule: 'offered' })
    assert.lengthOf(await db.from('batch_shelves'), 1)
    const gone = await post('/api/batch-shelves/batch', { delete: ['a'] })
    assert.deepEqual(gone.body.deleted, ['a'])
  })

  test('[D4, A25] a batch with another method is a 405, and without the option batch the route does not exist', async ({
    assert,
  }) => {
    const put = await call('PUT', CRATES)
    assert.equal(put.status, 405)
    assert.include(put.headers.get('allow'), 'POST')
    const head = await call('HEAD', '/api/batch-rooms/many')
    assert.notEqual(head.status, 200)
    const none = await post('/api/once-orders/batch', {})
    assert.equal(none.status, 405)
    assert.notInclude(none.headers.get('allow'), 'POST')
  })
})
