import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { LucidCrud } from '#crud'
import { Claim, Deferral } from '#tests/fixtures/late_errors'
import { call, del, get, patch, post } from '#tests/helpers/http'

test.group('Errors at COMMIT, in hooks and in other tables', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.each.setup(async () => {
    for (const table of [
      'deferrals',
      'voyages',
      'voyage_notes',
      'wards',
      'masks',
      'claims',
      'tickets',
      'countries',
    ]) {
      await db.from(table).delete()
    }
  })

  test('[A8] a write whose COMMIT fails is refused, and nothing is stored', async ({ assert }) => {
    const refused = await post('/api/deferrals', { parent: 'nobody' })
    assert.equal(refused.status, 409)
    const list = await get('/api/deferrals')
    assert.equal(list.body.total_count, 0)

    const next = await post('/api/deferrals', { parent: null })
    assert.equal(next.status, 201)
  })

  test('[E1] a failed COMMIT emits no event', async ({ assert }) => {
    const crud = new LucidCrud(Deferral)
    let called = false
    await db
      .transaction(async (client) => {
        crud.afterCommit(client, () => (called = true))
        await client.insertQuery().table('deferrals').insert({ parent: 'nobody' })
      })
      .catch(() => {})
    assert.isFalse(called)
    const next = await post('/api/deferrals', { parent: null })
    assert.equal(next.status, 201)
  })

  test('[A29] a constraint violation in another table is a 500 and not a client error', async ({
    assert,
  }) => {
    await db.table('voyage_notes').insert({ name: 'taken' })
    const response = await post('/api/voyages', { name: 'taken' })
    assert.equal(response.status, 500)
    assert.notInclude(response.text, 'voyage_notes')
    const list = await get('/api/voyages')
    assert.equal(list.body.total_count, 0)
  })

  test('[A8] the response to a conflict does not show hidden columns', async ({ assert }) => {
    await db.table('wards').multiInsert([
      { wing: 'SECRET', name: 'a' },
      { wing: 'SECRET', name: 'b' },
    ])
    const [first] = await db.from('wards').where('name', 'a')
    const response = await patch(`/api/wards/${first.id}`, { name: 'b' })
    assert.equal(response.status, 409)
    assert.equal(response.body.detail, 'Value b is already registered')
    assert.notInclude(response.text, 'SECRET')
  })

  test('[A20] a model’s custom serialize determines the item in every response', async ({
    assert,
  }) => {
    const created = await post('/api/masks', { face: 'Zorro' })
    const read = await get(`/api/masks/${created.body.id}`)
    const list = await get('/api/masks')
    assert.equal(created.body.face, '***')
    assert.equal(read.body.face, '***')
    assert.equal(list.body.data[0].face, '***')
  })

  test('[P14] the policy also checks the row as it would be written', async ({ assert }) => {
    const created = await post('/api/claims', { owner: 'me' })
    const given = await patch(`/api/claims/${created.body.id}`, { owner: 'you' })
    assert.equal(given.status, 403)
    const claim = await Claim.findOrFail(created.body.id)
    assert.equal(claim.owner, 'me')
  })

  test('[A9] an item whose UUID was stored in upper case can be read and deleted', async ({
    assert,
  }) => {
    const id = 'ABCDEF00-1234-4234-8234-00000000000A'
    await db.table('tickets').insert({ id, title: 'loud' })
    const read = await get(`/api/tickets/${id}`)
    assert.equal(read.body.title, 'loud')
    const deleted = await del(`/api/tickets/${id.toLowerCase()}`)
    assert.equal(deleted.status, 200)
    assert.isEmpty(await db.from('tickets'))
  })

  test('[A9] a text key that can’t be in a path is refused', async ({ assert }) => {
    for (const code of ['', '.', '..']) {
      const response = await post('/api/countries', { code, name: 'Nowhere' })
      assert.equal(response.status, 422)
      assert.equal(response.body.errors[0].field, 'code')
    }
    assert.isEmpty(await db.from('countries'))
  })

  test('[A6] a form with very many fields is parsed in linear time', async ({ assert }) => {
    const body = Array.from({ length: 100_000 }, (_, index) => `f${index}=1`).join('&')
    const response = await call('POST', '/api/claims', {
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    assert.equal(response.status, 422)
  })
})
