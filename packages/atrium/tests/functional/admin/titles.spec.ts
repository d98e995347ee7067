import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { PermissionsInput } from '#admin/models/permissions_document'
import { Haven, Mooring } from '#tests/fixtures/titles'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { emptyEventTables } from '#tests/helpers/events'
import { get } from '#tests/helpers/http'
import { giveRoles, makeRole, restoreRoles } from '#tests/helpers/roles'

test.group('Admin | titles and choices', (group) => {
  group.tap((one) => one.tags(['@database']))
  let cookie: string
  let bergen: Haven

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    const empty = async () => {
      for (const table of ['moorings', 'havens']) await db.from(table).delete()
      await emptyAdminTables()
      await emptyEventTables()
      await restoreRoles()
    }
    await empty()
    cookie = await cookiesOf(await makeUser('root'))
    bergen = await Haven.create({ name: 'Bergen', country: 'Norway', code: 'NOBGO' })
    await Haven.create({ name: 'Oslo', country: null, code: null })
    await Haven.create({ name: 'Bergen', country: 'Germany', code: null })
    return empty
  })

  async function textOf(path: string, as = cookie): Promise<string> {
    const { text } = await get(path, { headers: { cookie: as } })
    return text
  }

  async function withRole(permissions: PermissionsInput): Promise<string> {
    await makeRole('Sailor', permissions)
    const user = await makeUser('sam', { isSuperuser: false })
    await giveRoles(user, ['Sailor'])
    return await cookiesOf(user)
  }

  test('[G4] a title from a template is shown in list, page, palette, picker, facet, history and export', async ({
    assert,
  }) => {
    await Mooring.create({ name: 'North', havenId: bergen.id, state: 'done' })
    const title = 'Bergen (Norway), NOBGO'
    assert.include(await textOf('/admin/Mooring/'), title)
    assert.include(await textOf(`/admin/Haven/update/${bergen.id}`), title)
    assert.include(await textOf(`/admin/Haven/history/${bergen.id}`), title)
    assert.include(await textOf('/admin/Haven/'), `aria-label="Select ${title}"`)
    assert.include(await textOf('/admin/search?q=norw'), title)
    assert.include(await textOf('/admin/search?q=bergen%20norway'), title)
    assert.include(await textOf('/admin/Mooring/facets'), title)
    const form = await textOf('/admin/Mooring/create_page')
    for (const one of [title, 'Oslo', 'Bergen (Germany)']) {
      assert.match(form, new RegExp(`<option[^>]*>${one.replace(/[()]/g, '\\$&')}</option>`))
    }
    const csv = await textOf('/admin/Mooring/export?format=csv&titles=1')
    assert.include(csv, `"${title}"`)
    const found = await textOf('/admin/Mooring/?filter.haven_id__title=norw')
    assert.include(found, 'North')
  })

  test('[G4, U3] a part of a title that the role cannot view is left out of lists, forms, search, facets and exports', async ({
    assert,
  }) => {
    await Mooring.create({ name: 'North', havenId: bergen.id, state: 'done' })
    const own = await withRole({
      Haven: { actions: ['view', 'update'], hidden: ['country'] },
      Mooring: { actions: ['view', 'create', 'export'] },
    })
    const pages = [
      '/admin/Mooring/',
      `/admin/Haven/update/${bergen.id}`,
      '/admin/Haven/',
      '/admin/search?q=bergen',
      '/admin/Mooring/create_page',
      '/admin/Mooring/facets',
      '/admin/Mooring/export?format=csv&titles=1',
    ]
    for (const path of pages) {
      const text = await textOf(path, own)
      assert.include(text, 'Bergen, NOBGO', path)
      assert.notInclude(text, 'Norway', path)
    }
    const searched = await textOf('/admin/search?q=norway', own)
    assert.notInclude(searched, 'Bergen')
    const filtered = await textOf('/admin/Mooring/?filter.haven_id__title=norw', own)
    assert.notInclude(filtered, 'North')
  })

  test('[G4] the records that the user chose last come first in pickers', async ({ assert }) => {
    for (let at = 0; at < 60; at++) await Haven.create({ name: `Aaa ${at}`, country: null })
    const zeebrugge = await Haven.create({ name: 'Zeebrugge', country: 'Belgium', code: null })
    const save = (name: string, haven: Haven) =>
      sendForm('/admin/Mooring/form_create', { name, haven_id: String(haven.id) }, { cookie })
    const first = await save('A', bergen)
    assert.equal(first.status, 303)
    await save('B', zeebrugge)
    const choices = await textOf('/admin/Mooring/choices/haven_id')
    const order = ['Zeebrugge', 'Bergen (Norway)', 'Aaa 0'].map((one) => choices.indexOf(one))
    assert.isTrue(order.every((at) => at >= 0))
    assert.deepEqual(
      order,
      order.toSorted((one, other) => one - other)
    )
    const searched = await textOf('/admin/Mooring/choices/haven_id?q=Aaa')
    assert.notInclude(searched, 'Zeebrugge')
    const al = await cookiesOf(await makeUser('al'))
    assert.notInclude(await textOf('/admin/Mooring/choices/haven_id', al), 'Zeebrugge')
  })

  test('[G4] values of an enum have their labels and colours in list, form, filter and facet', async ({
    assert,
  }) => {
    await Mooring.create({ name: 'North', havenId: null, state: 'in_progress' })
    const done = await Mooring.create({ name: 'South', havenId: null, state: 'done' })
    const label = 'In &lt;b&gt;progress&lt;/b&gt;'
    const list = await textOf('/admin/Mooring/?filter.state=in_progress')
    assert.include(list, `<span class="value-badge" data-color="amber">${label}</span>`)
    assert.notInclude(list, '<b>progress')
    const all = await textOf('/admin/Mooring/')
    assert.include(all, '<span class="value-badge" data-color="green">done</span>')
    assert.include(
      await textOf('/admin/Mooring/?group_by=state'),
      'class="bar-0" data-color="amber"'
    )
    const form = await textOf(`/admin/Mooring/update/${done.id}`)
    assert.match(form, new RegExp(`<option value="in_progress"[^>]*>${label}</option>`))
    assert.match(form, /<option value="done"[^>]*selected[^>]*>done<\/option>/)
    assert.include(await textOf('/admin/Mooring/facets'), label)
    const filter = await textOf('/admin/Mooring/filter?add.column=state&add.operator=eq')
    assert.include(filter, label)
    await sendForm(
      `/admin/Mooring/form_update/${done.id}`,
      { name: 'South', state: 'lost' },
      { cookie }
    )
    assert.include(await textOf(`/admin/Mooring/history/${done.id}`), 'Lost at sea')
  })

  test('[G4] with labels=1 an export has the labels of its columns and enums', async ({
    assert,
  }) => {
    await Mooring.create({ name: 'North', havenId: null, state: 'lost' })
    const plain = await textOf('/admin/Mooring/export?format=csv&columns=name,state')
    assert.equal(plain.trim(), 'name,state\r\nNorth,lost')
    const labelled = await textOf('/admin/Mooring/export?format=csv&columns=name,state&labels=1')
    assert.equal(labelled.trim(), 'Name,State\r\nNorth,Lost at sea')
  })

  test('[G4] the API schema describes the values of an enum', async ({ assert }) => {
    const { body } = await get('/api/openapi.json')
    const { components } = body
    const enums = ['Mooring', 'MooringCreate', 'MooringUpdate'].map(
      (name) => components.schemas[name].properties.state
    )
    for (const schema of enums) {
      assert.deepEqual(schema.enum.slice(0, 3), ['in_progress', 'done', 'lost'])
      assert.deepEqual(schema['x-enum-descriptions'].slice(0, 3), [
        'In <b>progress</b>',
        'done',
        'Lost at sea',
      ])
    }
  })
})
