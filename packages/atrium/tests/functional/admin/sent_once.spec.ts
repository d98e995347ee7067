import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { AdminUser } from '#admin'
import { Machine, Maker } from '#tests/fixtures/forms'
import { Camel, Caravan, TABLES } from '#tests/fixtures/inlines'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { formOf } from '#tests/helpers/forms'
import { get } from '#tests/helpers/http'

test.group('Admin | forms submitted twice', (group) => {
  group.tap((one) => one.tags(['@database']))
  let jo: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await db.from('idempotency_keys').delete()
    await Machine.query().delete()
    await Maker.query().delete()
    for (const table of TABLES) await db.from(table).delete()
    jo = await makeUser('jo')
    cookie = await cookiesOf(jo)
  })

  const tokenOf = async (path: string) => {
    const { text } = await get(`/admin/${path}`, { headers: { cookie } })
    return formOf(text).owner
  }
  const send = (token: string, fields: Record<string, string> = {}, headers = {}) =>
    sendForm(
      '/admin/Machine/form_create',
      { name: 'Loom', ...fields, _by: token },
      { cookie, ...headers }
    )
  const machines = async () => {
    const rows = await Machine.query().orderBy('id')
    return rows.map(({ name }) => name)
  }

  test('[S36] a repeated submission redirects to the record of the first one', async ({
    assert,
  }) => {
    const token = await tokenOf('Machine/create_page')
    const first = await send(token)
    assert.equal(first.status, 303)
    const { id } = await Machine.firstOrFail()
    const second = await send(token)
    assert.equal(second.status, 303)
    assert.equal(second.headers.get('location'), `/admin/Machine/update/${id}`)
    const third = await send(token, {}, { 'hx-request': 'true' })
    assert.equal(third.status, 303)
    assert.equal(third.headers.get('hx-redirect'), `/admin/Machine/update/${id}`)
    assert.deepEqual(await machines(), ['Loom'])
    const next = await send(token, { name: 'Other' })
    assert.equal(next.status, 303)
    const again = await send(await tokenOf('Machine/create_page'))
    assert.equal(again.status, 303)
    assert.deepEqual(await machines(), ['Loom', 'Other', 'Loom'])
  })

  test('[S36] concurrent submissions create one record', async ({ assert }) => {
    const token = await tokenOf('Machine/create_page')
    const responses = await Promise.all([1, 2, 3, 4].map(() => send(token)))
    assert.deepEqual(
      responses.map(({ status }) => status),
      [303, 303, 303, 303]
    )
    assert.deepEqual(await machines(), ['Loom'])
  })

  test('[S36] a form that was refused can be submitted again', async ({ assert }) => {
    const token = await tokenOf('Machine/create_page')
    const fields = { nickname: 'Jo' }
    const taken = await Machine.create({ name: 'Mill', nickname: 'Jo' })
    const refused = await send(token, fields)
    assert.equal(refused.status, 422)
    await taken.delete()
    const made = await send(token, fields)
    assert.equal(made.status, 303)
    assert.deepEqual(await machines(), ['Loom'])
  })

  test('[S36, U4] a form token of another user or model does not prevent a create, and returns no earlier record', async ({
    assert,
  }) => {
    const token = await tokenOf('Machine/create_page')
    await send(token)
    const other = await cookiesOf(await makeUser('kim'))
    const foreign = await send(token, {}, { cookie: other })
    assert.equal(foreign.status, 303)
    assert.deepEqual(await machines(), ['Loom', 'Loom'])
    const maker = await sendForm(
      '/admin/Maker/form_create',
      { name: 'Loom', _by: token },
      { cookie }
    )
    assert.equal(maker.status, 303, maker.text)
    assert.lengthOf(await Maker.all(), 1)
  })

  test('[S36, R2] rows of a form that is submitted twice are created once, for a new parent and for a stored one', async ({
    assert,
  }) => {
    const token = await tokenOf('Caravan/create_page')
    const row = { 'camels.0.name': 'Asra', 'camels.0.weight': '100' }
    const create = () =>
      sendForm('/admin/Caravan/form_create', { name: 'Silk', ...row, _by: token }, { cookie })
    const made = await Promise.all([create(), create()])
    assert.deepEqual(
      made.map(({ status }) => status),
      [303, 303],
      made[0].text
    )
    const [caravan, ...more] = await Caravan.all()
    assert.isEmpty(more)
    assert.lengthOf(await Camel.all(), 1)

    const { text } = await get(`/admin/Caravan/update/${caravan.id}`, { headers: { cookie } })
    const { owner, values } = formOf(text.replace(/<template>.*?<\/template>/gs, ''))
    const fields = { ...values, 'camels.1.name': 'Basim', 'camels.1.weight': '90', '_by': owner }
    const update = () => sendForm(`/admin/Caravan/form_update/${caravan.id}`, fields, { cookie })
    const updated = await Promise.all([update(), update()])
    const last = await update()
    assert.deepEqual(
      [...updated, last].map(({ status }) => status),
      [303, 303, 303]
    )
    const camels = await Camel.query().orderBy('id')
    assert.deepEqual(
      camels.map(({ name }) => name),
      ['Asra', 'Basim']
    )
  })
})
