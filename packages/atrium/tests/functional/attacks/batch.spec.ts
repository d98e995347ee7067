import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { insertRow } from '#tests/helpers/databases'
import { get, post, type HttpResponse } from '#tests/helpers/http'

const CRATES = '/api/batch-crates/batch'
const SLOTS = '/api/batch-slots/batch'

const crates = () => db.from('batch_crates').orderBy('id')

async function clear() {
  for (const table of ['batch_straps', 'batch_crates', 'batch_slots', 'idempotency_keys']) {
    await db.from(table).delete()
  }
}

const crate = (label: string) =>
  insertRow('batch_crates', { label, updated_at: '2020-01-01 00:00:00' })

const places = ({ body }: HttpResponse) =>
  body.errors.map(({ operation, index, rule }: any) => [operation, index, rule].join(' '))

test.group('Attacks | concurrent batches', (group) => {
  group.tap((one) => one.tags(['@database']).timeout(60_000))
  group.each.setup(clear)

  test('[D4, A29] if batches lock the same items in opposite order, each is written or is a 503 to retry', async ({
    assert,
  }) => {
    const ids: number[] = []
    for (let index = 0; index < 12; index++) ids.push(await crate(`old ${index}`))
    let made = 0
    for (let round = 0; round < 3; round++) {
      const batch = (order: number[], weight: number) => ({
        create: [{ label: `new ${round} ${weight}` }],
        update: order.map((id) => ({ id, weight })),
      })
      const responses = await Promise.all([
        post(CRATES, batch(ids, 2 * round + 1)),
        post(CRATES, batch(ids.toReversed(), 2 * round + 2)),
      ])
      const done = responses.filter(({ status }) => status === 200)
      assert.isAbove(done.length, 0)
      for (const { body, headers, status, text } of responses) {
        assert.include([200, 503], status, text)
        if (status === 200) continue
        assert.equal(headers.get('content-type'), 'application/problem+json; charset=utf-8')
        assert.equal(headers.get('retry-after'), '1')
        assert.include(body.detail, 'try again')
      }
      made += done.length
      const rows = await crates()
      assert.lengthOf(rows, ids.length + made)
      const weights = new Set(rows.slice(0, ids.length).map(({ weight }) => weight))
      assert.equal(weights.size, 1, `half done: ${[...weights].join()}`)
    }
  })

  test('[D4, Q7] a batch that failed because of a lock can be retried with its Idempotency-Key', async ({
    assert,
  }) => {
    const ids: number[] = []
    for (let index = 0; index < 12; index++) ids.push(await crate(`old ${index}`))
    const send = (name: string, order: number[]) =>
      post(
        CRATES,
        {
          create: [{ label: name }],
          update: order.map((id) => ({ id, weight: name === 'one' ? 1 : 2 })),
        },
        { headers: { 'idempotency-key': name } }
      )
    const one = () => send('one', ids)
    const two = () => send('two', ids.toReversed())
    await Promise.all([one(), two()])
    for (const again of [one, two]) {
      const { status, text } = await again()
      assert.equal(status, 200, text)
    }
    const rows = await crates()
    assert.lengthOf(rows, ids.length + 2)
    assert.equal(new Set(rows.slice(0, ids.length).map(({ weight }) => weight)).size, 1)
  })

  test('[D4, Q7] concurrent requests with one Idempotency-Key write once', async ({ assert }) => {
    const send = () =>
      post(CRATES, { create: [{ label: 'once' }] }, { headers: { 'idempotency-key': 'same' } })
    const responses = await Promise.all(Array.from({ length: 8 }, send))
    const texts = new Set(responses.filter(({ status }) => status === 200).map(({ text }) => text))
    assert.equal(texts.size, 1)
    for (const { status, text } of responses) assert.include([200, 409], status, text)
    assert.lengthOf(await crates(), 1)
  })

  test('[D4] concurrent batches that delete and update the same item write all or nothing', async ({
    assert,
  }) => {
    for (let round = 0; round < 3; round++) {
      await clear()
      const [a, b] = [await crate('a'), await crate('b')]
      const [stored, gone] = await Promise.all([
        post(CRATES, {
          update: [
            { id: a, weight: 1 },
            { id: b, weight: 1 },
          ],
        }),
        post(CRATES, { delete: [b, a] }),
      ])
      assert.include([200, 422, 503], stored.status, stored.text)
      assert.include([200, 503], gone.status, gone.text)
      if (stored.status === 422)
        assert.isTrue(places(stored).every((one: string) => /exists/.test(one)))
      const rows = await crates()
      assert.equal(new Set(rows.map(({ weight }) => weight)).size, 1)
      assert.equal(new Set(rows.map((row) => Number(row.is_deleted))).size, 1)
    }
  })
})

test.group('Attacks | hostile batches', (group) => {
  group.tap((one) => one.tags(['@database']))
  group.each.setup(clear)

  test('[D4, A9] an item that is created, updated twice and deleted in one batch does not exist afterwards', async ({
    assert,
  }) => {
    const response = await post(SLOTS, {
      create: [{ row: 'a', place: 1, guest: 'jo' }],
      update: [
        { id: ['a', 1], guest: 'ann' },
        { id: ['a', '1'], guest: 'eve' },
      ],
      delete: [['a', '1']],
    })
    assert.equal(response.status, 200, response.text)
    assert.lengthOf(await db.from('batch_slots'), 0)
    const twice = await post(SLOTS, {
      create: [
        { row: 'a', place: 1 },
        { row: 'a', place: 1 },
      ],
    })
    assert.equal(twice.status, 409)
    assert.deepEqual(
      twice.body.errors.map(({ index, field, rule }: any) => [index, field, rule].join(' ')),
      ['1 row unique', '1 place unique']
    )
    assert.lengthOf(await db.from('batch_slots'), 0)
  })

  test(
    '[D4, A29] an item with the id or field name {$self} writes nothing and does not cause a 500'
  )
    .with(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'])
    .run(async ({ assert }, name) => {
      const id = await crate('a')
      const item = `{"${name}":{"label":"x","is_deleted":true},"id":${id}}`
      for (const body of [
        `{"${name}":[{"label":"x"}]}`,
        `{"${name}":{"create":[{"label":"x"}]},"update":[${item}]}`,
        `{"create":[{"${name}":{"label":"x"}}]}`,
        `{"update":[{"id":"${name}","weight":1}],"delete":["${name}"]}`,
        `{"update":[{"id":{"${name}":${id}},"weight":1}]}`,
        `{"delete":[{"${name}":${id}}]}`,
      ]) {
        const headers = { 'content-type': 'application/json' }
        const { status, text } = await post(CRATES, undefined, { body, headers })
        assert.include([200, 400, 422], status, `${body} ${text}`)
      }
      const [row, ...others] = await crates()
      assert.isEmpty(others)
      assert.deepInclude(row, { label: 'a', weight: null })
      assert.equal(Number(row.is_deleted), 0)
      const { status } = await get('/api/batch-crates')
      assert.equal(status, 200)
    })

  test('[D4] a batch with a list in place of an item reports the error at its position', async ({
    assert,
  }) => {
    const id = await crate('a')
    const response = await post(CRATES, {
      create: [[{ label: 'x' }], [[[]]]],
      update: [[{ id, weight: 1 }]],
      delete: [[id], [[id]], []],
    })
    assert.equal(response.status, 422)
    assert.deepEqual(places(response), [
      'create 0 object',
      'create 1 object',
      'update 0 object',
      'delete 0 key',
      'delete 1 key',
      'delete 2 key',
    ])
    const [row, ...others] = await crates()
    assert.isEmpty(others)
    assert.isNull(row.weight)
  })

  test('[D4, A6] a batch with very many entries is refused before any entry is checked', async ({
    assert,
  }) => {
    const empty = Array.from({ length: 200_000 }, () => 0)
    for (const body of [{ delete: empty }, { create: empty }, { update: empty }]) {
      const response = await post(CRATES, body)
      assert.equal(response.status, 422, response.text.slice(0, 200))
      assert.include(response.body.detail, '1000 operations at most')
      assert.isBelow(response.text.length, 2000)
    }
  })
})
