import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { Consignment, Parcel, TABLES } from '#tests/fixtures/depots'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { get } from '#tests/helpers/http'
import { giveRoles, makeRole, restoreRoles } from '#tests/helpers/roles'

const WHOLE = { actions: ['*'] }

test.group('Admin form | totals of inline rows', (group) => {
  group.tap((one) => one.tags(['@database']))
  let cookie: string
  let id: number

  const open = async (path: string) => {
    const { status, text } = await get(`/admin/Consignment${path}`, { headers: { cookie } })
    if (status !== 200) throw new Error(`${path}: ${status}`)
    return text
  }

  /** Returns the figures of a page as `Price: Total 0.33`. */
  async function figures(path: string): Promise<string[]> {
    const text = await open(path)
    const columns = [
      ...text.matchAll(/<dt dir="auto">([^<]*)<\/dt>((?:\s*<dd data-of.*?<\/dd>)+)/gs),
    ]
    return columns.flatMap(([, label, all]) =>
      [...all.matchAll(/<span>([^<]*)<\/span> <b[^>]*>([^<]*)<\/b>/g)].map(
        ([, of, figure]) => `${label}: ${of} ${figure}`
      )
    )
  }

  async function signIn(permissions: Parameters<typeof makeRole>[1]) {
    await emptyAdminTables()
    await restoreRoles()
    const user = await makeUser('ann', { isSuperuser: false, roles: [] })
    await makeRole('Clerk', permissions)
    await giveRoles(user, ['Clerk'])
    cookie = await cookiesOf(user)
  }

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await restoreRoles()
    for (const table of TABLES) await db.from(table).delete()
    const box = await Consignment.create({ title: 'Box', state: 'open' })
    const other = await Consignment.create({ title: 'Other', state: 'open' })
    id = box.id
    await Parcel.create({ consignmentId: id, content: 'Pens', price: '0.11', weight: 4 })
    await Parcel.create({ consignmentId: id, content: 'Ink', price: '0.22', weight: 1500 })
    await Parcel.create({ consignmentId: other.id, content: 'Pins', price: '7.00', weight: 9000 })
    cookie = await cookiesOf(await makeUser('su'))
    return () => restoreRoles()
  })

  test('[G5.5] a form and the page of a record show totals of the rows, exact for decimals', async ({
    assert,
  }) => {
    assert.deepEqual(await figures(`/update/${id}`), [
      'Price: Total 0.33',
      'Weight: Highest 1,500',
      'Weight: Average (saved) 752',
    ])
    assert.include(await open(`/update/${id}`), 'Of the saved rows')
    assert.deepEqual(await figures(`/related/parcels/${id}`), [
      'Price: Total 0.33',
      'Weight: Highest 1,500',
      'Weight: Average 752',
    ])
    const created = await open('/create_page')
    assert.match(created, /inline-totals" hidden/)
    assert.match(created, /data-input="price" data-sample="1,000,000(?:\.00)?"/)
  })

  test('[G5.5, U4] totals include only columns, records and models that the roles show', async ({
    assert,
  }) => {
    await signIn({ Consignment: WHOLE, Parcel: { ...WHOLE, hidden: ['price'] } })
    assert.notInclude(await open(`/update/${id}`), 'Price')
    assert.include(await figures(`/update/${id}`), 'Weight: Highest 1,500')
    await signIn({ Consignment: WHOLE, Parcel: { ...WHOLE, scopes: ['light'] } })
    assert.include(await figures(`/update/${id}`), 'Price: Total 0.11')
    assert.include(await figures(`/related/parcels/${id}`), 'Weight: Highest 4')
    await signIn({ Consignment: WHOLE, Parcel: { actions: ['view'] } })
    assert.include(await figures(`/update/${id}`), 'Price: Total 0.33')
    assert.notInclude(await open(`/update/${id}`), 'data-sample')
    await signIn({ Consignment: WHOLE })
    assert.deepEqual(await figures(`/update/${id}`), [])
  })
})
