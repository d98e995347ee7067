import { test } from '@japa/runner'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { get } from '#tests/helpers/http'
import { giveRoles, makeRole, restoreRoles } from '#tests/helpers/roles'
import { Shipment } from '#tests/fixtures/suggestions'

const FIELDS = ['carrier', 'size', 'street']
const OTHERS = ['title', 'code', 'email', 'notes', 'pin', 'remark', 'id', 'missing']

test.group('Admin | suggestions of existing values', (group) => {
  let ada: string

  group.setup(() => fakeHashes())
  group.setup(async () => {
    await emptyAdminTables()
    ada = await cookiesOf(await makeUser('ada'))
    return () => restoreRoles()
  })
  group.each.setup(async () => {
    await Shipment.query().delete()
  })

  const ask = (field: string, q = '', cookie = ada) =>
    get(`/admin/Shipment/suggestions/${field}?${new URLSearchParams({ q })}`, {
      headers: { cookie, accept: 'application/json' },
    })

  async function values(field: string, q?: string, cookie?: string): Promise<string[]> {
    const { body } = await ask(field, q, cookie)
    return body.values
  }

  async function statusOf(field: string, cookie?: string): Promise<number> {
    const { status } = await ask(field, '', cookie)
    return status
  }

  const send = (carriers: Array<string | null>, more: Partial<Shipment> = {}) =>
    Shipment.createMany(carriers.map((carrier) => ({ title: 'Shipment', carrier, ...more })))

  async function cookieOf(name: string, permissions: object): Promise<string> {
    const user = await makeUser(name, { isSuperuser: false })
    await makeRole(name, { Shipment: permissions } as any)
    await giveRoles(user, [name])
    return await cookiesOf(user)
  }

  test('[B17] suggestions are repeated values that contain the text, most frequent first', async ({
    assert,
  }) => {
    await send([
      'Kelp',
      'Kelp',
      'Birch 100%',
      'Birch 100%',
      'Birch 100%',
      'Once',
      null,
      null,
      '',
      '',
    ])
    assert.deepEqual(await values('carrier'), ['Birch 100%', 'Kelp'])
    assert.deepEqual(await values('carrier', ' 0% '), ['Birch 100%'])
    assert.deepEqual(await values('carrier', 'KEL'), ['Kelp'])
    assert.deepEqual(await values('carrier', 'once'), [])
  })

  test('[B17] unless the option is set, a column whose values mostly occur once has no suggestions', async ({
    assert,
  }) => {
    for (const street of ['a', 'b', 'c', 'd', 'd']) await send([street], { street })
    assert.deepEqual(await values('carrier'), [])
    assert.deepEqual(await values('street'), ['d', 'a', 'b', 'c'])
    assert.deepEqual(await values('size', 'l'), ['Small', 'Large'])
  })

  test('[B17] at most 50 values are suggested', async ({ assert }) => {
    await send(Array.from({ length: 120 }, (_, index) => `Carrier ${String(index % 60)}`))
    const { body } = await ask('carrier')
    assert.lengthOf(body.values, 50)
    assert.isTrue(body.isCut)
    const { body: narrowed } = await ask('carrier', '59')
    assert.isFalse(narrowed.isCut)
  })

  test('[B17, U3] the field {$self} has no suggestions')
    .with(OTHERS)
    .run(async ({ assert }, field) => {
      await send(['Kelp', 'Kelp'], { pin: '1234', notes: 'n', remark: 'r' })
      assert.equal(await statusOf(field), 404)
    })

  test('[B17, L2] fields with suggestions are marked in forms, filters and the bulk edit', async ({
    assert,
  }) => {
    const [one] = await send(['Kelp'])
    const suggested = async (path: string) => {
      const { text } = await get(`/admin/Shipment${path}`, { headers: { cookie: ada } })
      return [...text.matchAll(/data-suggest="\/admin\/Shipment\/suggestions\/(\w+)"/g)].map(
        ([, name]) => name
      )
    }
    assert.sameMembers(await suggested('/create_page'), [...FIELDS, 'depot'])
    assert.sameMembers(await suggested(`/update/${one.id}`), [...FIELDS, 'depot'])
    assert.sameMembers(await suggested(`/bulk-edit?ids=${one.id}`), [...FIELDS, 'depot'])
    assert.deepEqual(await suggested('/filter?add.column=carrier'), ['carrier'])
    assert.deepEqual(await suggested('/filter?add.column=carrier&add.operator=eq'), ['carrier'])
    assert.deepEqual(await suggested('/filter?add.column=title'), [])
  })

  test('[B17, U4] suggestions are only values of records and columns that the role can view', async ({
    assert,
  }) => {
    await send(['Kelp', 'Kelp'])
    await send(['Secret', 'Secret'], { depot: 'south' })
    const north = await cookieOf('north', { actions: ['view'], scopes: ['north'] })
    assert.deepEqual(await values('carrier', '', north), ['Kelp'])
    const blind = await cookieOf('blind', {
      actions: ['view', 'update'],
      hidden: ['carrier'],
    })
    assert.equal(await statusOf('carrier', blind), 404)
    const writer = await cookieOf('writer', { actions: ['create'] })
    assert.equal(await statusOf('carrier', writer), 404)
    const form = await get('/admin/Shipment/create_page', { headers: { cookie: writer } })
    assert.notInclude(form.text, 'data-suggest')
  })
})
