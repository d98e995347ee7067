import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { describeBody } from '#crud/openapi/request_body'
import { resources } from '#crud'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { call, get, patch, post } from '#tests/helpers/http'
import { Coupon } from '#tests/fixtures/own_schemas'

const errorsOf = ({ body }: { body: any }) => body.errors

test.group('Strict bodies', (group) => {
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await Coupon.query().delete()
    await db.from('letters').delete()
    app.config.set('crud.strictBody', true)
    return () => app.config.set('crud.strictBody', false)
  })

  test('[A7] an unknown field of a create is 422 and suggests the most similar name', async ({
    assert,
  }) => {
    const response = await post('/api/letters', { title: 'a', tilte: 'b' })
    assert.equal(response.status, 422)
    assert.deepEqual(errorsOf(response), [
      {
        field: 'tilte',
        rule: 'unknown',
        message: 'The tilte field is not known; did you mean "title"?',
      },
    ])
    assert.isEmpty(await db.from('letters'))
  })

  test('[A7] a column that is not in the update schema is an unknown field', async ({ assert }) => {
    const { body } = await post('/api/coupons', { share: 1 })
    const response = await patch(`/api/coupons/${body.id}`, { share: 2, id: 5, sharee: 3 })
    assert.equal(response.status, 422)
    assert.sameMembers(
      errorsOf(response).map((one: any) => `${one.field} ${one.rule}`),
      ['id unknown', 'sharee unknown']
    )
    const { body: read } = await get(`/api/coupons/${body.id}`)
    assert.equal(read.share, 1)
  })

  test('[A7, A6] unknown fields are reported together with all other errors', async ({
    assert,
  }) => {
    const response = await post('/api/coupons', { cents: 'x', extra: 1, other: null })
    assert.sameMembers(
      errorsOf(response).map((one: any) => one.field),
      ['cents', 'extra', 'other']
    )
  })

  test("[A7] names of Object.prototype's members are unknown like any other: {name}")
    .with([
      { name: '__proto__' },
      { name: 'constructor' },
      { name: '' },
      { name: '_method' },
      { name: 'x'.repeat(500_000) },
    ])
    .run(async ({ assert }, { name }) => {
      const body = `{"share":1,${JSON.stringify(name)}:{}}`
      const headers = { 'content-type': 'application/json' }
      const response = await call('POST', '/api/coupons', { body, headers })
      assert.equal(response.status, 422)
      assert.lengthOf(errorsOf(response), 1)
      assert.equal(errorsOf(response)[0].rule, 'unknown')
      assert.isBelow(response.text.length, 1000)
    })

  test('[A7, A6] at most a hundred of ten thousand unknown fields are reported', async ({
    assert,
  }) => {
    const names = Array.from({ length: 10_000 }, (_, index) => [`x${index}`, 1])
    const response = await post('/api/coupons', Object.fromEntries(names))
    assert.equal(response.status, 422)
    assert.lengthOf(errorsOf(response), 100)
  })

  test('[A7] known fields are accepted, in JSON and in an urlencoded body', async ({ assert }) => {
    const created = await post('/api/coupons', { share: 1, zip: null })
    assert.equal(created.status, 201)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const form = await call('POST', '/api/coupons', { body: 'share=1', headers })
    assert.equal(form.status, 201)
    const unknown = await call('POST', '/api/coupons', { body: 'share=1&x=1', headers })
    assert.equal(unknown.status, 422)
  })

  test('[A7, S61] the option strictBody refuses unknown fields below /crud, and not in forms', async ({
    assert,
  }) => {
    const cookie = await cookiesOf(await makeUser('jo'))
    const refused = await post('/admin/Coupon/crud', { share: 1, x: 1 }, { headers: { cookie } })
    assert.equal(refused.status, 422)
    assert.deepEqual(errorsOf(refused)[0].field, 'x')
    const sent = await sendForm('/admin/Coupon/form_create', { share: '1', x: '1' }, { cookie })
    assert.equal(sent.status, 303)
    assert.lengthOf(await Coupon.all(), 1)
  })

  test('[A7] by default unknown fields of a create and an update are ignored', async ({
    assert,
  }) => {
    app.config.set('crud.strictBody', false)
    const { status, body } = await post('/api/coupons', { share: 1, x: 1 })
    assert.equal(status, 201)
    const changed = await patch(`/api/coupons/${body.id}`, { x: 1 })
    assert.equal(changed.status, 200)
  })

  test('[Q1] openapi.json declares that unknown fields are refused', ({ assert }) => {
    const { createBody } = resources.all().find(({ model }) => model === Coupon)!
    assert.isFalse(describeBody(createBody, 'create', true).additionalProperties)
    assert.notProperty(describeBody(createBody, 'create'), 'additionalProperties')
  })
})
