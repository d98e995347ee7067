import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { EndpointCreator, useTokenAuthorizer, ValueError } from '#crud'
import { Crate, called, duringValidation, Shelf } from '#tests/fixtures/batches'
import { bearerIsUser } from '#tests/fixtures/crud'
import { emptyAdminTables, cookiesOf, makeUser } from '#tests/helpers/admin'
import { insertRow } from '#tests/helpers/databases'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { call, del, get, patch, post, statusOf } from '#tests/helpers/http'
import { audited, listen, loggedEvents } from '#tests/helpers/model_events'

const CRATES = '/api/batch-crates'
const BATCH = `${CRATES}/batch`

const atMost = (count: number, more: object = {}) => ({
  headers: { prefer: `max-affected=${count}`, ...more },
})

async function insertCrate(label: string, row: Record<string, unknown> = {}): Promise<number> {
  return await insertRow('batch_crates', { label, updated_at: '2020-01-01 00:00:00', ...row })
}

async function crates(): Promise<string[]> {
  const rows = await db.from('batch_crates').where('is_deleted', false).orderBy('id')
  return rows.map(({ label, weight }) => `${label} ${weight}`)
}

async function clear() {
  called.length = 0
  for (const table of ['batch_straps', 'batch_crates', 'batch_shelves', 'batch_parcels']) {
    await db.from(table).delete()
  }
}

test.group('Writes of all items that match filters', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.each.setup(async () => {
    await clear()
    for (const [index, label] of ['a', 'b', 'c'].entries()) {
      await insertCrate(label, { weight: index })
    }
  })

  test('[W9] PATCH and DELETE with filters write all matching items, and return their number', async ({
    assert,
  }) => {
    const changed = await patch(`${CRATES}?weight__gte=1`, { weight: 7 }, atMost(2))
    assert.equal(changed.status, 200, changed.text)
    assert.deepEqual(changed.body, { updated: 2 })
    assert.equal(changed.headers.get('preference-applied'), 'max-affected=2')
    assert.isNull(changed.headers.get('etag'))
    assert.deepEqual(await crates(), ['a 0', 'b 7', 'c 7'])
    assert.deepEqual(called, ['prepareUpdate b', 'prepareUpdate c'])
    const deleted = await del(`${CRATES}?label__in=a,c`, atMost(5))
    assert.deepEqual(deleted.body, { deleted: 2 })
    assert.deepEqual(await crates(), ['b 7'])
    assert.lengthOf(await db.from('batch_crates'), 3)
    const none = await del(`${CRATES}?label__in=a`, atMost(1))
    assert.deepEqual(none.body, { deleted: 0 })
  })

  test('[W9] a request without Prefer is 428, and more matches than its maximum are 412 with their number', async ({
    assert,
  }) => {
    for (const prefer of ['', 'return=minimal', 'max-affected=many']) {
      const headers = { prefer }
      assert.equal(await statusOf(del(`${CRATES}?weight__gte=0`, { headers })), 428)
      assert.equal(await statusOf(patch(`${CRATES}?weight__gte=0`, {}, { headers })), 428)
    }
    for (const response of [
      await del(`${CRATES}?weight__gte=0`, atMost(2)),
      await patch(`${CRATES}?weight__gte=0`, { weight: 9 }, atMost(2)),
    ]) {
      assert.equal(response.status, 412)
      assert.include(response.body.detail, '3 items match')
    }
    assert.deepEqual(await crates(), ['a 0', 'b 1', 'c 2'])
    const quoted = { headers: { prefer: 'return=minimal, max-affected="3"' } }
    assert.equal(await statusOf(del(`${CRATES}?weight__gte=0`, quoted)), 200)
  })

  test('[W9] unknown, empty and missing filters are 422')
    .with(['', '?', '?label=a', '?weight=', '?weight__gte=', '?deleted=include', '?sort=label'])
    .run(async ({ assert }, query) => {
      for (const response of [
        await del(CRATES + query, atMost(9)),
        await patch(CRATES + query, { weight: 9 }, atMost(9)),
      ]) {
        assert.equal(response.status, 422, query)
      }
      assert.deepEqual(await crates(), ['a 0', 'b 1', 'c 2'])
    })

  test('[W9, G3] writes by filters accept groups and negations, and refuse invalid values and unknown names', async ({
    assert,
  }) => {
    for (const query of ['weight=x', 'any.1.nothing=1', 'weight=1&weight=2', 'weight__gte=1&x=1']) {
      assert.equal(await statusOf(del(`${CRATES}?${query}`, atMost(9))), 422, query)
    }
    const either = 'any.1.weight=0&any.1.weight=2&not.label__exact=a'
    const { body } = await del(`${CRATES}?${either}`, atMost(9))
    assert.deepEqual(body, { deleted: 1 })
    assert.deepEqual(await crates(), ['a 0', 'b 1'])
  })

  test('[W9] the body of a PATCH is validated, and a failure writes nothing', async ({
    assert,
  }) => {
    assert.equal(await statusOf(patch(`${CRATES}?weight=1`, { weight: -1 }, atMost(1))), 422)
    const conflict = await patch(`${CRATES}?weight__gte=1`, { label: 'n' }, atMost(2))
    assert.equal(conflict.status, 409)
    await insertCrate('kept', { weight: 5 })
    assert.equal(await statusOf(del(`${CRATES}?weight__gte=0`, atMost(9))), 418)
    assert.deepEqual(await crates(), ['a 0', 'b 1', 'c 2', 'kept 5'])
    const headers = { 'prefer': 'max-affected=1', 'if-match': '"x"' }
    assert.equal(await statusOf(del(`${CRATES}?weight=1`, { headers })), 400)
  })

  test('[W9, W10.12] an object in a merge patch is refused, because it would replace the stored object', async ({
    assert,
  }) => {
    const merge = atMost(1, { 'content-type': 'application/merge-patch+json' })
    const nested = await patch(`${CRATES}?weight=1`, { label: { a: 1 } }, merge)
    assert.equal(nested.status, 422)
    assert.deepInclude(nested.body.errors[0], { field: 'label', rule: 'merge' })
    assert.equal(await statusOf(patch(`${CRATES}?weight=1`, { weight: 4 }, merge)), 200)
  })

  test('[W9] a write emits an event per record, and is one logged event that is undone as a whole', async ({
    assert,
    cleanup,
  }) => {
    await emptyAdminTables()
    await emptyEventTables()
    const cookie = await cookiesOf(await makeUser('su'))
    const { heard } = listen(cleanup)
    const path = `/admin/Crate/crud?weight__gte=1`
    const headers = { cookie, prefer: 'max-affected=2' }
    const response = await call('PATCH', path, { json: { weight: 8 }, headers })
    assert.deepEqual(response.body, { updated: 2 })
    const events = await heard()
    assert.lengthOf(events, 2)
    const [event, ...others] = await loggedEvents('UPDATE')
    assert.lengthOf(others, 0)
    assert.lengthOf(await audited('Crate'), 2)
    const undone = await call('POST', `/admin/management/events/${event.id}/undo`, {
      headers: { cookie, accept: 'application/json' },
    })
    assert.isBelow(undone.status, 400, undone.text)
    assert.deepEqual(await crates(), ['a 0', 'b 1', 'c 2'])
  })

  test('[W9] an overridden changeItem is called for each item', async ({ assert }) => {
    await db
      .table('batch_shelves')
      .multiInsert(['x', 'y', 'z'].map((code) => ({ code, room: 'r' })))
    const response = await patch('/api/batch-doors?code__in=x,y', { room: 'sent' }, atMost(2))
    assert.deepEqual(response.body, { updated: 2 })
    const rows = await db.from('batch_shelves').orderBy('code').select('room')
    assert.deepEqual(
      rows.map(({ room }) => room),
      ['by the door', 'by the door', 'r']
    )
    assert.equal(await statusOf(del('/api/batch-doors?code=x', atMost(2))), 405)
  })

  test('[W9] access, scope and policy apply to writes by filters', async ({ assert, cleanup }) => {
    const before = useTokenAuthorizer(bearerIsUser)
    cleanup(() => void useTokenAuthorizer(before))
    await insertRow('batch_parcels', { owner: 'jo', title: 'mine' })
    await insertRow('batch_parcels', { owner: 'al', title: 'mine' })
    const path = '/api/batch-parcels?id__gte=0'
    const as = { authorization: 'Bearer jo' }
    assert.equal(await statusOf(patch(path, { title: 'x' }, atMost(5))), 401)
    const changed = await patch(path, { title: 'x' }, atMost(5, as))
    assert.deepEqual(changed.body, { updated: 1 })
    await insertRow('batch_parcels', { owner: 'jo', title: 'no delete' })
    assert.equal(await statusOf(del(path, atMost(5, as))), 403)
    assert.lengthOf(await db.from('batch_parcels').where('title', 'x'), 1)
  })

  test('[W9] the option bulk is refused without update or delete, and with an overridden handler that it would bypass', ({
    assert,
  }) => {
    class OwnHandler extends EndpointCreator {
      async updateItem() {
        return null
      }
    }
    assert.throws(
      () => new EndpointCreator({ model: Shelf, bulk: true, includedMethods: ['read'] }),
      ValueError as any,
      'bulk is set, but the model has no update or delete'
    )
    assert.throws(
      () => new OwnHandler({ model: Crate, bulk: true }).planRoutes(),
      ValueError as any,
      'OwnHandler overrides updateItem, which writes of all items that match do not call'
    )
  })

  test('[W9] the API schema describes the endpoints for writes by filters', async ({ assert }) => {
    const { body } = await get('/api/openapi.json')
    const { delete: remove, patch: change } = body.paths['/api/batch-crates']
    assert.equal(change.operationId, 'updateCrates')
    assert.equal(remove.operationId, 'deleteCrates')
    assert.isTrue(remove.parameters.find(({ name }: any) => name === 'Prefer').required)
    assert.containsSubset(Object.keys(remove.responses), ['200', '412', '428'])
    assert.isUndefined(body.paths['/api/batch-doors'].delete)
    const batch = body.components.schemas.CrateBatch.properties
    assert.deepEqual(batch.on.enum, [['label']])
  })
})

test.group('Upserts in a batch', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.each.setup(clear)

  test('[W9, D4] upserts change the items that exist, and create the others', async ({
    assert,
  }) => {
    await insertCrate('a', { weight: 1 })
    const { status, body } = await post(BATCH, {
      create: [{ label: 'c' }],
      upsert: [
        { label: 'a', weight: 5 },
        { label: 'b', weight: 6 },
      ],
      on: ['label'],
    })
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body), ['created', 'updated', 'upserted', 'deleted'])
    assert.deepEqual(
      body.upserted.map(({ label, weight }: any) => [label, weight]),
      [
        ['a', 5],
        ['b', 6],
      ]
    )
    assert.deepEqual(await crates(), ['a 5', 'c null', 'b 6'])
    assert.deepEqual(called, ['create c', 'prepareUpdate a', 'create b'])
  })

  test('[W9] errors of upserts have their operation and index, and nothing is written', async ({
    assert,
  }) => {
    await insertCrate('a', { weight: 1 })
    const errorsOf = (body: any) =>
      body.errors.map(({ operation, index, field, rule }: any) =>
        [operation, index, field, rule].join(' ')
      )
    const invalid = await post(BATCH, {
      upsert: [
        { label: 'a', weight: -1 },
        { label: 'x'.repeat(30) },
        { weight: 1 },
        5,
        { label: 'b' },
        { label: 'b' },
      ],
      on: ['label'],
    })
    assert.equal(invalid.status, 422)
    assert.deepEqual(errorsOf(invalid.body), [
      'upsert 0 weight min',
      'upsert 1 label maxLength',
      'upsert 2 label required',
      'upsert 3  object',
      'upsert 5 label distinct',
    ])
    await insertCrate('gone', { is_deleted: true })
    const taken = await post(BATCH, { upsert: [{ label: 'gone' }], on: ['label'] })
    assert.equal(taken.status, 409)
    assert.deepEqual(errorsOf(taken.body), ['upsert 0 label unique'])
    assert.deepEqual(await crates(), ['a 1'])
  })

  test('[W9.7] concurrent batches that upsert the same new items all succeed')
    .with([
      [1, 1, 1, 1],
      [1, -1],
    ])
    .run(async ({ assert }, directions) => {
      const labels = ['a', 'b', 'c', 'd', 'e', 'f']
      const responses = await Promise.all(
        directions.map((direction, weight) => {
          const items = labels.map((label) => ({ label, weight }))
          return post(BATCH, { upsert: direction > 0 ? items : items.reverse(), on: ['label'] })
        })
      )
      for (const { status, text } of responses) assert.equal(status, 200, text)
      const stored = await crates()
      assert.deepEqual(stored.map((one) => one.split(' ')[0]).toSorted(), labels)
      /* The last batch wrote all items. */
      assert.lengthOf(new Set(stored.map((one) => one.split(' ')[1])), 1)
    })

  test('[W9.7] an upsert of an item that was deleted after its validation creates it', async ({
    assert,
  }) => {
    await insertCrate('a', { weight: 1 })
    duringValidation.push(async () => void (await db.from('batch_crates').delete()))
    const { body, status } = await post(BATCH, {
      upsert: [{ label: 'a', weight: 5, content: 1 }],
      on: ['label'],
    })
    assert.equal(status, 200)
    assert.equal(body.upserted[0].weight, 5)
    assert.deepEqual(await crates(), ['a 5'])
  })

  test('[W9.7] an upsert whose value belongs to a deleted item is a 409 without a second attempt', async ({
    assert,
  }) => {
    await insertCrate('gone', { is_deleted: true })
    const { status } = await post(BATCH, { upsert: [{ label: 'gone' }], on: ['label'] })
    assert.equal(status, 409)
    assert.deepEqual(called, ['create gone'])
  })

  test('[W9] the member on of a batch must name a unique field or the key')
    .with([undefined, 'label', [], ['weight'], ['nothing'], ['secret'], ['label', 'weight'], [5]])
    .run(async ({ assert }, on) => {
      const { status, body } = await post(BATCH, { upsert: [{ label: 'a', weight: 1 }], on })
      assert.equal(status, 422)
      assert.equal(body.errors[0].field, 'on')
    })

  test('[W9, Q7] a batch that is repeated with its Idempotency-Key has the same response', async ({
    assert,
  }) => {
    const keyed = { headers: { 'idempotency-key': `upsert-${Date.now()}` } }
    const sent = { upsert: [{ label: 'a' }], on: ['label'] }
    const first = await post(BATCH, sent, keyed)
    const again = await post(BATCH, sent, keyed)
    if (first.status === 501) return
    assert.equal(first.status, 200)
    assert.deepEqual(again.body, first.body)
    assert.lengthOf(await crates(), 1)
  })
})
