import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { Consignment, Depot, Parcel, TABLES } from '#tests/fixtures/depots'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { formOf } from '#tests/helpers/forms'
import { get, statusOf } from '#tests/helpers/http'
import { giveRoles, makeRole, restoreRoles } from '#tests/helpers/roles'

const WHOLE = { actions: ['*'] }
const ROLE = { Consignment: WHOLE, Parcel: WHOLE, Client: WHOLE }

test.group('Admin form | defaults of fields', (group) => {
  let first: Depot
  let second: Depot
  let cookie: string

  async function signIn(
    attributes: Record<string, unknown>,
    permissions?: Parameters<typeof makeRole>[1]
  ) {
    const user = await makeUser('kim', { isSuperuser: permissions === undefined, roles: [] })
    await user.merge({ attributes: attributes as never }).save()
    if (permissions) {
      await makeRole('Clerk', permissions)
      await giveRoles(user, ['Clerk'])
    }
    cookie = await cookiesOf(user)
  }

  async function form(query = '') {
    const { text } = await get(`/admin/Consignment/create_page?${query}`, { headers: { cookie } })
    return formOf(text)
  }

  const create = async (fields: Record<string, string>) =>
    await statusOf(sendForm('/admin/Consignment/form_create', fields, { cookie }))
  const created = async () => await Consignment.query().preload('parcels').firstOrFail()

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await restoreRoles()
    for (const table of TABLES) await db.from(table).delete()
    first = await Depot.create({ name: 'First' })
    second = await Depot.create({ name: 'Second' })
    return () => restoreRoles()
  })

  test('[G8.5, B17] a blank form starts with the default values for the user, in the format of each field', async ({
    assert,
  }) => {
    await signIn({ depot: second.id, state: 'sent' })
    const { values } = await form()
    assert.include(values, { depot_id: String(second.id), state: 'sent' })
    assert.include(values, { day: '2026-07-02', due_at: '2026-07-01T10:00:00' })
  })

  test('[G8.5, R4, R11] a field starts with the value of the query string, the copied record, the option default or the column', async ({
    assert,
  }) => {
    await signIn({ depot: second.id, state: 'sent' })
    const { id } = await Consignment.create({ title: 'Box', state: 'lost', depotId: null })
    const copy = await form(`from=${id}`)
    assert.include(copy.values, { state: 'lost', depot_id: '', day: '' })
    const addressed = await form(`from=${id}&state=open`)
    assert.equal(addressed.values.state, 'open')
    await signInAgain()
    const blank = await form()
    assert.equal(blank.values.state, 'open')

    async function signInAgain() {
      await emptyAdminTables()
      await signIn({})
    }
  })

  test('[G8.6, U4] a configured default that the user is not allowed to choose is not used', async ({
    assert,
  }) => {
    await signIn({ depot: 'north', state: 'stolen' })
    const { values } = await form()
    assert.include(values, { depot_id: '', state: 'open' })
    await emptyAdminTables()
    await signIn(
      { depot: second.id, state: 'sent' },
      {
        ...ROLE,
        Consignment: { ...WHOLE, readonly: ['state'] },
        Depot: { ...WHOLE, scopes: ['first'] },
      }
    )
    assert.equal(await create({ title: 'Box' }), 303)
    const { depotId, state } = await created()
    assert.deepEqual([depotId, state], [null, 'open'])
  })

  test('[G8.3, G8.5] a hidden field of a new record gets its configured default, whatever value the form sends', async ({
    assert,
  }) => {
    await signIn({ depot: first.id, state: 'sent' }, { ...ROLE, Depot: WHOLE })
    const { values } = await form()
    assert.notProperty(values, 'depot_id')
    assert.property(values, 'note')
    const sent = { title: 'Box', depot_id: String(second.id), state: 'lost', note: 'Handle' }
    assert.equal(await create(sent), 303)
    const { depotId, state, note, id } = await created()
    assert.deepEqual([depotId, state, note], [first.id, 'sent', 'Handle'])
    const { text } = await get(`/admin/Consignment/bulk-edit?ids=${id}`, { headers: { cookie } })
    assert.include(text, 'name="title"')
    assert.notInclude(text, 'name="depot_id"')
    const bulk = {
      _edit: '1',
      _ids: String(id),
      depot_id: String(second.id),
      depot_id__change: '1',
    }
    await sendForm('/admin/Consignment/bulk-edit', bulk, { cookie })
    const unchanged = await created()
    assert.equal(unchanged.depotId, first.id)
  })

  test('[G8.5, R2] new rows start with the defaults of their model, and count as blank while these are unchanged', async ({
    assert,
  }) => {
    await signIn({ depot: first.id })
    const { values } = await form()
    assert.equal(values['parcels.0.depot_id'], String(first.id))
    assert.isNotEmpty(values['parcels.0.packed_at'])
    assert.notProperty(values, 'parcels.0.packer')
    /* As in a form that was opened earlier */
    values['parcels.1.packed_at'] = '2026-01-01T10:00:00'
    values['parcels.1.__begin'] = JSON.stringify({ packed_at: ['2026-01-01T10:00:00'] })
    const sent = { ...values, 'title': 'Box', 'parcels.0.content': 'Pens', 'parcels.1.packer': 'x' }
    assert.equal(await create(sent), 303)
    const { parcels } = await created()
    assert.lengthOf(parcels, 1)
    const [{ content, depotId, packer, source }] = parcels
    assert.deepEqual([content, depotId, packer, source], ['Pens', first.id, 'kim', 'counter'])
    assert.lengthOf(await Parcel.all(), 1)
  })

  test('[G8.5, R5] the form of a new reference in a dialog starts with the defaults too', async ({
    assert,
  }) => {
    await signIn({ depot: second.id })
    const path = '/admin/Consignment/create_page?_beside=Label.consignment_id'
    const { text } = await get(path, { headers: { cookie } })
    assert.match(text, new RegExp(`value="${second.id}" selected`))
  })
})
