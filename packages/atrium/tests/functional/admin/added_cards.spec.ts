import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { AdminRole, type AdminSite, type AdminUser, type PermissionsDocument } from '#admin'
import type { PermissionsInput } from '#admin/models/permissions_document'
import '#tests/fixtures/cards'
import {
  adminSite,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { captureLog, ERROR_LEVEL } from '#tests/helpers/captured_log'
import { get } from '#tests/helpers/http'
import { giveRoles, makeRole, restoreRoles, roleIdOf } from '#tests/helpers/roles'

const ARRANGE = '/admin/dashboard/arrange'
const NEW = '/admin/Crossing/cards'
const UNREAD = 'columns that do not exist'

test.group('Admin | cards that users add from lists', (group) => {
  group.tap((one) => one.tags(['@database']))
  let site: AdminSite
  let root: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await restoreRoles()
    await db.from('crossings').delete()
    site = await adminSite()
    root = await makeUser('root')
    cookie = await cookiesOf(root)
    return async () => {
      await db.from('crossings').delete()
      await emptyAdminTables()
      await restoreRoles()
    }
  })

  async function textOf(path: string, as = cookie): Promise<string> {
    const { text } = await get(path, { headers: { cookie: as } })
    return text
  }

  async function statusOf(path: string, as = cookie): Promise<number> {
    const { status } = await get(path, { headers: { cookie: as } })
    return status
  }

  async function send(path: string, values: Record<string, string> | string, as = cookie) {
    return await sendForm(path, new URLSearchParams(values).toString(), { cookie: as })
  }

  async function sendStatus(...given: Parameters<typeof send>): Promise<number> {
    const { status } = await send(...given)
    return status
  }

  const usual = { label: 'To Bergen', kind: 'number', figure: 'count', query: 'filter.port=Bergen' }

  /** Adds a card, and returns its name. */
  async function add(values: Record<string, string> = {}, as = cookie): Promise<string> {
    const { headers } = await send(NEW, { ...usual, ...values }, as)
    return /#card-(.*)$/.exec(headers.get('location') ?? '')?.[1] ?? 'none'
  }

  const cardText = (name: string, as?: string) => textOf(`/admin/dashboard/cards/${name}`, as)

  async function store(...crossings: Array<Record<string, unknown>>) {
    const one = { port: 'Bergen', state: 'done', sailed_on: '2024-05-01', fare: '10.00' }
    for (const crossing of crossings) {
      await db.table('crossings').insert({ ...one, secret: 'no', ...crossing })
    }
  }

  async function withRole(permissions: PermissionsInput, username = 'sam'): Promise<string> {
    await makeRole('Sailor', permissions)
    const user = await makeUser(username, { isSuperuser: false })
    await giveRoles(user, ['Sailor'])
    return await cookiesOf(user)
  }

  async function changeRole(permissions: PermissionsInput) {
    const role = await AdminRole.findByOrFail('name', 'Sailor')
    await role.merge({ permissions: permissions as PermissionsDocument }).save()
  }

  const numberIn = (text: string) => /<p class="dash-number"[^>]*>([^<]*)</.exec(text)?.[1]
  const idsIn = (text: string) =>
    [...text.matchAll(/id="card-([\w.-]+)" data-width/g)].map(([, id]) => id)

  test('[G2.8] a list with filters is added to the dashboard as a number card, which links to the list', async ({
    assert,
  }) => {
    await store({}, {}, { port: 'Oslo' })
    const list = await textOf('/admin/Crossing/?filter.port=Bergen')
    assert.include(list, 'href="/admin/Crossing/cards/new?filter.port=Bergen"')
    const form = await textOf('/admin/Crossing/cards/new?filter.port=Bergen')
    assert.include(form, 'name="query" value="filter.port=Bergen"')

    const name = await add()
    const text = await cardText(name)
    assert.equal(numberIn(text), '2')
    assert.match(text, /<a href="\/admin\/Crossing\/\?filter.port=Bergen[^"]*">To Bergen<\/a>/)
    assert.include(idsIn(await textOf('/admin')), name)
    assert.equal(numberIn(await textOf('/admin?whole=1')), '2')
  })

  test('[G2.8] a number card can show the sum, average, lowest or highest value of a column', async ({
    assert,
  }) => {
    await store({ fare: '10.51' }, { fare: '20.25' })
    const figures = ['sum:fare', 'avg:fare', 'min:fare', 'max:fare', 'max:sailed_on']
    const shown = []
    for (const figure of figures) shown.push(numberIn(await cardText(await add({ figure }))))
    assert.deepEqual(shown, ['30.76', '15.38', '10.51', '20.25', '1 May 2024'])
    const none = await add({ figure: 'avg:fare', query: 'filter.port=Oslo' })
    assert.equal(numberIn(await cardText(none)), 'Empty')
  })

  test('[G2.8] a chart card has a bar for each value of a column, or for each day from the first record to the last', async ({
    assert,
  }) => {
    await store({}, { state: 'late' }, { sailed_on: '2024-05-03' }, { sailed_on: null })
    const states = await cardText(await add({ kind: 'chart', sum: 'sum:fare', group_by: 'state' }))
    assert.match(states, />done<[^]*\b30\b[^]*>late<[^]*\b10\b/)
    const days = await cardText(await add({ kind: 'chart', sum: 'count', group_by: 'sailed_on' }))
    const rows = [
      ...days.matchAll(/<th scope="row">\s*([^<]*?)\s*<\/th>\s*<td class="number">(\d+)/g),
    ]
    assert.deepEqual(
      rows.map(([, label, count]) => [label, count]),
      [
        ['1 May', '2'],
        ['2 May', '0'],
        ['3 May', '1'],
      ]
    )
    await db.from('crossings').update({ logged_at: '2023-01-01 12:30:15' })
    const moments = await add({ kind: 'chart', sum: 'count', group_by: 'logged_at' })
    assert.match(await cardText(moments), /1 Jan\s*<\/th>\s*<td class="number">4/)
    await db.from('crossings').delete()
    const none = await add({ kind: 'chart', sum: 'count', group_by: 'sailed_on', label: 'None' })
    assert.include(await cardText(none), 'Nothing to show.')
  })

  test('[G2.8] a card of records has the order and the columns of its list', async ({ assert }) => {
    await store({ port: 'Alesund' }, { port: 'Vik' }, { port: 'Molde' })
    const query = 'columns=port,state&sort_by=port&sort_order=desc'
    const text = await cardText(await add({ kind: 'rows', query }))
    assert.match(text, /<th[^>]*>Port<\/th>\s*<th[^>]*>State<\/th>\s*<\/tr>/)
    assert.match(text, /Vik[^]*Molde[^]*Alesund/)
  })

  test('[G2.8] a card added from a saved view stores the filters of the view, also if the view is deleted later', async ({
    assert,
  }) => {
    await store({}, { port: 'Oslo' })
    await send('/admin/Crossing/views', { name: 'Oslo <i>', query: 'filter.port=Oslo' })
    const { id } = await db.from('admin_saved_views').firstOrFail()
    const form = await textOf(`/admin/Crossing/cards/new?view=${id}`)
    assert.include(form, 'name="label" value="Oslo &lt;i&gt;"')
    const name = await add({ query: `view=${id}` })
    await db.from('admin_saved_views').delete()
    assert.equal(numberIn(await cardText(name)), '1')
  })

  test('[G2.8] the form of a new card starts with the grouping and the summary of the list', async ({
    assert,
  }) => {
    const form = await textOf('/admin/Crossing/cards/new?group_by=state&summary=fare:sum')
    assert.match(form, /value="chart"[^>]*checked/)
    assert.match(form, /<option value="state" selected>/)
    assert.lengthOf([...form.matchAll(/<option value="sum:fare" selected>/g)], 2)
  })

  test('[G2.8] a card can be moved, widened, changed and removed', async ({ assert }) => {
    await store({ fare: '10.11' }, { fare: '5.11' })
    const name = await add()
    const other = await add({ label: 'Other' })
    const sent = `order=${other}&order=${name}&cards=${name}&cards=${other}&width.${name}=3`
    await sendForm(ARRANGE, sent, { cookie })
    assert.deepEqual(idsIn(await textOf('/admin')), [other, name])
    assert.include(await textOf('/admin'), `id="card-${name}" data-width="3"`)

    const edit = `/admin/dashboard/cards/${name}/edit`
    assert.include(await cardText(name), `href="${edit}"`)
    assert.include(await textOf(ARRANGE), `href="${edit}"`)
    assert.include(await textOf(edit), 'name="label" value="To Bergen"')
    const changed = await send(edit, { label: 'Fares <b>', kind: 'number', figure: 'sum:fare' })
    assert.equal(changed.status, 303)
    const text = await cardText(name)
    assert.include(text, 'Fares &lt;b&gt;')
    assert.equal(numberIn(text), '15.22')

    const remove = `/admin/dashboard/cards/${name}/remove`
    assert.include(await textOf(remove), 'Remove the card “Fares &lt;b&gt;”?')
    assert.equal(await sendStatus(remove, {}), 303)
    assert.equal(await statusOf(`/admin/dashboard/cards/${name}`), 404)
    assert.deepEqual(idsIn(await textOf('/admin')), [other])
  })

  test('[G2.8] a card hidden from the dashboard can be selected again, and restoring the default dashboard shows it', async ({
    assert,
  }) => {
    const name = await add()
    await sendForm(ARRANGE, `order=${name}&order=site.models&cards=site.models`, { cookie })
    assert.notInclude(await textOf('/admin'), name)
    assert.include(await textOf(ARRANGE), `name="cards" value="${name}"`)
    await sendForm(ARRANGE, 'reset=1', { cookie })
    assert.include(await textOf('/admin'), name)
  })

  test('[G2.9] a card requires a name of at most 80 characters, a valid type of content, and a list without ignored filters', async ({
    assert,
  }) => {
    const invalid: Array<[Record<string, string>, string]> = [
      [{ label: ' ' }, 'The card needs a name.'],
      [{ label: 'x'.repeat(81) }, 'at most 80 characters'],
      [{ label: 'a\u2028b' }, 'The name has a character that can'],
      [{ kind: 'sql' }, 'Choose what the card shows.'],
      [{ figure: 'sum:nothing' }, 'Choose what the card shows.'],
      [{ figure: 'sum:port' }, 'Choose what the card shows.'],
      [{ kind: 'chart', sum: 'avg:fare', group_by: 'state' }, 'Choose what the card shows.'],
      [{ kind: 'chart', sum: 'count', group_by: 'id' }, 'Choose what the card shows.'],
      [{ query: 'filter.nothing=1' }, 'Remove them first.'],
      [{ query: 'view=999' }, 'Remove them first.'],
      [{ query: `filter.port=${'x'.repeat(2000)}` }, 'too many filters'],
    ]
    for (const [values, error] of invalid) {
      const { status, text } = await send(NEW, { ...usual, ...values })
      assert.equal(status, 422, JSON.stringify(values).slice(0, 80))
      assert.include(text, error)
    }
    assert.isEmpty(await db.from('admin_preferences').where('name', 'like', 'dashboard%'))
    assert.include(await textOf(`${NEW}/new?filter.nothing=1`), 'Remove them first.')
  })

  test('[G2.9] a user has at most 20 cards from lists', async ({ assert }) => {
    for (let count = 0; count < 20; count++) await add({ label: `Card ${count}` })
    const { status, text } = await send(NEW, usual)
    assert.equal(status, 422)
    assert.include(text, 'You have 20 cards from lists.')
  })

  test('[G2.9, B13] a card of another user gets the same response as a missing card', async ({
    assert,
  }) => {
    const name = await add()
    const other = await cookiesOf(await makeUser('other'))
    const paths = ['', '/edit', '/remove'].map((end) => `/admin/dashboard/cards/${name}${end}`)
    for (const path of paths) {
      assert.equal(await statusOf(path, other), 404)
      if (path.endsWith(name)) continue
      assert.equal(await sendStatus(path, usual, other), 404)
    }
    await sendForm(ARRANGE, `order=${name}&cards=${name}`, { cookie: other })
    assert.notInclude(await textOf('/admin', other), name)
    assert.notInclude(await textOf(ARRANGE, other), name)
    assert.equal(await statusOf(`/admin/dashboard/cards/${name}`), 200)
  })

  test('[G2.9, U3] cards count the records in the scopes of the user, and hidden columns are not among the choices', async ({
    assert,
  }) => {
    await store({}, { port: 'Oslo' })
    const own = await withRole({
      Crossing: { actions: ['view'], scopes: ['bergen'], hidden: ['fare', 'secret'] },
    })
    const name = await add({ query: '' }, own)
    assert.equal(numberIn(await cardText(name, own)), '1')
    const form = await textOf(`${NEW}/new`, own)
    assert.notMatch(form, /fare|secret/i)
    const hidden: Array<Record<string, string>> = [
      { figure: 'sum:fare' },
      { kind: 'chart', sum: 'sum:fare', group_by: 'state' },
      { kind: 'chart', sum: 'count', group_by: 'secret' },
      { query: 'filter.secret=no' },
    ]
    for (const values of hidden) {
      assert.equal(await sendStatus(NEW, { ...usual, ...values }, own), 422)
    }
  })

  test('[G2.9] a card that uses a column which a role has hidden since then shows no data, and can be removed', async ({
    assert,
    cleanup,
  }) => {
    await store({}, {})
    const lines = captureLog(cleanup)
    const own = await withRole({ Crossing: { actions: ['view'] } })
    const cards = {
      filter: await add({ query: 'filter.secret=no' }, own),
      sum: await add({ figure: 'sum:fare' }, own),
      chart: await add({ kind: 'chart', sum: 'count', group_by: 'secret' }, own),
      sums: await add({ kind: 'chart', sum: 'sum:fare', group_by: 'state' }, own),
    }
    assert.equal(numberIn(await cardText(cards.filter, own)), '2')
    await changeRole({
      Crossing: { actions: ['view'], hidden: ['fare', 'secret'] },
    })
    for (const name of Object.values(cards)) {
      const text = await cardText(name, own)
      assert.include(text, UNREAD)
      assert.notMatch(text, /dash-number|<svg class="card-chart|fare|secret/i)
      assert.equal(await statusOf(`/admin/dashboard/cards/${name}/edit`, own), 200)
    }
    assert.equal(await sendStatus(`/admin/dashboard/cards/${cards.sum}/remove`, {}, own), 303)
    assert.isEmpty(lines().filter(({ level }) => level >= ERROR_LEVEL))
  })

  test('[G2.9] a card of a model that the user can no longer view, or that left the site, can be renamed and removed', async ({
    assert,
    cleanup,
  }) => {
    const own = await withRole({ Crossing: { actions: ['view'] }, Utensil: { actions: ['view'] } })
    const name = await add({}, own)
    const gone = await add({ label: 'Gone' })
    await changeRole({ Utensil: { actions: ['view'] } })
    const view = site.models.get('Crossing')!
    site.models.delete('Crossing')
    cleanup(() => void site.models.set('Crossing', view))
    for (const [card, as] of [
      [name, own],
      [gone, cookie],
    ]) {
      const dashboard = await textOf('/admin?whole=1', as)
      assert.include(dashboard, `id="card-${card}"`)
      assert.include(await cardText(card, as), UNREAD)
      const edit = `/admin/dashboard/cards/${card}/edit`
      assert.include(await textOf(edit, as), 'You can no longer see these records.')
      assert.equal(await sendStatus(edit, { label: 'Old', kind: 'rows' }, as), 303)
      assert.include(await cardText(card, as), 'Old')
      assert.equal(await sendStatus(edit.replace('edit', 'remove'), {}, as), 303)
      assert.notInclude(await textOf('/admin', as), `id="card-${card}"`)
    }
  })

  test('[G2.9] stored cards with invalid data are skipped, and the other cards of the dashboard are shown', async ({
    assert,
  }) => {
    const name = await add()
    const stored = await db.from('admin_preferences').where('name', 'dashboard.cards').firstOrFail()
    const [card] = JSON.parse(stored.value)
    const broken = [null, 5, 'x', {}, { ...card, name: 'site.models' }, { ...card, kind: 'sql' }]
    await site.preferences.write(root.id, { 'dashboard.cards': [...broken, card] })
    assert.deepEqual(idsIn(await textOf('/admin')), [name])
    await site.preferences.write(root.id, { 'dashboard.cards': 'x' })
    assert.equal(await statusOf('/admin?whole=1'), 200)
  })

  test('[G2.9] a chart card with too many values shows a message instead of a chart', async ({
    assert,
  }) => {
    const rows = Array.from({ length: 1001 }, (_, at) => ({ port: `P${at}`, secret: 'no' }))
    for (let at = 0; at < rows.length; at += 100) {
      await db.table('crossings').multiInsert(rows.slice(at, at + 100))
    }
    const name = await add({ kind: 'chart', sum: 'count', group_by: 'port', query: '' })
    assert.include(await cardText(name), 'too many records or values')
  })

  test('[G2.10] superusers add a card to the default dashboard of a role, whose users see only records in their scope', async ({
    assert,
  }) => {
    await store({}, {}, { port: 'Oslo' })
    const own = await withRole({ Crossing: { actions: ['view'], scopes: ['bergen'] } })
    const role = await roleIdOf('Sailor')
    const name = await add({ query: '' })
    assert.notMatch(await textOf(`${ARRANGE}?role=${role}`), new RegExp(`value="${name}" checked`))
    const sent = `role=${role}&order=${name}&cards=${name}&width.${name}=2`
    assert.equal(await sendStatus(ARRANGE, sent), 303)
    assert.deepEqual(idsIn(await textOf('/admin', own)), [name])
    assert.equal(numberIn(await cardText(name, own)), '2')
    assert.equal(numberIn(await cardText(name)), '3')
    assert.notInclude(await cardText(name, own), '/edit')
    assert.equal(await statusOf(`/admin/dashboard/cards/${name}/edit`, own), 404)

    /* The default has a copy, which another superuser can arrange. */
    await send(`/admin/dashboard/cards/${name}/remove`, {})
    assert.equal(numberIn(await cardText(name, own)), '2')
    const other = await cookiesOf(await makeUser('other'))
    assert.match(
      await textOf(`${ARRANGE}?role=${role}`, other),
      new RegExp(`value="${name}" checked`)
    )
    await sendForm(ARRANGE, `${sent}&order=site.models&cards=site.models`, { cookie: other })
    assert.include(await textOf('/admin', own), `id="card-${name}"`)

    await sendForm(ARRANGE, `order=site.models&order=${name}&cards=${name}`, { cookie: own })
    assert.deepEqual(idsIn(await textOf('/admin', own)), [name])
    await changeRole({ Utensil: { actions: ['view'] } })
    assert.deepEqual(idsIn(await textOf('/admin', own)), [])
    assert.equal(await statusOf(`/admin/dashboard/cards/${name}`, own), 404)
  })

  test('[G2.10] a user whose role has a default dashboard can add a card to its cards', async ({
    assert,
  }) => {
    const own = await withRole({ Crossing: { actions: ['view'] } })
    const role = await roleIdOf('Sailor')
    const shared = await add({ label: 'Shared' })
    await sendForm(ARRANGE, `role=${role}&order=${shared}&cards=${shared}`, { cookie })
    const name = await add({}, own)
    assert.deepEqual(idsIn(await textOf('/admin', own)), [shared, name])
  })

  test('[G2.10] the default dashboard of a role has at most 20 cards from lists', async ({
    assert,
  }) => {
    await makeRole('Sailor', { Crossing: { actions: ['view'] } })
    const role = await roleIdOf('Sailor')
    const other = await cookiesOf(await makeUser('other'))
    const names = []
    for (let count = 0; count < 11; count++) names.push(await add({ label: `Card ${count}` }))
    const form = (some: string[]) =>
      `role=${role}&${some.map((name) => `order=${name}&cards=${name}`).join('&')}`
    await sendForm(ARRANGE, form(names), { cookie })
    const more = [...names]
    for (let count = 0; count < 10; count++) more.push(await add({ label: `More ${count}` }, other))
    const { headers } = await sendForm(ARRANGE, form(more), { cookie: other })
    const page = await get(headers.get('location')!, {
      headers: {
        cookie: `${other}; ${headers
          .getSetCookie()
          .map((one) => one.split(';')[0])
          .join('; ')}`,
      },
    })
    assert.include(page.text, 'at most 20 cards from lists')
    const { cards } = await db.from('admin_role_dashboards').firstOrFail()
    assert.lengthOf(JSON.parse(cards), 11)
  })

  test('[G2.9] a user who cannot view the model, or who views the site as a role, cannot add a card', async ({
    assert,
  }) => {
    const own = await withRole({ Utensil: { actions: ['view'] } })
    assert.equal(await statusOf(`${NEW}/new`, own), 404)
    assert.equal(await sendStatus(NEW, usual, own), 404)

    const role = await roleIdOf('Sailor')
    await sendForm(`/admin/AdminRole/view_as/${role}`, '', { cookie })
    assert.notInclude(await textOf('/admin/Utensil/'), 'id="add-card"')
    assert.equal(await sendStatus('/admin/Utensil/cards', usual), 403)
    assert.isEmpty(await db.from('admin_preferences').where('name', 'like', 'dashboard%'))
  })
})
