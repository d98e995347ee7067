import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { AdminSavedView, type AdminUser } from '#admin'
import { raiseAllVersions, raiseVersions } from '#admin/models/versions'
import { Play } from '#tests/fixtures/stages'
import {
  adminSite,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { call, get } from '#tests/helpers/http'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { column, getList, tagsOf, textOf, unescape } from '#tests/helpers/list_page'
import { queriesOf } from '#tests/helpers/queries'
import { makeRole, restoreRoles } from '#tests/helpers/roles'

const TAB = /<a id="view-(all|\d+)".*?<\/a>/gs

/** One part of what is awaited */
async function part<Whole, Name extends keyof Whole>(
  whole: Promise<Whole>,
  name: Name
): Promise<Whole[Name]> {
  const { [name]: value } = await whole
  return value
}

/** Names of the tabs, the open one in brackets */
function tabsOf(text: string): string[] {
  return [...text.matchAll(TAB)].map(([tab]) => {
    const name = textOf(tab)
    return tab.includes('aria-current') ? `[${name}]` : name
  })
}

/** Tags and attributes that a name has made */
function brokenOut(text: string): string[] {
  const bare = tagsOf(text).map((tag) => tag.replace(/"[^"]*"/g, ''))
  return bare.filter((tag) => / (onclick|hx-evil)=|^<script>/.test(tag))
}

async function store() {
  for (const table of ['play_tickets', 'plays', 'stages']) await db.from(table).delete()
  for (const [title, town, secret] of [
    ['Hamlet', 'east', 'a'],
    ['Macbeth', 'west', 'b'],
    ['Othello', 'east', 'b'],
  ]) {
    await Play.create({ title, town, secret, note: 'n' })
  }
}

test.group('Admin | list | saved views', (group) => {
  let ada: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyEventTables()
    await restoreRoles()
    await store()
    ada = await makeUser('ada', { isSuperuser: false })
    cookie = await cookiesOf(ada)
    return () => restoreRoles()
  })

  const send = (path: string, fields: Record<string, string>, as = cookie) =>
    sendForm(`/admin/Play${path}`, fields, { cookie: as })

  /** Saves a view as its form does. */
  async function save(name: string, query: string, more: Record<string, string> = {}, as = cookie) {
    const response = await send('/views', { name, query, ...more }, as)
    const [, id] =
      /^\/admin\/Play\/\?view=(\d+)$/.exec(response.headers.get('location') ?? '') ?? []
    if (id === undefined) throw new Error(`Not saved: ${response.status} ${response.text}`)
    return Number(id)
  }

  async function enter(name: string, entry: object = { actions: ['*'] }) {
    await makeRole(`Role of ${name}`, { Play: entry as any })
    return await cookiesOf(await makeUser(name, { isSuperuser: false, roles: [`Role of ${name}`] }))
  }

  const list = (query: string, as = cookie) => getList(as, `/admin/Play/${query}`)

  test('[L5] a view stores filters, search, sorting, columns and page size', async ({ assert }) => {
    const query =
      'filter.town=east&q=o&columns=note,title&sort_by=title&sort_order=desc&rows-per-page-select=20'
    const id = await save('East', query)
    const stored = await AdminSavedView.findOrFail(id)
    assert.equal(
      stored.query,
      'filter.town=east&q=o&columns=note%2Ctitle&sort_by=title&sort_order=desc&rows-per-page-select=20'
    )
    assert.deepInclude(stored.serialize(), { model: 'Play', shared: false, owner_id: ada.id })
    for (const path of ['', 'get_model_list', 'table-content']) {
      const page = await list(`${path}?view=${id}`)
      assert.deepEqual(page.headings, ['Note', 'Title'], path)
      assert.deepEqual(column(page, 1), ['Othello'], path)
    }
    const { text } = await list(`?view=${id}`)
    assert.deepEqual(tabsOf(text), ['All', '[East]'])
  })

  test('[L5] parameters override a view, and links contain only the differences from it', async ({
    assert,
  }) => {
    const id = await save('East', 'filter.town=east&sort_by=title&sort_order=desc')
    const both = await list(`?view=${id}&filter.secret=b`)
    assert.deepEqual(column(both, 1), ['Othello'])
    assert.include(unescape(both.text), `href="/admin/Play/?view=${id}&filter.secret=b&sort_by=id`)
    const west = await list(`?view=${id}&filter.town=west`)
    assert.deepEqual(column(west, 1), ['Macbeth'])
    const all = await list(`?view=${id}&filter.town=`)
    assert.deepEqual(column(all, 1), ['Othello', 'Macbeth', 'Hamlet'])
    const sorted = await list(`?view=${id}&sort_by=None&page=1`)
    assert.include(unescape(sorted.text), `/admin/Play/?view=${id}&sort_by=None`)
    assert.deepEqual(column(sorted, 1), ['Othello', 'Hamlet'])
    /* As its form sends it */
    const hidden = /<form class="list-search".*?<label/s.exec(west.text)![0]
    assert.include(hidden, `name="view" value="${id}"`)
    assert.include(hidden, 'name="filter.town" value="west"')
    const found = await list(`?view=${id}&column-to-search=*&search-input=ham`)
    assert.deepEqual(column(found, 1), ['Hamlet'])
  })

  test('[L5] a view contains the columns that its author had chosen', async ({ assert }) => {
    await send('/columns', { order: 'note', columns: 'note' })
    const id = await save('Notes', 'filter.town=east', { shared: '1' })
    const { headings } = await list(`?view=${id}`, await enter('bob'))
    assert.deepEqual(headings, ['Note'])
    const other = await save('Plain', 'filter.town=east&columns=title')
    assert.deepEqual(await part(list(`?view=${other}`), 'headings'), ['Title'])
    /* A view with columns of its own leaves those of the person alone. */
    const { headers } = await send('/columns', {
      order: 'town',
      columns: 'town',
      query: `view=${other}`,
    })
    assert.equal(headers.get('location'), `/admin/Play/?view=${other}&columns=town`)
    assert.deepEqual(await part(list(''), 'headings'), ['Note'])
  })

  test('[L5, L8] Select all in a view affects the records that the page showed, even if the view was changed since then', async ({
    assert,
  }) => {
    const id = await save('Ours', 'filter.town=east', { shared: '1' })
    const { text } = await list(`?view=${id}&rows-per-page-select=1`)
    const [, query] = /name="query" value="([^"]*)">\s*<input type="hidden" name="count"/.exec(
      unescape(text)
    )!
    assert.equal(query, 'filter.town=east&rows-per-page-select=1')
    await send(`/views/${id}/query`, { query: 'filter.title__in=Hamlet,Macbeth' })
    const response = await call('DELETE', '/admin/Play/bulk-delete', {
      headers: { cookie },
      json: { all: true, query, count: 2 },
    })
    assert.equal(response.status, 200)
    assert.deepEqual(column(await list(''), 1), ['Macbeth'])
  })

  test('[L5] a view is private until it is shared', async ({ assert }) => {
    const id = await save('Mine', 'filter.town=east')
    const bob = await enter('bob')
    const hidden = await list(`?view=${id}`, bob)
    assert.isEmpty(tabsOf(hidden.text))
    assert.include(hidden.text, 'This view does not exist')
    assert.lengthOf(hidden.rows, 3)
    assert.notInclude(hidden.text, 'name="ids"')
    for (const path of [
      `/views/${id}`,
      '/views/0',
      '/views/x',
      '/views/99999999999',
      `/views/-1`,
    ]) {
      assert.equal(
        await part(get(`/admin/Play${path}`, { headers: { cookie: bob } }), 'status'),
        404
      )
    }
    await send(`/views/${id}`, { name: 'Ours', shared: '1' })
    const shown = await list(`?view=${id}`, bob)
    assert.deepEqual(tabsOf(shown.text), ['All', '[Ours]'])
    assert.lengthOf(shown.rows, 2)
    await send(`/views/${id}`, { name: 'Ours' })
    assert.isEmpty(tabsOf(await part(list('', bob), 'text')))
  })

  test('[L5] only its owner or a superuser can change or delete a view', async ({ assert }) => {
    const id = await save('Ours', 'filter.town=east', { shared: '1' })
    const bob = await enter('bob')
    const boss = await cookiesOf(await makeUser('boss'))
    const changes: Array<[string, Record<string, string>]> = [
      [`/views/${id}`, { name: 'Bobs', shared: '1' }],
      [`/views/${id}/query`, { query: 'filter.town=west' }],
      [`/views/${id}/delete`, {}],
    ]
    for (const [path, fields] of changes) {
      assert.equal(await part(send(path, fields, bob), 'status'), 403, path)
    }
    const form = await get(`/admin/Play/views/${id}`, { headers: { cookie: bob } })
    assert.notInclude(form.text, 'name="name"')
    assert.notInclude(form.text, '/delete')
    const changed = await list(`?view=${id}&filter.town=west`, bob)
    assert.notInclude(changed.text, `/views/${id}/query`)
    const unchanged = await AdminSavedView.findOrFail(id)
    assert.deepInclude(unchanged.serialize(), { name: 'Ours', query: 'filter.town=east' })

    for (const [path, fields] of changes) {
      assert.equal(await part(send(path, fields, boss), 'status'), 303, path)
    }
    assert.isNull(await AdminSavedView.find(id))
    const secret = await save('Secret', 'filter.town=east')
    assert.equal(await part(send(`/views/${secret}/delete`, {}, bob), 'status'), 404)
    assert.equal(await part(send(`/views/${secret}/delete`, {}), 'status'), 303)
    assert.equal(await part(send(`/views/${secret}/delete`, {}), 'status'), 404)
  })

  test('[L5] Update stores the current list settings in the view', async ({ assert }) => {
    const id = await save('East', 'filter.town=east')
    const { text } = await list(`?view=${id}`)
    assert.notInclude(text, `/views/${id}/query`)
    const changed = await list(`?view=${id}&filter.town=west&sort_by=title&sort_order=asc`)
    const form = /<form method="post" action="\/admin\/Play\/views\/\d+\/query">.*?value="([^"]*)"/s
    const query = unescape(form.exec(changed.text)![1])
    await send(`/views/${id}/query`, { query })
    const stored = await AdminSavedView.findOrFail(id)
    assert.equal(stored.query, 'filter.town=west&sort_by=title&sort_order=asc')
    assert.deepEqual(column(await list(`?view=${id}`), 1), ['Macbeth'])
  })

  test('[L5] each user has a default view, which opens if the URL has no query', async ({
    assert,
  }) => {
    const id = await save('East', 'filter.town=east', { shared: '1', default: '1' })
    for (const path of ['', 'get_model_list', 'table-content']) {
      const opened = await list(path)
      assert.lengthOf(opened.rows, 2, path)
    }
    const opened = await list('')
    assert.deepEqual(tabsOf(opened.text), ['All', '[East]'])
    const all = /<a id="view-all" href="([^"]*)"/.exec(opened.text)![1]
    assert.equal(all, '/admin/Play/?view=all')
    for (const query of ['?view=all', '?page=1', '?sort_by=id&sort_order=asc']) {
      assert.lengthOf(await part(list(query), 'rows'), 3, query)
    }
    /* The plain list never leads back to the default by its own links. */
    const sorted = await list('?filter.secret=b')
    assert.include(sorted.text, 'href="/admin/Play/?view=all"')

    const bob = await enter('bob')
    assert.lengthOf(await part(list('', bob), 'rows'), 3)
    const set = await send(`/views/${id}`, { default: '1' }, bob)
    assert.equal(set.status, 303)
    assert.lengthOf(await part(list('', bob), 'rows'), 2)
    await send(`/views/${id}`, {}, bob)
    assert.lengthOf(await part(list('', bob), 'rows'), 3)
    assert.lengthOf(await part(list(''), 'rows'), 2)
    await send(`/views/${id}/delete`, {})
    assert.lengthOf(await part(list(''), 'rows'), 3)
    assert.isEmpty(await db.from('admin_preferences').where('user_id', ada.id))
  })

  test('[L5] if the default view is deleted or no longer shared, all records are shown', async ({
    assert,
  }) => {
    const id = await save('East', 'filter.town=east', { shared: '1' })
    const bob = await enter('bob')
    await send(`/views/${id}`, { default: '1' }, bob)
    await send(`/views/${id}`, { name: 'East' })
    const { rows, text } = await list('', bob)
    assert.lengthOf(rows, 3)
    assert.notInclude(text, 'This view does not exist')
  })

  test('[L5, L1] a view with a column that is hidden from the reader is shown without that column', async ({
    assert,
  }) => {
    const query = 'filter.secret=b&columns=title,secret&sort_by=secret&sort_order=asc'
    const id = await save('Secrets', query, { shared: '1' })
    assert.lengthOf(await part(list(`?view=${id}`), 'rows'), 2)
    const bob = await enter('bob', { actions: ['*'], hidden: ['secret'] })
    const page = await list(`?view=${id}`, bob)
    assert.deepEqual(page.headings, ['Title'])
    assert.lengthOf(page.rows, 3)
    assert.include(
      page.text,
      'A filter of this view uses a field that your roles do not include, and is ignored.'
    )
    assert.include(page.text, 'A column of this view is hidden, as your roles do not include it.')
    assert.notInclude(page.text, 'name="ids"')
    const links = page.text.replaceAll('Secrets', '')
    assert.notMatch(links, /secret/i)
    const own = await list('?filter.secret=b&columns=title,secret', bob)
    assert.include(unescape(own.text), 'The filter “filter.secret=b” is ignored')
    assert.include(own.text, 'does not exist, or your roles do not include it: secret.')
  })

  test("[L5, U4] a user whose roles do not include the model can't open or change its views", async ({
    assert,
  }) => {
    const id = await save('East', 'filter.town=east', { shared: '1' })
    await makeRole('Stagehand', { Stage: { actions: ['view'] } })
    const kim = await cookiesOf(await makeUser('kim', { isSuperuser: false, roles: ['Stagehand'] }))
    const doors: Array<['GET' | 'POST', string]> = [
      ['GET', '/views/new'],
      ['GET', `/views/${id}`],
      ['POST', '/views'],
      ['POST', `/views/${id}`],
      ['POST', `/views/${id}/query`],
      ['POST', `/views/${id}/delete`],
    ]
    for (const [method, path] of doors) {
      const { status } = await call(method, `/admin/Play${path}`, { headers: { cookie: kim } })
      assert.equal(status, 404, path)
    }
    /* A view belongs to the list of one model. */
    const stages = await getList(kim, `/admin/Stage/?view=${id}`)
    assert.include(stages.text, 'This view does not exist')
    for (const [method, path] of doors) {
      const { status, headers } = await call(method, `/admin/Play${path}`, {
        headers: { accept: 'text/html' },
      })
      assert.include(headers.get('location'), '/admin/login')
      assert.equal(status, 303, path)
    }
  })

  test("[L5, U6] a superuser who views the site as a role sees the views of their own account, and can't change them", async ({
    assert,
  }) => {
    const boss = await cookiesOf(await makeUser('boss'))
    const id = await save('Mine', 'filter.town=east', {}, boss)
    const role = await makeRole('Clerk', { Play: { actions: ['view'] } })
    await sendForm(`/admin/AdminRole/view_as/${role.id}`, '', { cookie: boss })
    assert.deepEqual(tabsOf(await part(list(`?view=${id}`, boss), 'text')), ['All', '[Mine]'])
    for (const path of ['/views', `/views/${id}`, `/views/${id}/query`, `/views/${id}/delete`]) {
      assert.equal(await part(send(path, { name: 'x', query: '' }, boss), 'status'), 403, path)
    }
    assert.equal(await part(AdminSavedView.findOrFail(id), 'name'), 'Mine')
  })

  test('[L5] an invalid name is refused, and the input is preserved: {what}')
    .with([
      { what: 'none', name: '', says: 'The view needs a name.' },
      { what: 'spaces', name: ' \u00a0 ', says: 'The view needs a name.' },
      { what: 'nothing to see', name: '\u200b\u202e', says: 'The view needs a name.' },
      {
        what: '81 characters',
        name: '🎬'.repeat(81),
        says: 'The name can have at most 80 characters.',
      },
      {
        what: '10,000 characters',
        name: 'a'.repeat(10_000),
        says: 'The name can have at most 80 characters',
      },
      { what: 'a line break', name: 'a\nb', says: 'a character that can’t be used' },
      { what: 'NUL', name: 'a\0b', says: 'a character that can’t be used' },
    ])
    .run(async ({ assert }, { name, says }) => {
      const query = 'filter.town=east'
      const { status, text } = await send('/views', { name, query, shared: '1' })
      assert.equal(status, 422)
      assert.include(unescape(text).replaceAll("'", '’'), says)
      assert.include(text, 'name="shared" value="1" aria-describedby="view-shared-help" checked')
      assert.include(text, `name="query" value="${query}"`)
      assert.isEmpty(await AdminSavedView.all())
    })

  test('[L5] a name of 80 characters with markup is accepted and escaped', async ({ assert }) => {
    for (const name of [
      '🎬'.repeat(80),
      '"><script>alert(1)</script>',
      "'; drop table admin_saved_views; --",
      '{{ 7 * 7 }}{{{ 1 }}}',
      '" hx-evil="/x" onclick="y',
    ]) {
      const id = await save(name, 'filter.town=east')
      const { text } = await list(`?view=${id}`)
      assert.include(tabsOf(text), `[${name}]`)
      assert.isEmpty(brokenOut(text))
      const form = await get(`/admin/Play/views/${id}`, { headers: { cookie } })
      assert.isEmpty(brokenOut(form.text))
    }
  })

  test('[L5] a user cannot have two views with one name in one list', async ({ assert }) => {
    const first = await save('East', 'filter.town=east')
    const second = await save('West', 'filter.town=west')
    const again = await send('/views', { name: ' eaST ', query: '' })
    assert.equal(again.status, 422)
    assert.include(again.text, 'You already have a view with this name.')
    assert.equal(await part(send(`/views/${second}`, { name: 'East' }), 'status'), 422)
    assert.equal(await part(send(`/views/${first}`, { name: 'EAST' }), 'status'), 303)
    await save('East', '', {}, await enter('bob'))
    const both = await Promise.all([1, 2].map(() => send('/views', { name: 'Twin', query: '' })))
    assert.sameMembers(
      both.map(({ status }) => status),
      [303, 422]
    )
  })

  test('[L5] a view with a query that is too long is refused, and so is a view beyond the maximum number', async ({
    assert,
  }) => {
    const long = await send('/views', { name: 'Long', query: `q=${'a'.repeat(9000)}` })
    assert.equal(long.status, 422)
    assert.include(long.text, 'There are too many filters')
    const rows = Array.from({ length: 100 }, (_, index) => ({
      model: 'Play',
      name: `View ${index}`,
      query: '',
      owner_id: ada.id,
      created_at: '2026-01-02 03:04:05',
    }))
    await db.table('admin_saved_views').multiInsert(rows)
    await raiseVersions(db.connection(), [ada.id])
    const { status, text } = await send('/views', { name: 'One more', query: '' })
    assert.equal(status, 422)
    assert.include(text, 'You have too many views')
    assert.lengthOf(tabsOf(await part(list(''), 'text')), 101)
  })

  const STORED = /from [`"]?admin_(saved_views|preferences)/

  test('[L5, L6] views and preferences are cached, and read again after a change by any process', async ({
    assert,
  }) => {
    const own = await save('East', 'filter.town=east')
    assert.lengthOf(tabsOf(await part(list(''), 'text')), 2)
    const queries = await queriesOf(() => list('?q=a'))
    assert.isEmpty(queries.filter((sql) => STORED.test(sql)))

    /* Another process writes rows and versions. */
    const bob = await enter('bob')
    const ofBob = () => getList(bob, '/admin/Play/')
    assert.isEmpty(tabsOf(await part(ofBob(), 'text')))
    await db.from('admin_saved_views').where('id', own).update({ shared: true })
    await raiseAllVersions(db.connection())
    assert.deepEqual(tabsOf(await part(ofBob(), 'text')), ['[All]', 'East'])
    assert.lengthOf(tabsOf(await part(list(''), 'text')), 2)

    await send(`/views/${own}`, { name: 'East' })
    assert.isEmpty(tabsOf(await part(ofBob(), 'text')))
    await send(`/views/${own}`, { name: 'East', shared: 'on' })
    assert.lengthOf(tabsOf(await part(ofBob(), 'text')), 2)
    await send(`/views/${own}/delete`, {})
    assert.isEmpty(tabsOf(await part(ofBob(), 'text')))
    assert.isEmpty(tabsOf(await part(list(''), 'text')))
  })

  test('[L5, L6] a change of views in the database by another program takes effect within a minute', async ({
    assert,
  }) => {
    const id = await save('East', 'filter.town=east')
    await list('')
    await db.from('admin_saved_views').where('id', id).delete()
    assert.lengthOf(tabsOf(await part(list(''), 'text')), 2)
    const { now } = Date
    Date.now = () => now() + 61_000
    try {
      assert.isEmpty(tabsOf(await part(list(''), 'text')))
    } finally {
      Date.now = now
    }
  })

  test('[L5, E3] changes of views are logged with the changed values and their actor', async ({
    assert,
  }) => {
    const id = await save('East', 'filter.town=east')
    await send(`/views/${id}`, { name: 'Far east' })
    await send(`/views/${id}/delete`, {})
    const events = await db
      .from('admin_event_log')
      .where('resource_type', 'AdminSavedView')
      .orderBy('id')
    assert.deepEqual(
      events.map(({ event_type: type, username, resource_id: key }) => [type, username, key]),
      ['CREATE', 'UPDATE', 'DELETE'].map((type) => [type, 'ada', String(id)])
    )
    const [, audit] = await db
      .from('admin_audit_log')
      .whereIn(
        'event_id',
        events.map((event) => event.id)
      )
      .orderBy('id')
    const changes = typeof audit.changes === 'string' ? JSON.parse(audit.changes) : audit.changes
    assert.deepEqual(changes.name, { old: 'East', new: 'Far east' })
    assert.isNotNull(events[0].ip_address)
  })

  test('[L5, B13] deleting a user deletes their private views; shared ones have no owner: {by}')
    .with([{ by: 'page' as const }, { by: 'command' as const }])
    .run(async ({ assert }, { by }) => {
      const own = await save('Own', 'filter.town=east', { default: '1' })
      const shared = await save('Shared', 'filter.town=west', { shared: '1' })
      const bob = await enter('bob')
      const site = await adminSite()
      const boss = await makeUser('boss')
      if (by === 'page') {
        const form = { action: 'delete', ids: String(ada.id), confirmed: '1' }
        await sendForm('/admin/AdminUser/form_bulk_delete', form, { cookie: await cookiesOf(boss) })
      } else {
        await site.adminUserService.remove(ada, (client) => site.savedViews.leave(ada.id, client))
      }
      assert.isNull(await AdminSavedView.find(own))
      const left = await AdminSavedView.findOrFail(shared)
      assert.isNull(left.ownerId)
      assert.isEmpty(await db.from('admin_preferences').where('user_id', ada.id))
      assert.lengthOf(await part(list(`?view=${shared}`, bob), 'rows'), 1)
      assert.equal(await part(send(`/views/${shared}/delete`, {}, bob), 'status'), 403)
      const { status } = await send(`/views/${shared}`, { name: 'New' }, await cookiesOf(boss))
      assert.equal(status, 303)
      const audits = await db.from('admin_audit_log').where('resource_type', 'AdminSavedView')
      assert.isTrue(
        audits.some((one) => one.resource_id === String(own) && one.action === 'DELETE')
      )
    })

  test('[L5] superusers can list the views of all users, and other users get a 403', async ({
    assert,
  }) => {
    await save('East', 'filter.town=east')
    const boss = await cookiesOf(await makeUser('boss'))
    const { rows } = await getList(boss, '/admin/AdminSavedView/')
    assert.deepEqual(rows[0].slice(0, 5), ['East', 'Play', 'ada', 'No', 'filter.town=east'])
    assert.equal(await part(get('/admin/AdminSavedView/', { headers: { cookie } }), 'status'), 403)
    const created = await call('POST', '/admin/AdminSavedView/crud', {
      headers: { cookie: boss },
      json: { name: 'x', model: 'Play', query: '', shared: true },
    })
    assert.include([404, 405], created.status)
  })

  test('[L5] the form of a view is a page without JavaScript; htmx requests receive only the form', async ({
    assert,
  }) => {
    const page = await get('/admin/Play/views/new?filter.town=east', { headers: { cookie } })
    assert.include(page.text, '<!doctype html>')
    assert.include(page.text, 'name="query" value="filter.town=east"')
    assert.include(page.text, 'href="/admin/Play/?filter.town=east"')
    const headers = { cookie, 'hx-request': 'true' }
    const alone = await get('/admin/Play/views/new', { headers })
    assert.notInclude(alone.text, '<html')
  })
})
