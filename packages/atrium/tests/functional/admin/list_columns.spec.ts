import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import emitter from '@adonisjs/core/services/emitter'
import type { AdminUser } from '#admin'
import { raiseVersions } from '#admin/models/versions'
import { Play } from '#tests/fixtures/stages'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { call, get } from '#tests/helpers/http'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { column, getList, tagsOf, unescape } from '#tests/helpers/list_page'
import { makeRole, restoreRoles } from '#tests/helpers/roles'

const CHECKED = /<input class="input" type="checkbox" name="columns" value="([^"]*)" checked>/g
const ORDER = /name="order" value="([^"]*)"/g

const all = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, one]) => unescape(one))

async function store() {
  for (const table of ['play_tickets', 'plays', 'stages']) await db.from(table).delete()
  await Play.create({ title: 'Hamlet', town: 'east', secret: 'QZX', note: 'long' })
}

test.group('Admin | list | columns', (group) => {
  let ada: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyEventTables()
    await restoreRoles()
    await store()
    ada = await makeUser('ada')
    cookie = await cookiesOf(ada)
    return () => restoreRoles()
  })

  const keep = (fields: string, headers = { cookie }) =>
    sendForm('/admin/Play/columns', fields, headers)

  const preferences = () =>
    db.from('admin_preferences').orderBy('name').select('user_id', 'name', 'value')

  async function clerk(entry: object) {
    await makeRole('Clerk', { Play: { actions: ['view'], ...entry } })
    return await makeUser('kim', { isSuperuser: false, roles: ['Clerk'] })
  }

  test('[L6] the columns parameter determines which columns are shown, and in which order: {path}')
    .with([
      { path: '', shown: ['Title', 'ID'] },
      { path: 'get_model_list', shown: ['Title', 'ID'] },
      { path: 'table-content', shown: ['Title', 'ID'] },
    ])
    .run(async ({ assert }, { path, shown }) => {
      const list = await getList(cookie, `/admin/Play/${path}?columns=title,id`)
      assert.deepEqual(list.headings, shown)
      assert.equal(column(list, 0)[0], 'Hamlet')
    })

  test('[L6] links and forms of the list preserve the columns', async ({ assert }) => {
    const { text } = await getList(
      cookie,
      '/admin/Play/?columns=note,title&sort_by=note&sort_order=asc'
    )
    const sorting = /id="sort-title" href="([^"]*)"/.exec(text)![1]
    assert.include(unescape(sorting), 'columns=note%2Ctitle&sort_by=title')
    assert.include(text, '<input type="hidden" name="columns" value="note,title">')
    const next = /id="bulk"[^>]*>\s*<input type="hidden" name="next" value="([^"]*)"/.exec(text)![1]
    assert.include(unescape(next), 'columns=note%2Ctitle')
  })

  test('[L6] custom columns are chosen by their names', async ({ assert }) => {
    await db.from('list_artefacts').delete()
    await db.table('list_artefacts').insert({ name: 'Vase', weight: 3 })
    const { headings, rows } = await getList(cookie, '/admin/Artefact/?columns=density,name')
    assert.deepEqual(headings, ['Density', 'Name'])
    assert.deepEqual(rows, [['3/m³', 'Vase']])
    await db.from('list_artefacts').delete()
  })

  test('[L6] unknown and repeated column names are ignored, and the page shows the unknown ones', async ({
    assert,
  }) => {
    const { text, headings } = await getList(
      cookie,
      '/admin/Play/?columns=title,nonsense,title,%3Cb%3E'
    )
    assert.deepEqual(headings, ['Title'])
    assert.include(
      unescape(text),
      'These columns do not exist, or your roles do not include them: nonsense, <b>.'
    )
    assert.notInclude(text, '<b>')
    assert.include(text, 'name="ids"')
    const none = await getList(cookie, '/admin/Play/?columns=nonsense')
    const usual = await getList(cookie, '/admin/Play/')
    assert.deepEqual(none.headings, usual.headings)
    const empty = await getList(cookie, '/admin/Play/?columns=')
    assert.deepEqual(empty.headings, usual.headings)
    assert.notInclude(empty.text, 'list-note')
  })

  test('[L6] only the shown columns are read from the database', async ({ assert }) => {
    const connections = [...db.manager.connections.values()]
    const debugging = connections.map(({ config }) => config.debug)
    const statements: string[] = []
    const stop = emitter.on('db:query', ({ sql }: { sql: string }) => statements.push(sql))
    connections.forEach(({ config }) => (config.debug = true))
    try {
      await getList(cookie, '/admin/Play/?columns=title,town')
    } finally {
      stop()
      connections.forEach(({ config }, index) => (config.debug = debugging[index]))
    }
    const reads = statements.filter(
      (sql) => /from [`"]plays[`"]/.test(sql) && sql.includes('title')
    )
    assert.isNotEmpty(reads)
    for (const sql of reads) {
      assert.notInclude(sql, 'secret')
      assert.notInclude(sql, 'poster')
    }
  })

  test('[L6] a column that a role hides is not shown or offered, even if it was saved', async ({
    assert,
  }) => {
    const kim = await clerk({ hidden: ['secret'] })
    const value = JSON.stringify(['secret', 'note', 'title'])
    await db
      .table('admin_preferences')
      .insert({ user_id: kim.id, name: 'list.Play.columns', value })
    const own = await cookiesOf(kim)
    const saved = await getList(own, '/admin/Play/')
    assert.deepEqual(saved.headings, ['Note', 'Title'])
    const requested = await getList(own, '/admin/Play/?columns=secret,title')
    assert.deepEqual(requested.headings, ['Title'])
    assert.include(
      requested.text,
      'This column does not exist, or your roles do not include it: secret.'
    )
    const { text } = await get('/admin/Play/columns', { headers: { cookie: own } })
    assert.notInclude(text, 'secret')
    const { headers } = await keep('order=secret&order=title&columns=secret&columns=title', {
      cookie: own,
    })
    assert.equal(headers.get('location'), '/admin/Play/')
    const stored = await db.from('admin_preferences').where('user_id', kim.id)
    assert.deepEqual(
      stored.map((row) => row.value),
      ['["title"]']
    )
    for (const page of [saved, requested]) assert.notInclude(page.text, 'QZX')
  })

  test('[L6] columns and density are saved for the user, also in other browsers', async ({
    assert,
  }) => {
    const response = await keep('order=note&order=title&columns=title&columns=note&density=compact')
    assert.equal(response.status, 303)
    assert.equal(response.headers.get('location'), '/admin/Play/')
    const elsewhere = await getList(await cookiesOf(ada), '/admin/Play/')
    assert.deepEqual(elsewhere.headings, ['Note', 'Title'])
    assert.include(elsewhere.text, 'data-density="compact"')
    const other = await getList(await cookiesOf(await makeUser('bob')), '/admin/Play/')
    assert.include(other.headings, 'Town')
    assert.include(other.text, 'data-density="comfortable"')
    const stages = await getList(cookie, '/admin/Stage/')
    assert.include(stages.text, 'data-density="comfortable"')
    const event = await db
      .from('admin_event_log')
      .where('resource_type', 'Play')
      .orderBy('id', 'desc')
      .where('details', 'like', '%"columns"%')
      .first()
    assert.equal(event?.username, 'ada')
  })

  test('[L6] the query string overrides the saved columns; Reset restores the defaults', async ({
    assert,
  }) => {
    await keep('order=note&order=title&columns=title&columns=note&density=compact')
    const { headings } = await getList(cookie, '/admin/Play/?columns=town')
    assert.deepEqual(headings, ['Town'])
    const { headers } = await keep(
      'reset=1&query=sort_by%3Dtitle%26sort_order%3Ddesc%26columns%3Dtown&columns=title'
    )
    assert.equal(headers.get('location'), '/admin/Play/?sort_by=title&sort_order=desc')
    assert.isEmpty(await preferences())
    const usual = await getList(cookie, '/admin/Play/')
    assert.include(usual.headings, 'Town')
  })

  test('[L6] without JavaScript, buttons move a column without saving it yet', async ({
    assert,
  }) => {
    const { text } = await get('/admin/Play/columns?columns=title,note', { headers: { cookie } })
    assert.include(text, '<!doctype html>')
    assert.deepEqual(all(text, CHECKED), ['title', 'note'])
    assert.deepEqual(all(text, ORDER).slice(0, 2), ['title', 'note'])
    assert.include(all(text, ORDER), 'secret')
    const sent = 'order=title&order=note&columns=title&columns=note'
    const down = await keep(`${sent}&down=title&density=compact`)
    assert.equal(down.status, 200)
    assert.deepEqual(all(down.text, CHECKED), ['note', 'title'])
    assert.include(down.text, 'value="compact" checked')
    const up = await keep(`${sent}&up=note`)
    assert.deepEqual(all(up.text, CHECKED), ['note', 'title'])
    for (const move of ['up=title', 'down=nonsense', 'up=']) {
      const same = await keep(`${sent}&${move}`)
      assert.deepEqual(all(same.text, CHECKED), ['title', 'note'], move)
    }
    assert.isEmpty(await preferences())
  })

  test('[L6] saving an empty selection of columns is refused', async ({ assert }) => {
    const { status, text } = await keep('order=title&columns=nonsense')
    assert.equal(status, 422)
    assert.include(text, 'Choose at least one column.')
    assert.isEmpty(await preferences())
  })

  test('[L6] htmx requests receive only the form, without a page around it', async ({ assert }) => {
    const part = await get('/admin/Play/columns', { headers: { cookie, 'hx-request': 'true' } })
    assert.notInclude(part.text, '<html')
    assert.include(part.headers.get('vary')!, 'HX-Request')
    assert.isBelow(part.text.length, 20_000)
  })

  test('[L6, U6] while a superuser views the site as a role, columns and views are not offered and not saved', async ({
    assert,
  }) => {
    const role = await makeRole('Clerk', { Play: { actions: ['view'] } })
    await sendForm(`/admin/AdminRole/view_as/${role.id}`, '', { cookie })
    const { text } = await getList(cookie, '/admin/Play/')
    assert.notInclude(text, '/admin/Play/columns')
    assert.notInclude(text, '/admin/Play/views')
    const { status } = await keep('order=title&columns=title')
    assert.equal(status, 403)
    assert.isEmpty(await preferences())
  })

  test('[L6, U4] a user whose roles do not include the model cannot open or save its columns', async ({
    assert,
  }) => {
    await makeRole('Stagehand', { Stage: { actions: ['view'] } })
    const own = await cookiesOf(await makeUser('kim', { isSuperuser: false, roles: ['Stagehand'] }))
    const { status } = await get('/admin/Play/columns', { headers: { cookie: own } })
    assert.equal(status, 404)
    const written = await keep('order=title&columns=title', { cookie: own })
    assert.equal(written.status, 404)
    const strangers = await call('POST', '/admin/Play/columns', { json: {} })
    assert.equal(strangers.status, 401)
  })

  test('[L6] column names with markup and very long column names are ignored and do not appear in the page', async ({
    assert,
  }) => {
    const names = [
      '"><script>alert(1)</script>',
      "'; drop table plays; --",
      'hx-get="/x"',
      'a'.repeat(10_000),
    ]
    const query = new URLSearchParams({ columns: ['title', ...names].join() }).toString()
    const { status, text, headings } = await getList(cookie, `/admin/Play/?${query}`)
    assert.equal(status, 200)
    assert.deepEqual(headings, ['Title'])
    assert.isFalse(
      tagsOf(text).some((tag) => tag.includes('alert(1)') || tag.includes('hx-get="/x"'))
    )
    assert.isBelow(text.length, 60_000)
    const form = new URLSearchParams(
      [...names, 'title'].flatMap((name): Array<[string, string]> => [
        ['order', name],
        ['columns', name],
      ])
    )
    const { status: sent } = await keep(form.toString())
    assert.equal(sent, 303)
    const [stored] = await preferences()
    assert.equal(stored.value, '["title"]')
  })

  test('[L6] a list ignores an invalid stored preference', async ({ assert }) => {
    for (const value of ['{', '7', '{"a":1}', '[]', '[1,null]', '["nonsense"]']) {
      await db.from('admin_preferences').delete()
      await db
        .table('admin_preferences')
        .insert({ user_id: ada.id, name: 'list.Play.columns', value })
      await raiseVersions(db.connection(), [ada.id])
      const { status, headings } = await getList(cookie, '/admin/Play/')
      assert.equal(status, 200, value)
      assert.include(headings, 'Town', value)
    }
  })
})
