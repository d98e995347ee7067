import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { AccountCrud, hashOf } from '#tests/fixtures/writes'
import { get, patch, post } from '#tests/helpers/http'

const ACCOUNT = { email: 'ada@example.org', password: 'correct horse' }

test.group('Virtual fields', (group) => {
  group.tap((one) => one.tags(['@database']))
  group.each.setup(async () => {
    await db.from('member_accounts').delete()
    AccountCrud.seen.length = 0
  })

  test('[P6] prepareCreate receives a virtual field, and can derive a column from it', async ({
    assert,
  }) => {
    const response = await post('/api/member-accounts', ACCOUNT)
    assert.equal(response.status, 201)
    assert.deepEqual(AccountCrud.seen, ['correct horse'])
    const [row] = await db.from('member_accounts')
    assert.deepInclude(row, { email: ACCOUNT.email, hashed_password: hashOf(ACCOUNT.password) })
  })

  test('[P6] prepareUpdate receives a virtual field', async ({ assert }) => {
    const { body } = await post('/api/member-accounts', ACCOUNT)
    const response = await patch(`/api/member-accounts/${body.id}`, { password: 'battery staple' })
    assert.equal(response.status, 200)
    const [row] = await db.from('member_accounts')
    assert.equal(row.hashed_password, hashOf('battery staple'))
    await patch(`/api/member-accounts/${body.id}`, { email: 'b@example.org' })
    const [stored] = await db.from('member_accounts')
    assert.deepInclude(stored, {
      email: 'b@example.org',
      hashed_password: hashOf('battery staple'),
    })
    assert.deepEqual(AccountCrud.seen, ['correct horse', 'battery staple', undefined])
  })

  test('[P6] a virtual field can’t be read, listed, sorted by or filtered by', async ({
    assert,
  }) => {
    const created = await post('/api/member-accounts', ACCOUNT)
    const read = await get(`/api/member-accounts/${created.body.id}`)
    const expected = { id: created.body.id, email: ACCOUNT.email }
    assert.deepEqual(created.body, expected)
    assert.deepEqual(read.body, expected)
    const list = await get('/api/member-accounts?password=nobody&hashed_password=nobody')
    assert.deepEqual(list.body.data, [expected])
    for (const name of ['password', 'hashed_password']) {
      const sorted = await get(`/api/member-accounts?sort=${name}`)
      assert.equal(sorted.status, 422)
    }
    const updated = await patch(
      `/api/member-accounts/${created.body.id}`,
      { password: 'battery staple' },
      { headers: { prefer: 'return=representation' } }
    )
    assert.deepEqual(updated.body, expected)
  })

  test('[P6] the schema validates a virtual field like any other field', async ({ assert }) => {
    const response = await post('/api/member-accounts', { email: 'no mail', password: 'short' })
    assert.equal(response.status, 422)
    assert.deepEqual(
      response.body.errors.map((error: any) => error.field),
      ['email', 'password']
    )
    assert.notInclude(response.text, 'short')
    assert.deepEqual(AccountCrud.seen, [])
  })

  test('[P6] without a CRUD object that handles it, a virtual field is ignored', async ({
    assert,
  }) => {
    const created = await post('/api/member-accounts', ACCOUNT)
    const [before] = await db.from('member_accounts')
    const response = await patch(`/api/accounts-without-crud/${created.body.id}`, { password: 'x' })
    assert.equal(response.status, 200)
    assert.deepEqual(await db.from('member_accounts'), [before])
    const fresh = await post('/api/accounts-without-crud', { email: 'x', password: 'x' })
    assert.equal(fresh.status, 422)
    assert.equal(fresh.body.errors[0].rule, 'not_null')
  })

  test("[A7] a hidden column that no schema contains can't be set", async ({ assert }) => {
    const { body } = await post('/api/member-accounts', { ...ACCOUNT, hashed_password: 'mine' })
    await patch(`/api/member-accounts/${body.id}`, { hashed_password: 'mine', hashedPassword: 'x' })
    const [row] = await db.from('member_accounts')
    assert.equal(row.hashed_password, hashOf(ACCOUNT.password))
  })
})
