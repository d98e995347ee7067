import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { AdminRole, type AdminUser, type PermissionsDocument } from '#admin'
import {
  adminSite,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { emptyEventTables } from '#tests/helpers/events'
import { call, get, type HttpResponse } from '#tests/helpers/http'
import { giveRoles, makeRole, restoreRoles } from '#tests/helpers/roles'

const ROLES = '/admin/AdminRole'
const CLERK: PermissionsDocument = {
  'Reel': {
    actions: ['view', 'update', 'wave'],
    hidden: ['gone', 'us_gross'],
    readonly: ['title', 'us_gross'],
    scopes: ['own'],
  },
  'Gone.1': { actions: ['*'], hidden: ['a'] },
  'Utensil': { actions: [] },
  '*': { actions: ['view'], hidden: ['created_at'] },
}

/** Texts that a browser sends of an unedited form. */
function fieldsIn(page: string): URLSearchParams {
  const fields = new URLSearchParams()
  const [, form] = /<form id="record-form"[^]*?>([^]*?)<\/form>/.exec(page)!
  for (const [input] of form.matchAll(/<input\b[^>]*>/g)) {
    const attribute = (name: string) => plain(new RegExp(`\\s${name}="([^"]*)"`).exec(input)?.[1])
    const [name, value] = [attribute('name'), attribute('value')]
    const isBox = ['checkbox', 'radio'].includes(attribute('type') ?? '')
    if (name !== undefined && (!isBox || /\schecked/.test(input))) fields.append(name, value ?? '')
  }
  return fields
}

function plain(text: string | undefined): string | undefined {
  return text
    ?.replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

test.group('Admin | page of a role', (group) => {
  let root: AdminUser
  let cookie: string
  let clerk: AdminRole

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await restoreRoles()
    await emptyEventTables()
    clerk = await makeRole('Clerk', CLERK, 'At the counter')
    root = await makeUser('root')
    cookie = await cookiesOf(root)
    return async () => {
      await emptyAdminTables()
      await restoreRoles()
    }
  })

  const open = (path: string): Promise<HttpResponse> => get(path, { headers: { cookie } })
  const submit = (path: string, fields: URLSearchParams | Record<string, string>) =>
    sendForm(path, new URLSearchParams(fields).toString(), { cookie })
  const stored = async () => {
    await clerk.refresh()
    return clerk.permissions
  }

  test('[U6] saving the form of a role without changes preserves its permissions, including unknown names', async ({
    assert,
  }) => {
    const { text } = await open(`${ROLES}/update/${clerk.id}`)
    const fields = fieldsIn(text)
    fields.set('description', 'Changed')
    const { status } = await submit(`${ROLES}/form_update/${clerk.id}`, fields)
    assert.equal(status, 303)
    assert.deepEqual(await stored(), CLERK)
    assert.equal(clerk.description, 'Changed')
  })

  test("[U3.8] the page of a role warns about a required field that its users can't set in a new record", async ({
    assert,
  }) => {
    const all = { actions: ['view', 'create'] }
    const hiding = await makeRole('Hiding', { Reel: { ...all, hidden: ['title', 'us_gross'] } })
    const page = await open(`${ROLES}/update/${hiding.id}`)
    assert.include(page.text, 'Reels: the role can create records, but not set Title, which')
    const fine = await makeRole('Fine', { Reel: { ...all, hidden: ['us_gross'] } })
    const other = await open(`${ROLES}/update/${fine.id}`)
    assert.notInclude(other.text, 'the role can create records, but')

    const user = await makeUser('anna', { isSuperuser: false })
    await giveRoles(user, ['Hiding'])
    const own = await cookiesOf(user)
    const refused = await sendForm(
      '/admin/Reel/form_create',
      { mpaa_rating: 'PG' },
      { cookie: own }
    )
    assert.equal(refused.status, 422)
    assert.include(refused.text, 'Your permissions do not let you set title')
  })

  test('[U6] a role is created and edited in the matrix: checkboxes, fields, scopes, and rows that follow “All models”', async ({
    assert,
  }) => {
    const { text } = await open(`${ROLES}/create_page`)
    const fields = fieldsIn(text)
    fields.set('name', 'New')
    fields.append('permissions.actions.Reel', 'view')
    fields.append('permissions.actions.Reel', 'update')
    fields.set('permissions.field.Reel.title', 'readonly')
    fields.append('permissions.scopes.Reel', 'later')
    fields.append('permissions.own.Utensil', '1')
    const made = await submit(`${ROLES}/form_create`, fields)
    assert.equal(made.status, 303)
    const role = await AdminRole.findByOrFail('name', 'New')
    assert.deepEqual(role.permissions, {
      Reel: { actions: ['view', 'update'], readonly: ['title'], scopes: ['later'] },
      Utensil: { actions: [] },
    })

    const page = await open(`${ROLES}/update/${clerk.id}`)
    const changed = fieldsIn(page.text)
    for (const name of [...changed.keys()]) {
      if (/^permissions\.(own|actions|kept)\.Gone%2E1/.test(name)) changed.delete(name)
    }
    changed.delete('permissions.own.Utensil')
    await submit(`${ROLES}/form_update/${clerk.id}`, changed)
    assert.deepEqual(Object.keys(await stored()), ['Reel', '*'])
  })

  test('[U6.2] a read-only model has no checkboxes for writes, except for those that the role already allows', async ({
    assert,
  }) => {
    const actionsIn = (text: string, model: string) =>
      [...text.matchAll(/<input\b[^>]*>/g)]
        .map(([input]) => input)
        .filter((input) => input.includes(`name="permissions.actions.${model}"`))
        .map((input) => plain(/\svalue="([^"]*)"/.exec(input)?.[1]))
    const first = await open(`${ROLES}/update/${clerk.id}`)
    assert.deepEqual(actionsIn(first.text, 'StockTotal'), ['*', 'view', 'export'])
    assert.deepEqual(actionsIn(first.text, 'Reading'), ['*', 'view', 'export'])
    assert.includeMembers(actionsIn(first.text, 'Utensil'), ['create', 'import', 'purge'])
    assert.notInclude(actionsIn(first.text, 'Reel'), 'restore')

    const StockTotal = { actions: ['view', 'create', 'import'] }
    await clerk.merge({ permissions: { StockTotal } }).save()
    const { text } = await open(`${ROLES}/update/${clerk.id}`)
    const actions = ['*', 'view', 'create', 'export', 'import']
    assert.deepEqual(actionsIn(text, 'StockTotal'), actions)
    const { status } = await submit(`${ROLES}/form_update/${clerk.id}`, fieldsIn(text))
    assert.equal(status, 303)
    assert.deepEqual(await stored(), { StockTotal })
  })

  test('[U6.4] the page of a role with forty models is small, and a row that is not expanded stays unchanged on saving', async ({
    assert,
  }) => {
    const { text } = await open(`${ROLES}/update/${clerk.id}`)
    const rows = text.split('class="matrix-row"').length - 1
    assert.isAbove(rows, 40)
    assert.isBelow((Buffer.byteLength(text) / rows) * 40, 150_000)
    assert.notInclude(text, 'permissions.field.')

    const fields = fieldsIn(text)
    fields.append('permissions.actions.Reel', 'delete')
    await submit(`${ROLES}/form_update/${clerk.id}`, fields)
    const { Reel, ...others } = CLERK
    const actions = ['view', 'update', 'delete', 'wave']
    assert.deepEqual(await stored(), { Reel: { ...Reel, actions }, ...others })
  })

  test('[U6.4] the fields and scopes of a model are loaded by a separate request when its row is expanded', async ({
    assert,
  }) => {
    const { text } = await open(`${ROLES}/update/${clerk.id}`)
    const saved = fieldsIn(text).get('permissions.kept.Reel')!
    const address = (name: string, value: string) =>
      `${ROLES}/permissions?${new URLSearchParams([[name, value]])}`
    const part = await open(address('permissions.kept.Reel', saved))
    assert.equal(part.status, 200)
    assert.isBelow(Buffer.byteLength(part.text), 20_000)
    assert.notInclude(part.text, '<html')
    assert.match(part.text, /name="permissions.field.Reel.title" value="readonly"[^>]* checked/)
    assert.match(part.text, /name="permissions.field.Reel.gone" value="hidden"[^>]* checked/)
    assert.match(part.text, /name="permissions.scopes.Reel" value="own"[^>]* checked/)
    assert.include(part.text, '<span>Own</span> <code>own</code>')
    assert.match(part.text, /name="permissions.actions.Reel" value="wave"[^>]* checked/)
    const all = await open(address('permissions.kept.*', ''))
    assert.include(all.text, 'permissions.field.*.')

    for (const [name, value] of [
      ['permissions.kept.Reel', '{'],
      ['permissions.kept.Reel', '{"hidden":[1]}'],
      ['permissions.kept.Reel', '{"else":[]}'],
      ['permissions.own.Reel', '1'],
      ['permissions', '{}'],
      ['', ''],
    ]) {
      const { status } = await open(address(name, value))
      assert.equal(status, 404, `${name}=${value}`)
    }
    const script = '{"hidden":["<script>"],"scopes":["\"><b>"]}'
    const { text: escaped } = await open(address('permissions.kept.<i>', script))
    assert.notMatch(escaped, /<script>|<b>|<i>/)

    const jo = await cookiesOf(await makeUser('jo', { isSuperuser: false }))
    const { status } = await get(address('permissions.kept.Reel', ''), { headers: { cookie: jo } })
    assert.equal(status, 403)
  })

  test('[U6.4] without JavaScript a button expands a row of the matrix, and all input is preserved', async ({
    assert,
  }) => {
    const { text } = await open(`${ROLES}/update/${clerk.id}`)
    const fields = fieldsIn(text)
    fields.set('name', 'Typed')
    fields.append('permissions.actions.Reel', 'delete')
    fields.append('permissions.open.Reel', 'now')
    const unfolded = await submit(`${ROLES}/form_update/${clerk.id}`, fields)
    assert.equal(unfolded.status, 200)
    assert.deepEqual(await stored(), CLERK)
    assert.notInclude(unfolded.text, 'role="alert"')
    const again = fieldsIn(unfolded.text)
    assert.equal(again.get('name'), 'Typed')
    assert.equal(again.get('permissions.field.Reel.title'), 'readonly')
    assert.isNull(again.get('permissions.kept.Reel'))

    again.set('permissions.field.Reel.title', '')
    const saved = await submit(`${ROLES}/form_update/${clerk.id}`, again)
    assert.equal(saved.status, 303)
    const { Reel, ...others } = CLERK
    assert.deepEqual(await stored(), {
      Reel: {
        actions: ['view', 'update', 'delete', 'wave'],
        hidden: Reel.hidden,
        readonly: ['us_gross'],
        scopes: ['own'],
      },
      ...others,
    })
    assert.equal(clerk.name, 'Typed')

    const empty = await open(`${ROLES}/create_page`)
    const create = fieldsIn(empty.text)
    create.append('permissions.open.*', 'now')
    const blank = await submit(`${ROLES}/form_create`, create)
    assert.equal(blank.status, 200)
    assert.include(blank.text, 'permissions.field.*.')
    assert.lengthOf(await AdminRole.query().where('name', ''), 0)
  })

  test('[U6.4] a row of the matrix with manipulated hidden input is refused, and the role stays unchanged', async ({
    assert,
  }) => {
    const { text } = await open(`${ROLES}/update/${clerk.id}`)
    for (const saved of ['{', '{"hidden":5}', '{"superuser":["yes"]}']) {
      const fields = fieldsIn(text)
      fields.set('permissions.kept.Reel', saved)
      const refused = await submit(`${ROLES}/form_update/${clerk.id}`, fields)
      assert.equal(refused.status, 400, saved)
      assert.include(refused.text, 'id="field-permissions-error"')
    }
    assert.deepEqual(await stored(), CLERK)
  })

  test('[U6.4] a row of the matrix that is too long for a query string is part of the page from the beginning', async ({
    assert,
  }) => {
    const hidden = Array.from({ length: 100 }, (_, index) => `field_${'x'.repeat(30)}_${index}`)
    await clerk.merge({ permissions: { Reel: { actions: ['view'], hidden } } }).save()
    const page = await open(`${ROLES}/update/${clerk.id}`)
    assert.include(page.text, 'permissions.field.Reel.title')
    const fields = fieldsIn(page.text)
    fields.set('description', 'Same')
    await submit(`${ROLES}/form_update/${clerk.id}`, fields)
    const { Reel } = await stored()
    assert.sameMembers([...Reel.hidden!], hidden)
  })

  test('[U6] the form of a role accepts the permissions as JSON, like the endpoint of roles', async ({
    assert,
  }) => {
    const permissions = JSON.stringify({ Reel: { actions: ['view'] } })
    const { status } = await submit(`${ROLES}/form_update/${clerk.id}`, { permissions })
    assert.equal(status, 303)
    assert.deepEqual(await stored(), { Reel: { actions: ['view'] } })

    const refused = await submit(`${ROLES}/form_update/${clerk.id}`, { permissions: '{' })
    assert.equal(refused.status, 400)
    assert.include(refused.text, 'id="field-permissions-error"')
  })

  test('[U6] an error of the permissions is shown at the matrix, and all checkboxes keep their state', async ({
    assert,
  }) => {
    const { text } = await open(`${ROLES}/create_page`)
    const fields = fieldsIn(text)
    fields.append(`permissions.actions.${'W'.repeat(101)}`, 'view')
    fields.append('permissions.actions.Reel', 'export')
    const refused = await submit(`${ROLES}/form_create`, fields)
    assert.equal(refused.status, 422)
    assert.include(refused.text, 'id="field-permissions-error"')
    const again = await submit(
      `${ROLES}/form_create`,
      new URLSearchParams({ 'permissions.matrix': '1', 'permissions.actions.Reel': 'export' })
    )
    assert.equal(again.status, 422)
    assert.deepEqual(fieldsIn(again.text).getAll('permissions.actions.Reel'), ['export'])
  })

  test('[U6] the page of a role describes what the role allows, and lists its users', async ({
    assert,
  }) => {
    await giveRoles(root, ['Clerk'])
    const { text } = await open(`${ROLES}/update/${clerk.id}`)
    assert.include(text, 'Reel: view, update, wave; without')
    assert.include(text, `<a href="/admin/AdminUser/update/${root.id}">root</a>`)
    const list = await open(`${ROLES}/`)
    assert.include(list.text, `href="/admin/AdminRole/update/${clerk.id}#role-users"`)
    assert.include(list.text, 'All models: everything')
  })

  test('[U6, B25] a conflict of two editors of a role describes both versions in words', async ({
    assert,
  }) => {
    const page = await open(`${ROLES}/update/${clerk.id}`)
    const fields = fieldsIn(page.text)
    await clerk.merge({ permissions: { Reel: { actions: ['view', 'delete'] } } }).save()
    const { status, text } = await submit(`${ROLES}/form_update/${clerk.id}`, fields)
    assert.equal(status, 409)
    const [, versions] = /<fieldset class="conflict-asked"(.*?)data-chooses/s.exec(text)!
    assert.include(versions, 'Reel: view, delete')
    assert.include(plain(versions)!, 'Reel: view, update, wave; without')
    assert.notInclude(plain(versions)!, '{')
    assert.notInclude(plain(versions)!, '"actions"')
  })

  test('[U5] the form of a user shows all roles with their descriptions', async ({ assert }) => {
    const { text } = await open(`/admin/AdminUser/update/${root.id}`)
    assert.include(text, 'At the counter')
    const sent = fieldsIn(text).getAll('roles')
    const { id } = await AdminRole.findByOrFail('name', 'Everything')
    assert.deepEqual(sent, ['none', String(id)])
  })

  test("[U6] a superuser who views the site as a role has only its permissions, and can't write anything", async ({
    assert,
  }) => {
    const start = await submit(`${ROLES}/view_as/${clerk.id}`, {})
    assert.equal(start.status, 303)
    assert.equal(start.headers.get('location'), '/admin')

    const page = await open('/admin')
    assert.include(page.text, 'You see the site as the role Clerk')
    assert.include(page.text, 'action="/admin/view-as/stop"')
    for (const path of [`${ROLES}/`, '/admin/management/health', '/admin/AdminUser/crud']) {
      const { status } = await open(path)
      assert.equal(status, 403, path)
    }
    const names = { username: 'more', password: 'battery staple' }
    for (const path of [
      '/admin/AdminUser/form_create',
      '/admin/Reel/form_create',
      '/admin/Nothing',
    ]) {
      const { status, text } = await submit(path, names)
      assert.include([403, 404], status, path)
      if (status === 403) assert.include(text, 'Stop viewing first')
    }
    const json = await call('POST', '/admin/Reel/crud', {
      json: { title: 'A' },
      headers: { cookie },
    })
    assert.equal(json.status, 403)
    assert.include(json.text, 'see the site as a role')
    const removed = await call('DELETE', '/admin/Reel/bulk-delete', {
      json: {},
      headers: { cookie },
    })
    assert.equal(removed.status, 403)
  })

  test('[U6] Stop restores the superuser’s own permissions, even if the role was deleted', async ({
    assert,
  }) => {
    await submit(`${ROLES}/view_as/${clerk.id}`, {})
    const stopped = await submit('/admin/view-as/stop', {})
    assert.equal(stopped.headers.get('location'), `${ROLES}/update/${clerk.id}`)
    const site = await adminSite()
    await site.events.settle()
    const logged: any[] = await db
      .from('admin_event_log')
      .where('resource_type', 'AdminRole')
      .orderBy('id')
    const viewed = logged.filter(({ details }) =>
      String(JSON.stringify(details)).includes('view_as')
    )
    assert.deepEqual(
      viewed.map((event) => [event.event_type, event.resource_id, event.username]),
      [
        ['VIEW', String(clerk.id), 'root'],
        ['VIEW', String(clerk.id), 'root'],
      ]
    )
    assert.include(JSON.stringify(viewed[1].details), 'view_as_stop')
    const list = await open(`${ROLES}/`)
    assert.equal(list.status, 200)
    assert.notInclude(list.text, 'You see the site as')

    await submit(`${ROLES}/view_as/${clerk.id}`, {})
    await AdminRole.query().where('id', clerk.id).delete()
    const gone = await open('/admin')
    assert.include(gone.text, 'was deleted. Stop viewing to see the site as yourself.')
    await submit('/admin/view-as/stop', {})
    const back = await open(`${ROLES}/`)
    assert.equal(back.status, 200)
  })

  test('[U6] only superusers can view the site as a role, and only in their current session', async ({
    assert,
  }) => {
    const jo = await makeUser('jo', { isSuperuser: false })
    const foreign = await sendForm(`${ROLES}/view_as/${clerk.id}`, '', {
      cookie: await cookiesOf(jo),
    })
    assert.equal(foreign.status, 403)
    const other = await cookiesOf(root)
    await submit(`${ROLES}/view_as/${clerk.id}`, {})
    const { status } = await get(`${ROLES}/`, { headers: { cookie: other } })
    assert.equal(status, 200)
    const missing = await sendForm(`${ROLES}/view_as/999999`, '', { cookie: other })
    assert.equal(missing.status, 404)
  })

  test("[U6] a cross-site request can't stop viewing as a role", async ({ assert }) => {
    const { status } = await sendForm('/admin/view-as/stop', '', {
      cookie,
      'sec-fetch-site': 'cross-site',
      'origin': 'http://elsewhere.test',
    })
    assert.equal(status, 403)
  })
})
