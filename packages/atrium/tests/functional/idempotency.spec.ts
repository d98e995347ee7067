import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import emitter from '@adonisjs/core/services/emitter'
import { ModelCreated, useTokenAuthorizer } from '#crud'
import { sqliteConnections } from '#base/database/sqlite/sqlite_connection'
import { Purchase } from '#tests/fixtures/idempotency'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { bearerIsUser } from '#tests/fixtures/crud'
import { captureLog } from '#tests/helpers/captured_log'
import { call, del, get, patch, post, type HttpResponse } from '#tests/helpers/http'
import { strange } from '#tests/helpers/actors'

const PATH = '/api/once-orders'

let count = 0
const newKey = () => `key-${++count}`
const keyed = (key: string, headers: Record<string, string> = {}) => ({
  headers: { 'idempotency-key': key, ...headers },
})

const orders = () => db.from('once_orders').orderBy('id')
const keys = () => db.from('idempotency_keys')

/** Responses without the parts that always differ. */
const said = ({ status, text, headers }: HttpResponse) => ({
  status,
  text,
  location: headers.get('location'),
  etag: headers.get('etag'),
  type: headers.get('content-type'),
})
const replayed = ({ headers }: HttpResponse) => headers.get('idempotency-replayed')

async function clear() {
  Purchase.meanwhile = undefined
  Purchase.attempts = 0
  for (const table of [
    'once_parts',
    'once_orders',
    'once_letters',
    'once_slots',
    'idempotency_keys',
  ]) {
    await db.from(table).delete()
  }
}

/** Blocks creates until the returned function is called. */
function closeGate(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  Purchase.meanwhile = () => promise
  return resolve
}

async function until(isSo: () => boolean | Promise<boolean>) {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5))
}

test.group('Idempotency-Key', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.each.setup(clear)

  test('[Q7] repeating a create returns the first response and stores nothing', async ({
    assert,
  }) => {
    const key = newKey()
    const body = { product: 'lamp', note: { a: [1, 'ä'] } }
    const first = await post(PATH, body, keyed(key))
    assert.equal(first.status, 201)
    assert.isNull(replayed(first))
    for (let time = 0; time < 3; time++) {
      const again = await post(PATH, body, keyed(key))
      assert.deepEqual(said(again), said(first))
      assert.equal(replayed(again), 'true')
    }
    assert.lengthOf(await orders(), 1)
  })

  test('[Q7] the first response is returned even if the item was changed or deleted', async ({
    assert,
  }) => {
    const key = newKey()
    const first = await post(PATH, { product: 'lamp' }, keyed(key))
    const path = first.headers.get('location')!
    await patch(path, { product: 'desk' })
    const changed = await post(PATH, { product: 'lamp' }, keyed(key))
    assert.deepEqual(said(changed), said(first))
    await del(path)
    const gone = await post(PATH, { product: 'lamp' }, keyed(key))
    assert.deepEqual(said(gone), said(first))
    assert.isEmpty(await orders())
  })

  test('[Q7] bodies with the same fields are equal, whatever their order, spaces and content type', async ({
    assert,
  }) => {
    const key = newKey()
    const first = await post(PATH, { product: 'lamp', quantity: '2' }, keyed(key))
    assert.equal(first.status, 201)
    const bodies = [
      ['application/json', '{ "quantity": "2",\n"product": "lamp" }'],
      ['application/x-www-form-urlencoded', 'quantity=2&product=lamp'],
    ]
    for (const [type, body] of bodies) {
      for (const name of [key, `"${key}"`]) {
        const again = await call('POST', PATH, { body, ...keyed(name, { 'content-type': type }) })
        assert.deepEqual(said(again), said(first))
      }
    }
  })

  test('[Q7] a different body with the same key is refused', async ({ assert }) => {
    const key = newKey()
    await post(PATH, { product: 'lamp' }, keyed(key))
    for (const body of [{ product: 'desk' }, { product: 'lamp', quantity: 1 }, {}]) {
      const other = await post(PATH, body, keyed(key))
      assert.equal(other.status, 422)
      assert.include(other.body.detail, 'Idempotency-Key')
      assert.isNull(replayed(other))
    }
    assert.lengthOf(await orders(), 1)
  })

  test('[Q7] a create that fails releases its key', async ({ assert }) => {
    await post(PATH, { product: 'taken' })
    const key = newKey()
    const invalid = await post(PATH, { product: null }, keyed(key))
    assert.equal(invalid.status, 422)
    const duplicate = await post(PATH, { product: 'taken' }, keyed(key))
    assert.equal(duplicate.status, 409)
    assert.include(duplicate.body.detail, 'taken')
    assert.isEmpty(await keys())
    const mended = await post(PATH, { product: 'lamp' }, keyed(key))
    assert.equal(mended.status, 201)
    assert.isNull(replayed(mended))
  })

  test('[Q7, A8] a create that fails at COMMIT releases the key', async ({ assert }) => {
    const key = newKey()
    const refused = await post('/api/once-parts', { order_id: 404 }, keyed(key))
    assert.equal(refused.status, 409)
    assert.include(refused.body.detail, 'refers to another one')
    assert.isNull(refused.headers.get('etag'))
    assert.isEmpty(await keys())
    assert.isEmpty(await db.from('once_parts'))
  })

  test('[Q7] a malformed key is a 400 that names the header', async ({ assert }) => {
    for (const key of ['', '""', 'a, b', 'x'.repeat(256)]) {
      const response = await post(PATH, { product: 'lamp' }, keyed(key))
      assert.equal(response.status, 400)
      assert.include(response.body.detail, 'Idempotency-Key')
    }
    assert.isEmpty(await orders())
  })

  test('[Q7] reads, updates and deletions ignore an Idempotency-Key', async ({ assert }) => {
    const created = await post(PATH, { product: 'lamp' })
    const path = created.headers.get('location')!
    const responses = [
      await get(path, keyed('""')),
      await patch(path, { quantity: 2 }, keyed('""')),
      await del(path, keyed('""')),
    ]
    for (const { status } of responses) assert.equal(status, 200)
    assert.isEmpty(await keys())
  })

  test('[Q7] the same key at another endpoint is independent of the first one', async ({
    assert,
  }) => {
    const key = newKey()
    const responses = [
      await post(PATH, { product: 'lamp' }, keyed(key)),
      await post('/api/once-checked', { product: 'desk' }, keyed(key)),
      await post('/api/once-slots', { day: 'a/b', hour: 3 }, keyed(key)),
    ]
    for (const response of responses) {
      assert.equal(response.status, 201)
      assert.isNull(replayed(response))
    }
    const again = await post('/api/once-slots', { day: 'a/b', hour: 3 }, keyed(key))
    assert.deepEqual(said(again), said(responses[2]))
    assert.equal(replayed(again), 'true')
  })

  test('[Q7] the table of keys contains no body or response in plain text', async ({ assert }) => {
    const key = newKey()
    await post(PATH, { product: 'very secret', note: 'hidden' }, keyed(key))
    const rows = JSON.stringify(await keys())
    for (const word of ['very', 'hidden', key, 'once-orders']) assert.notInclude(rows, word)
  })

  test('[Q7] an expired key can be used again, and its row is removed', async ({ assert }) => {
    const key = newKey()
    await post(PATH, { product: 'lamp' }, keyed(key))
    const [{ expires_at: expires }] = await keys()
    assert.approximately(Number(expires), Date.now() + 24 * 3_600_000, 60_000)
    await keys().update({ expires_at: Date.now() })
    const next = await post(PATH, { product: 'desk' }, keyed(key))
    assert.equal(next.status, 201)
    assert.isNull(replayed(next))
    assert.lengthOf(await keys(), 1)
  })
})

test.group('Idempotency-Key | concurrent requests', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.each.setup(clear)

  test('[Q7] of many identical concurrent creates, one stores its item', async ({ assert }) => {
    for (let round = 0; round < 5; round++) {
      const key = newKey()
      const product = `lamp ${round}`
      const responses = await Promise.all(
        Array.from({ length: 20 }, () => post(PATH, { product }, keyed(key)))
      )
      const created = responses.filter(({ status }) => status === 201)
      assert.lengthOf(
        created.filter((response) => replayed(response) === null),
        1
      )
      for (const response of created) assert.equal(response.text, created[0].text)
      for (const { status, headers } of responses) {
        assert.include([201, 409], status)
        if (status === 409) assert.equal(headers.get('retry-after'), '1')
      }
      assert.lengthOf(await db.from('once_orders').where({ product }), 1)
    }
    assert.equal(Purchase.attempts, 5)
  })

  test('[Q7] a request with the key of an unfinished request gets a response that asks to retry', async ({
    assert,
    cleanup,
  }) => {
    const open = closeGate()
    cleanup(open)
    const key = newKey()
    const first = post(PATH, { product: 'lamp' }, keyed(key))
    await until(() => Purchase.attempts === 1)

    const second = await post(PATH, { product: 'lamp' }, keyed(key))
    assert.equal(second.status, 409)
    assert.equal(second.headers.get('retry-after'), '1')
    assert.equal(second.headers.get('content-type'), 'application/problem+json; charset=utf-8')
    const other = await post(PATH, { product: 'desk' }, keyed(key))
    assert.equal(other.status, 422)

    open()
    const created = await first
    assert.equal(created.status, 201)
    const third = await post(PATH, { product: 'lamp' }, keyed(key))
    assert.deepEqual(said(third), said(created))
    assert.equal(Purchase.attempts, 1)
  })

  test('[Q7] the key of a killed process expires, and can then be used again', async ({
    assert,
  }) => {
    const key = newKey()
    await post(PATH, { product: 'lamp' }, keyed(key))
    const [row] = await keys()
    await orders().delete()
    /* The row as it was before the item and its response existed */
    await keys().update({ claim: 'of the dead', content: await runningContent(row.id) })
    const blocked = await post(PATH, { product: 'lamp' }, keyed(key))
    assert.equal(blocked.status, 409)
    await keys().update({ expires_at: Date.now() })
    const next = await post(PATH, { product: 'lamp' }, keyed(key))
    assert.equal(next.status, 201)
    assert.isNull(replayed(next))
  })

  test('[Q7] a slow request whose key was claimed by another one stores nothing', async ({
    assert,
  }) => {
    Purchase.meanwhile = async ({ $trx }) => {
      await $trx!.from('idempotency_keys').update({ claim: 'of another' })
    }
    const response = await post(PATH, { product: 'lamp' }, keyed(newKey()))
    assert.equal(response.status, 409)
    assert.equal(response.headers.get('retry-after'), '1')
    assert.isNull(response.headers.get('location'))
    assert.isEmpty(await orders())
  })

  test('[Q7, E1] the event of a created item is emitted once, after the commit', async ({
    assert,
    cleanup,
  }) => {
    const events: string[] = []
    cleanup(
      emitter.on(ModelCreated, ({ model, record }) => {
        if (model === Purchase) events.push((record as Purchase).product)
      })
    )
    const key = newKey()
    for (let time = 0; time < 3; time++) await post(PATH, { product: 'lamp' }, keyed(key))
    await post(PATH, { product: 'lamp' }, keyed(newKey()))
    assert.deepEqual(events, ['lamp'])
  })
})

async function runningContent(id: string): Promise<string> {
  const { default: encryption } = await import('@adonisjs/core/services/encryption')
  const { fingerprintOf } = await import('#base/identity')
  const fingerprint = fingerprintOf({ product: 'lamp' })
  return encryption.encrypt({ fingerprint }, { purpose: id })
}

test.group('Idempotency-Key | owners', (group) => {
  group.setup(() => {
    const before = useTokenAuthorizer(bearerIsUser)
    return () => void useTokenAuthorizer(before)
  })
  group.each.setup(clear)

  const LETTERS = '/api/once-letters'
  const by = (user: string, key: string) => keyed(key, { authorization: `Bearer ${user}` })

  test('[Q7] the same key used by another actor is independent of the first one', async ({
    assert,
  }) => {
    const key = newKey()
    const anna = await post(LETTERS, { owner: 'anna', text: 'x' }, by('anna', key))
    const bert = await post(LETTERS, { owner: 'bert', text: 'y' }, by('bert', key))
    assert.deepEqual([anna.status, bert.status], [201, 201])
    const again = await post(LETTERS, { owner: 'anna', text: 'x' }, by('anna', key))
    assert.deepEqual(said(again), said(anna))
    const stranger = await post(LETTERS, { owner: 'anna', text: 'x' }, keyed(key))
    assert.equal(stranger.status, 401)
  })

  test('[Q7, P14] a response is not repeated to an actor who can no longer create or see the item', async ({
    assert,
  }) => {
    const key = newKey()
    const send = () => post(LETTERS, { owner: 'anna', text: 'x' }, by('anna', key))
    const first = await send()
    assert.equal(first.status, 201)
    for (const change of [{ owner: 'bert' }, { owner: 'anna', text: 'locked' }]) {
      await db.from('once_letters').update(change)
      const refused = await send()
      assert.equal(refused.status, 403)
      assert.isNull(refused.headers.get('location'))
      assert.isNull(replayed(refused))
    }
    await db.from('once_letters').delete()
    const gone = await send()
    assert.deepEqual(said(gone), said(first))
  })

  test('[Q7] a key from an actor without a permanent identity is a 501, and nothing is stored', async ({
    assert,
    cleanup,
  }) => {
    const log = captureLog(cleanup)
    useTokenAuthorizer({ authorize: async () => strange({ kind: 'token', user: {} }) })
    cleanup(() => void useTokenAuthorizer(bearerIsUser))
    const response = await post(LETTERS, { owner: '[object Object]', text: 'x' }, keyed(newKey()))
    assert.equal(response.status, 501)
    assert.isTrue(log().some(({ msg }) => msg.includes('no user or token with an id')))
    assert.isEmpty(await db.from('once_letters'))
  })

  test('[Q7, S61] in the admin site, a key is bound to the user and the endpoint of the site', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await fakeHashes())
    await emptyAdminTables()
    const cookie = await cookiesOf(await makeUser('jo'))
    const key = newKey()
    const send = () => post('/admin/Purchase/crud', { product: 'lamp' }, keyed(key, { cookie }))
    const first = await send()
    assert.equal(first.status, 201)
    assert.match(first.headers.get('location')!, /^\/admin\/Purchase\/crud\/\d+$/)
    const again = await send()
    assert.deepEqual(said(again), said(first))
    assert.equal(replayed(again), 'true')
    const outside = await post(PATH, { product: 'lamp' }, keyed(key))
    assert.equal(outside.status, 409)
    const stranger = await post('/admin/Purchase/crud', { product: 'lamp' }, keyed(key))
    assert.equal(stranger.status, 401)
  })
})

test.group('Idempotency-Key | custom handlers and clients', (group) => {
  group.each.setup(clear)

  test('[Q7] a schema rule that queries the database accepts the repetition of a create', async ({
    assert,
  }) => {
    const key = newKey()
    const send = () => post('/api/once-checked', { product: 'lamp' }, keyed(key))
    const first = await send()
    assert.equal(first.status, 201)
    const again = await send()
    assert.deepEqual(said(again), said(first))
  })

  test('[Q7, P11] all writes of a custom insertItem are stored once, or not at all', async ({
    assert,
  }) => {
    const key = newKey()
    const send = () => post('/api/once-pairs', { product: 'lamp' }, keyed(key))
    const first = await send()
    assert.equal(first.status, 201)
    assert.sameMembers(Object.keys(first.body), ['first', 'second'])
    assert.isNull(first.headers.get('location'))
    const again = await send()
    assert.deepEqual(said(again), said(first))
    assert.equal(again.headers.get('x-created-by'), 'an own handler')
    assert.lengthOf(await orders(), 2)

    await post(PATH, { product: 'desk too' })
    const half = await post('/api/once-pairs', { product: 'desk' }, keyed(newKey()))
    assert.equal(half.status, 409)
    assert.lengthOf(await orders(), 3)
  })

  test('[Q7, P8] the key is stored in the same database as the session’s item', async ({
    assert,
    cleanup,
  }) => {
    const log = captureLog(cleanup)
    const configs = sqliteConnections('keyless', ':memory:', { migrations: [] })
    db.manager.add('keyless', configs.keyless)
    cleanup(() => db.manager.close('keyless', true))
    await db.connection('keyless').schema.createTable('once_orders', (table) => {
      table.increments('id')
      table.string('product', 40).notNullable()
      table.integer('quantity').notNullable().defaultTo(1)
      table.json('note')
    })
    const there = { 'x-connection': 'keyless' }
    const without = await post('/api/once-elsewhere', { product: 'lamp' }, { headers: there })
    assert.equal(without.status, 201)
    const refused = await post('/api/once-elsewhere', { product: 'lamp' }, keyed(newKey(), there))
    assert.equal(refused.status, 501)
    assert.notInclude(refused.text, 'idempotency_keys')
    const message = log().find(({ msg }) => msg.includes('idempotency_keys'))!.msg
    assert.include(message, 'packages/atrium/migrations/crud')
    assert.include(message, '"keyless"')

    await db.connection('keyless').schema.createTable('idempotency_keys', (table) => {
      table.string('id', 64).primary()
      table.string('claim', 36)
      table.text('content').notNullable()
      table.bigInteger('expires_at').notNullable()
    })
    const key = newKey()
    const first = await post('/api/once-elsewhere', { product: 'desk' }, keyed(key, there))
    assert.equal(first.status, 201)
    const again = await post('/api/once-elsewhere', { product: 'desk' }, keyed(key, there))
    assert.deepEqual(said(again), said(first))
    assert.lengthOf(await db.connection('keyless').from('once_orders'), 2)
    assert.lengthOf(await db.connection('keyless').from('idempotency_keys'), 1)
    assert.isEmpty(await keys())
  })
})
