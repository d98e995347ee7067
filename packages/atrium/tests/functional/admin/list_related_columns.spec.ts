import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { AdminViewOptions } from '#admin'
import { checkRelatedColumns } from '#admin/views/related_columns'
import { ModelView } from '#admin/views/model_view'
import { Client, Consignment, Label, TABLES, Town } from '#tests/fixtures/depots'
import {
  adminSite,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { get } from '#tests/helpers/http'
import { queriesOf } from '#tests/helpers/queries'
import { giveRoles, makeRole, restoreRoles } from '#tests/helpers/roles'

const WHOLE = { actions: ['*'] }

test.group('Admin list | columns of related records', (group) => {
  group.tap((one) => one.tags(['@database']))
  let cookie: string

  const open = async (path: string) => {
    const { status, text } = await get(`/admin/Consignment${path}`, { headers: { cookie } })
    if (status !== 200) throw new Error(`${path}: ${status}`)
    return text
  }

  /** Returns the texts of the cells of a list, row by row. */
  async function rows(query = '') {
    const [, body = ''] = /<tbody[^>]*>(.*?)<\/tbody>/s.exec(await open(`/?${query}`)) ?? []
    return [...body.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row]) =>
      [...row.matchAll(/<(td|th)(?! class="list-)[^>]*>(.*?)<\/\1>/gs)].map(([, , cell]) =>
        cell
          .replace(/<span class="sr-only">.*?<\/span>/g, '')
          .replace(/<[^>]*>/g, '')
          .trim()
      )
    )
  }

  const titles = async (query: string) => {
    const found = await rows(query)
    return found.map(([title]) => title)
  }

  async function signIn(permissions: Parameters<typeof makeRole>[1]) {
    const user = await makeUser('ann', { isSuperuser: false, roles: [] })
    await makeRole('Reader', permissions)
    await giveRoles(user, ['Reader'])
    cookie = await cookiesOf(user)
  }

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await restoreRoles()
    for (const table of TABLES) await db.from(table).delete()
    const oslo = await Town.create({ name: 'Oslo', people: 700000 })
    const rome = await Town.create({ name: 'Rome', people: null })
    const ada = await Client.create({ name: 'Ada', credit: '1250.25', townId: oslo.id })
    const bo = await Client.create({
      name: 'Bo',
      street: 'High St',
      credit: '5.75',
      townId: rome.id,
    })
    const gone = await Client.create({ name: 'Cy', townId: oslo.id, isDeleted: true })
    const values = { state: 'open' }
    await Consignment.create({ ...values, title: 'Pens', clientId: bo.id })
    const { id } = await Consignment.create({ ...values, title: 'Ink', clientId: ada.id })
    await Consignment.create({ ...values, title: 'Old', clientId: gone.id })
    await Consignment.create({ ...values, title: 'Own', clientId: null })
    await Label.create({ consignmentId: id, code: 'L-1' })
    cookie = await cookiesOf(await makeUser('su'))
    return () => restoreRoles()
  })

  test('[L6.3] lists show fields of related records, over one or two relations', async ({
    assert,
  }) => {
    assert.deepEqual(await rows('sort_by=title'), [
      ['Ink', 'Ada', '–', '€1,250.25', 'Oslo', 'Oslo', 'L-1'],
      ['Old', '–', '–', '–', '–', '–', '–'],
      ['Own', '–', '–', '–', '–', '–', '–'],
      ['Pens', 'Bo', 'High St', '€5.75', 'Rome', 'Rome', '–'],
    ])
    const text = await open('/')
    for (const label of ['Client name', 'Client town name', 'Label code']) {
      assert.include(text, label)
    }
    assert.deepEqual(await rows('columns=client.town.name,title&sort_by=title'), [
      ['Oslo', 'Ink'],
      ['–', 'Old'],
      ['–', 'Own'],
      ['Rome', 'Pens'],
    ])
    const { id } = await Consignment.findByOrFail('title', 'Ink')
    assert.match(await open(`/view/${id}`), /Client town name<\/dt>.*?Oslo/s)
  })

  test('[L6.3, W8] related columns can be sorted and filtered like related fields, also in saved views', async ({
    assert,
  }) => {
    const byTown = 'sort_by=client.town.name,title&sort_order=desc,asc'
    const sorted = await titles(byTown)
    assert.deepEqual(
      sorted.filter((title) => title !== 'Old' && title !== 'Own'),
      ['Pens', 'Ink']
    )
    const headings = await open(`/?${byTown}`)
    assert.include(headings, 'aria-sort="descending"')
    assert.include(headings, 'sort_by=client.town.name')
    assert.notInclude(headings, 'sort_by=label.code')
    assert.deepEqual(await titles('filter.client.town.name=Oslo'), ['Ink'])
    const form = await open('/filter?add.column=client.town.name')
    assert.include(form, 'name="add.value"')
    const saved = await sendForm(
      '/admin/Consignment/views',
      { name: 'Towns', query: `${byTown}&columns=title,client.town.name` },
      { cookie }
    )
    const { searchParams } = new URL(saved.headers.get('location')!, 'http://localhost')
    const view = `view=${searchParams.get('view')}`
    const viewed = await rows(view)
    assert.deepEqual(viewed[sorted.indexOf('Pens')], ['Pens', 'Rome'])
    assert.notInclude(await open(`/?${view}`), 'is-changed')
  })

  test('[L6.3, R9] next and previous links, selections and exports use the same order and columns as the list', async ({
    assert,
  }) => {
    const query = 'sort_by=client.name,title&sort_order=asc,asc&filter.client.name__is_not=null'
    const { id } = await Consignment.findByOrFail('title', 'Ink')
    const list = encodeURIComponent(query)
    const form = await open(`/update/${id}?list=${list}`)
    const { id: next } = await Consignment.findByOrFail('title', 'Pens')
    assert.include(form, `/admin/Consignment/update/${next}?list=`)
    const columns = 'columns=title&columns=client.credit&columns=client.town_id'
    const csv = await open(`/export?format=csv&titles=1&${columns}&${query}`)
    const { townId } = await Client.findByOrFail('name', 'Ada')
    const lines = csv.trim().split(/\r?\n/)
    assert.deepEqual(lines.slice(0, 2), [
      'title,client.credit,client.town_id',
      `Ink,1250.25,${townId}`,
    ])
    assert.lengthOf(lines, 3)
    assert.include(await open(`/explain?${query}`), 'Client name')
  })

  test('[L6.3, U4] related columns that roles hide are not offered, and records out of scope are empty', async ({
    assert,
  }) => {
    await signIn({ Consignment: WHOLE, Client: { ...WHOLE, scopes: ['big'] }, Town: WHOLE })
    const shown = await rows('columns=title,client.name,client.town.name&sort_by=title')
    assert.deepEqual(
      [shown[0], shown[3]],
      [
        ['Ink', 'Ada', 'Oslo'],
        ['Pens', '–', '–'],
      ]
    )
    await emptyAdminTables()
    await restoreRoles()
    await signIn({ Consignment: WHOLE, Client: { ...WHOLE, hidden: ['credit', 'town_id'] } })
    const text = await open('/')
    assert.include(text, 'Client street')
    for (const label of ['Client credit', 'Client town', 'Label code']) {
      assert.notInclude(text, label)
    }
    assert.notInclude(await open('/columns'), 'client.credit')
    assert.include(await open('/?columns=title,client.credit'), 'client.credit')
    const hidden = await get('/admin/Consignment/export?format=csv&columns=client.credit', {
      headers: { cookie },
    })
    assert.equal(hidden.status, 422)
    assert.notInclude(hidden.text, '1250')
  })

  test('[L6.3, R4] a related list below a record omits the columns that refer to that record', async ({
    assert,
  }) => {
    const { id } = await Client.findByOrFail('name', 'Ada')
    const path = `/admin/Client/related/consignments/${id}`
    const { text } = await get(path, { headers: { cookie } })
    assert.include(text, 'Label code')
    assert.notInclude(text, 'Client street')
    assert.notInclude(text, 'Client town name')
  })

  test('[L6.3] a list runs one query per relation, whatever the number of rows and columns', async ({
    assert,
  }) => {
    const columns = 'columns=title,client.name,client.street,client.town.name,label.code'
    const reads = async (query: string) => {
      const all = await queriesOf(() => open(`/?${columns}&${query}`))
      return all.filter((sql) => /from [`"](?:depot_clients|depot_towns|depot_labels)/.test(sql))
    }
    await reads('')
    assert.lengthOf(await reads(''), 3)
  })

  test('[L6.3, P9] the application does not start if listColumns contains an invalid name of a related column', async ({
    assert,
  }) => {
    const site = await adminSite()
    const { databaseConfig } = site.models.get('Consignment')!
    const checked = (listColumns: AdminViewOptions['listColumns']) => () =>
      checkRelatedColumns(
        new ModelView({ model: Consignment, listColumns, databaseConfig, adminSite: site })
      )
    assert.throws(checked(['nobody.name']), /no belongsTo or hasOne relation 'nobody'/)
    assert.throws(checked(['parcels.content']), /no belongsTo or hasOne relation 'parcels'/)
    assert.throws(checked(['client.town.depot.name']), /more than 2 relations/)
    assert.throws(checked(['client.fax']), /Client does not show 'fax'/)
    assert.doesNotThrow(checked(['client.town.people']))
  })
})
