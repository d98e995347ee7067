import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { get as httpGet, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import type { AdminUser, PermissionsDocument } from '#admin'
import { readersOf } from '#base/database/sqlite/sqlite_connection'
import { SLOW_READER } from '#base/http/export_slots'
import { ClosedFile } from '#tests/fixtures/list_views'
import { Play, Stage } from '#tests/fixtures/stages'
import {
  adminSite,
  callRaw,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { onSqlite } from '#tests/helpers/databases'
import { queriesOf } from '#tests/helpers/queries'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { call, get, urlOf, type HttpResponse } from '#tests/helpers/http'
import { its } from '#tests/helpers/its'
import { makeRole, restoreRoles } from '#tests/helpers/roles'

const TABLES = ['list_artefacts', 'list_alcoves', 'list_closed_files', 'list_cash_books']

async function add(table: string, rows: object[]) {
  for (let start = 0; start < rows.length; start += 100) {
    await db.table(table).multiInsert(rows.slice(start, start + 100) as Record<string, any>[])
  }
}

const books = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    title: `Book ${index}`,
    remark: index % 2 === 0 ? 'even' : 'odd',
    amount: index,
  }))

/** Events of exports, the last one first; they are logged in the background. */
async function exportEvents(wanted = 1) {
  const site = await adminSite()
  for (let tries = 0; tries < 200; tries++) {
    await site.events.settle()
    const rows = await db
      .from('admin_event_log')
      .where('event_type', 'EXPORT')
      .orderBy('id', 'desc')
    if (rows.length >= wanted) {
      return rows.map(({ details, ...row }) => ({
        ...row,
        details: typeof details === 'string' ? JSON.parse(details) : details,
      }))
    }
    await sleep(10)
  }
  throw new Error('No export was logged')
}

const lines = ({ text }: HttpResponse) => text.split('\r\n').slice(0, -1)

async function bodyOf(response: Promise<HttpResponse>): Promise<any> {
  const { body } = await response
  return body
}

async function statusOf(response: Promise<HttpResponse>): Promise<number> {
  const { status } = await response
  return status
}

async function textOf(response: Promise<HttpResponse>): Promise<string> {
  const { text } = await response
  return text
}

test.group('Admin | export', (group) => {
  let jo: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyEventTables()
    for (const table of [...TABLES, 'play_tickets', 'plays', 'stages'])
      await db.from(table).delete()
    jo = await makeUser('jo')
    cookie = await cookiesOf(jo)
    return restoreRoles
  })

  const exported = (query: string, model = 'CashBook', headers: Record<string, string> = {}) =>
    get(`/admin/${model}/export?${query}`, { headers: { cookie, ...headers } })

  async function signInWith(...permissions: PermissionsDocument[]) {
    const names = permissions.map((_, index) => `Tester ${index}`)
    for (const [index, one] of permissions.entries()) await makeRole(names[index], one)
    const ann = await makeUser('ann', { isSuperuser: false, roles: names })
    cookie = await cookiesOf(ann)
  }

  test('[D2] an export has the records of all pages with filters, search, order and columns of the list', async ({
    assert,
  }) => {
    await add('list_cash_books', books(45))
    const list =
      'filter.remark=even&q=Book&sort_by=amount&sort_order=asc&columns=amount,title&page=3'
    const response = await exported(`format=csv&${list}`)
    assert.equal(response.status, 200)
    const even = Array.from({ length: 23 }, (_, index) => `${index * 2},Book ${index * 2}`)
    assert.deepEqual(lines(response), ['amount,title', ...even])
    /* As the list has it without a query: its default order, and what is deleted left out */
    await db
      .from('list_cash_books')
      .where('amount', 44)
      .update({ deleted_at: '2026-01-01 00:00:00' })
    const whole = await exported('format=json')
    assert.equal(whole.body.length, 44)
    assert.equal(whole.body[0].title, 'Book 43')
    const deleted = await exported('format=json&deleted=only')
    assert.deepEqual(
      deleted.body.map(({ title }: any) => title),
      ['Book 44']
    )
  }).tags(['@database'])

  test('[D2] exported values equal those of REST in every format, and null differs from an empty text', async ({
    assert,
  }) => {
    await add('list_alcoves', [{ code: 'a/1', name: 'North' }])
    await add('list_artefacts', [
      {
        name: 'say "x",\n=1+1',
        notes: '',
        visitors: '9007199254740993',
        weight: 1.5,
        on_loan: true,
        found_on: '2026-02-03',
        shown_at: '2026-02-03 04:05:06',
        opens_at: '07:08:09',
        mark: '8d4c9a6e-1f5b-4b8e-9c59-2f1a4f7f3b11',
        details: JSON.stringify({ a: [1, '2'] }),
        picture: Buffer.from('abc'),
        alcove_code: 'a/1',
        grade: 'A',
      },
      { name: '=cmd|x', notes: "'=x" },
    ])
    const rest = await get('/admin/Artefact/crud', { headers: { cookie } })
    const [first, second] = rest.body.data
    const json = await exported('format=json&columns=*&sort_by=id&sort_order=asc', 'Artefact')
    assert.deepEqual(json.body, [first, second])
    const ndjson = await exported('format=ndjson&columns=*&sort_by=id&sort_order=asc', 'Artefact')
    assert.equal(ndjson.headers.get('content-type'), 'application/x-ndjson; charset=utf-8')
    assert.deepEqual(
      ndjson.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
      [first, second]
    )
    const csv = await exported(
      'format=csv&columns=name,notes,visitors,on_loan,details&sort_by=id&sort_order=asc',
      'Artefact'
    )
    assert.equal(
      csv.text,
      [
        'name,notes,visitors,on_loan,details',
        '"say ""x"",\n=1+1","",9007199254740993,true,"{""a"":[1,""2""]}"',
        `"'=cmd|x",''=x,,,`,
        '',
      ].join('\r\n')
    )
  }).tags(['@dialect'])

  test('[D2] each export option (bom, raw, labels, titles) changes only its own part of the file', async ({
    assert,
  }) => {
    await add('list_alcoves', [{ code: 'a', name: 'North' }])
    await add('list_artefacts', [
      { name: '=1+1', alcove_code: 'a' },
      { name: 'x', alcove_code: 'gone' },
    ])
    const of = 'columns=name,alcove_code&sort_by=id&sort_order=asc'
    const text = async (options: string) => await textOf(exported(`${of}&${options}`, 'Artefact'))
    assert.equal(await text('format=csv'), "name,alcove_code\r\n'=1+1,a\r\nx,gone\r\n")
    /* fetch takes the mark away */
    const marked = await fetch(urlOf(`/admin/Artefact/export?${of}&format=csv&bom=1`), {
      headers: { cookie },
    })
    const bytes = new Uint8Array(await marked.arrayBuffer())
    assert.deepEqual([...bytes.slice(0, 7)], [0xef, 0xbb, 0xbf, ...Buffer.from('name')])
    assert.equal(await text('format=csv&raw=1'), 'name,alcove_code\r\n=1+1,a\r\nx,gone\r\n')
    assert.equal(await text('format=csv&labels=1'), "Name,Alcove code\r\n'=1+1,a\r\nx,gone\r\n")
    assert.equal(
      await text('format=csv&titles=1'),
      "name,alcove_code,alcove_code__title\r\n'=1+1,a,North\r\nx,gone,\r\n"
    )
    assert.equal(
      await text('format=csv&titles=1&labels=1'),
      "Name,Alcove code\r\n'=1+1,North\r\nx,gone\r\n",
      'the key where there is no title'
    )
    const json = JSON.parse(await text('format=json&titles=1&labels=1'))
    assert.deepEqual(json[0], { name: '=1+1', alcove_code: 'a', alcove_code__title: 'North' })
  })

  test('[D2] custom columns are exported as their text', async ({ assert }) => {
    await add('list_artefacts', [{ name: 'x', weight: 2 }])
    const response = await exported('format=csv&columns=density,name', 'Artefact')
    assert.deepEqual(lines(response), ['density,name', '2/m³,x'])
  })

  test('[D2, L1] a query with an ignored filter is 422, and nothing is exported: {$self}')
    .with([
      'format=csv&filter.nmae=x',
      'format=csv&filter.id=x',
      'format=csv&column-to-search=nothing&search-input=x',
      'format=csv&view=999999',
      'format=csv&columns=title,nothing',
      'format=xls',
      'format=csv&bom=2',
    ])
    .run(async ({ assert }, query) => {
      await add('list_cash_books', books(1))
      const page = await exported(query)
      assert.equal(page.status, 422)
      assert.include(page.text, 'role="alert"')
      assert.notInclude(page.text, 'Book 0')
      const json = await exported(query, 'CashBook', { accept: 'application/json' })
      assert.equal(json.status, 422)
      assert.isNotEmpty(json.body.detail[0].message)
    })

  test('[D2, L5, L6] the user’s saved columns and default view apply as in the list', async ({
    assert,
  }) => {
    await add('list_cash_books', books(4))
    const site = await adminSite()
    await site.preferences.write(jo.id, { 'list.CashBook.columns': ['remark', 'id'] })
    const [heading] = lines(await exported('format=csv'))
    assert.equal(heading, 'remark,id')
    await sendForm(
      '/admin/CashBook/views',
      { name: 'Odd', query: 'filter.remark=odd&columns=title', default: '1' },
      { cookie }
    )
    assert.deepEqual(lines(await exported('format=csv')), ['title', 'Book 3', 'Book 1'])
    assert.lengthOf(lines(await exported('format=csv&view=all')), 5)
  })

  test('[D2] the response is a download whose file name has only letters, digits and dashes', async ({
    assert,
  }) => {
    const { headers } = await exported('format=csv')
    assert.match(
      headers.get('content-disposition')!,
      /^attachment; filename="cash-books-\d{4}-\d\d-\d\d\.csv"$/
    )
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.include(headers.get('cache-control')!, 'no-store')
    const head = await call('HEAD', '/admin/CashBook/export?format=csv', { headers: { cookie } })
    assert.equal(head.status, 200)
    assert.include(head.headers.get('content-disposition')!, '.csv')
  })

  test('[D2] an export is logged with its query, format and number of records', async ({
    assert,
  }) => {
    await add('list_cash_books', books(6))
    await exported('format=ndjson&filter.remark=odd&raw=1')
    const [event] = await exportEvents()
    assert.containSubset(event, { status: 'success', user_id: jo.id, resource_type: 'CashBook' })
    assert.deepEqual(event.details, {
      format: 'ndjson',
      query: 'filter.remark=odd',
      count: 3,
      raw: true,
    })
    const page = await get(`/admin/management/events/${event.id}`, { headers: { cookie } })
    assert.include(page.text, 'Exported')
    assert.include(page.text, 'filter.remark=odd')
    assert.include(page.text, '3 cash books')
  })

  test('[U2, U4] an export without the export permission is a 403, without view a 404, and raw without import a 422', async ({
    assert,
  }) => {
    await signInWith({ CashBook: { actions: ['view'] } })
    for (const path of ['export?format=csv', 'export/dialog']) {
      const response = await get(`/admin/CashBook/${path}`, { headers: { cookie } })
      assert.equal(response.status, 403)
    }
    const list = await get('/admin/CashBook/', { headers: { cookie } })
    assert.notInclude(list.text, '/export/dialog')
    const other = await exported('format=csv', 'Artefact')
    assert.equal(other.status, 404)
    const posted = await sendForm('/admin/CashBook/export', { format: 'csv' }, { cookie })
    assert.equal(posted.status, 403)
    await emptyAdminTables()
    await signInWithMore({ CashBook: { actions: ['view', 'export'] } })
    assert.equal(await statusOf(exported('format=csv')), 200)
    assert.equal(await statusOf(exported('format=csv&raw=1')), 422)
    await emptyAdminTables()
    await signInWithMore({ CashBook: { actions: ['view', 'export', 'import'] } })
    assert.equal(await statusOf(exported('format=csv&raw=1')), 200)

    async function signInWithMore(permissions: PermissionsDocument) {
      await restoreRoles()
      await signInWith(permissions)
    }
  })

  test('[U3, U4] fields and records that roles hide, and titles of their references, are never exported', async ({
    assert,
  }) => {
    const stage = await Stage.create({ name: 'Globe', town: 'east' })
    const play = { secret: 'QZX', note: 'n', stageId: stage.id }
    await Play.createMany([
      { ...play, title: 'Near', town: 'east' },
      { ...play, title: 'Far', town: 'west' },
    ])
    await signInWith({
      Play: { actions: ['view', 'export'], hidden: ['secret'], scopes: ['east'] },
    })
    const response = await exported('format=json&columns=*&titles=1', 'Play')
    assert.deepEqual(
      response.body.map(({ title }: any) => title),
      ['Near']
    )
    assert.notInclude(response.text, 'QZX')
    assert.notProperty(response.body[0], 'secret')
    assert.notProperty(response.body[0], 'stage_id__title')
    assert.equal(await statusOf(exported('format=json&columns=secret', 'Play')), 422)
    assert.equal(await statusOf(exported('format=json&filter.secret=QZX', 'Play')), 422)
  }).tags(['@database'])

  test('[U3] only records and fields with the export permission are exported, not all visible ones', async ({
    assert,
  }) => {
    const stage = await Stage.create({ name: 'Globe', town: 'east' })
    const play = { secret: 's', note: 'n', stageId: stage.id }
    await Play.createMany([
      { ...play, title: 'Near', town: 'east' },
      { ...play, title: 'Far', town: 'west' },
    ])
    await signInWith(
      { Play: { actions: ['view'] } },
      { Play: { actions: ['view', 'export'], scopes: ['east'] } }
    )
    const response = await exported('format=json', 'Play')
    assert.deepEqual(
      response.body.map(({ title }: any) => title),
      ['Near']
    )
    const dialog = await get('/admin/Play/export/dialog', { headers: { cookie } })
    assert.include(dialog.text, '1 record of the list that you can export')
  }).tags(['@database'])

  test('[P14] an export obeys the policy of the model', async ({ assert, cleanup }) => {
    const { allows } = ClosedFile
    cleanup(() => void (ClosedFile.allows = allows))
    await add('list_closed_files', [{ title: 'QZX' }])
    assert.equal(await statusOf(exported('format=csv', 'ClosedFile')), 200)
    ClosedFile.allows = (_, action) => action !== 'read_multi'
    const response = await exported('format=csv', 'ClosedFile')
    assert.equal(response.status, 403)
    assert.notInclude(response.text, 'QZX')
  })

  test('[P10, U4] an export requires a login, and an access token is not accepted', async ({
    assert,
  }) => {
    cookie = ''
    const page = await exported('format=csv')
    assert.equal(page.status, 303)
    assert.include(page.headers.get('location')!, '/admin/login')
    const token = await exported('format=csv', 'CashBook', {
      authorization: 'Bearer at_0123456789abcdef',
      accept: 'application/json',
    })
    assert.equal(token.status, 401)
  })

  test('[D2] the dialog exports the columns of the list, all fields, or selected ones', async ({
    assert,
  }) => {
    await add('list_cash_books', books(3))
    const sent = (fields: string) =>
      sendForm(
        '/admin/CashBook/export',
        `query=filter.remark%3Deven%26columns%3Damount&${fields}`,
        { cookie }
      )
    assert.deepEqual(lines(await sent('format=csv&columns=shown')), ['amount', '2', '0'])
    const all = await sent('format=csv&columns=all')
    assert.equal(lines(all)[0], 'id,title,remark,amount,deleted_at')
    const chosen = await sent('format=csv&columns=chosen&chosen=title&chosen=id&labels=1')
    assert.equal(lines(chosen)[0], 'Title,ID')
    const none = await sent('format=csv&columns=chosen')
    assert.equal(none.status, 422)
    assert.include(none.text, 'Choose a column')
    const foreign = await sendForm('/admin/CashBook/export', 'format=csv', {
      cookie,
      'sec-fetch-site': 'cross-site',
    })
    assert.equal(foreign.status, 403)
  })

  test('[D2, B24] the records that are selected in the list are exported, in its order and columns', async ({
    assert,
  }) => {
    await add('list_cash_books', books(6))
    const ids = await db.from('list_cash_books').orderBy('id').select('id')
    const [, two, , , five] = ids.map(({ id }) => Number(id))
    const list = '/admin/CashBook/?sort_by=amount&sort_order=desc&columns=title,amount'
    const page = await get(list, { headers: { cookie } })
    assert.include(page.text, 'formaction="/admin/CashBook/export/selected"')

    const ticked = `ids=${two}&ids=${five}&action=export&next=${encodeURIComponent(list)}`
    const sent = await callRaw(
      'POST',
      '/admin/CashBook/export/selected',
      {
        cookie,
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-mode': 'navigate',
      },
      ticked
    )
    assert.equal(sent.status, 303)
    const dialog = await get(String(sent.headers.location), { headers: { cookie } })
    assert.include(dialog.text, '2 selected records')
    const part = await sendForm('/admin/CashBook/export/selected', ticked, {
      cookie,
      'hx-request': 'true',
    })
    assert.include(part.text, '2 selected records')
    assert.notInclude(part.text, '<html')

    const [, query] = dialog.text.match(/name="query" value="([^"]*)"/)!
    const form = new URLSearchParams({
      query: query.replaceAll('&amp;', '&'),
      format: 'csv',
      columns: 'shown',
    })
    const file = await sendForm('/admin/CashBook/export', String(form), { cookie })
    assert.deepEqual(lines(file), ['title,amount', 'Book 4,4', 'Book 1,1'])
    const [{ details }] = await exportEvents()
    assert.deepInclude(details, { count: 2, selected: [String(two), String(five)] })
    /* They are exported though the list's filter finds them no more. */
    const filtered = await exported(`format=csv&filter.remark=nothing&ids=${five}`)
    assert.lengthOf(lines(filtered), 2)

    const whole = await sendForm(
      '/admin/CashBook/export/selected',
      `all=1&count=3&query=filter.remark%3Deven&ids=${two}&next=/admin/CashBook/`,
      { cookie }
    )
    assert.include(whole.text, '3 records on all pages of the list')
    const none = await sendForm('/admin/CashBook/export/selected', 'action=export', { cookie })
    assert.equal(none.headers.get('location'), '/admin/CashBook/')
    for (const wrong of [
      'ids=x',
      'ids=',
      Array.from({ length: 1001 }, (_, n) => `ids=${n}`).join('&'),
    ]) {
      assert.equal(await statusOf(exported(`format=csv&${wrong}`)), 422)
    }
  }).tags(['@database'])

  test('[U2, U3] of the selected records, only those with the export permission are exported', async ({
    assert,
  }) => {
    await add('list_cash_books', books(3))
    const ids = await db.from('list_cash_books').orderBy('id').select('id')
    const ticked = ids.map(({ id }) => `ids=${id}`).join('&')
    await signInWith({
      CashBook: { actions: ['view', 'export'], hidden: ['amount'] },
    })
    const page = await get('/admin/CashBook/', { headers: { cookie } })
    assert.include(page.text, 'formaction="/admin/CashBook/export/selected"')
    const file = await exported(`format=csv&columns=*&${ticked}`)
    assert.equal(lines(file)[0], 'id,title,remark,deleted_at')
    assert.lengthOf(lines(file), 4)
    await emptyAdminTables()
    await restoreRoles()
    await signInWith({ CashBook: { actions: ['view'] } })
    const without = await get('/admin/CashBook/', { headers: { cookie } })
    assert.notInclude(without.text, '/export/selected')
    const refused = await sendForm('/admin/CashBook/export/selected', ticked, { cookie })
    assert.equal(refused.status, 403)
  })

  test('[D2] the dialog shows the number of matching records and preserves the list; the list links to it', async ({
    assert,
  }) => {
    await add('list_cash_books', books(5))
    const list = await get('/admin/CashBook/?filter.remark=odd', { headers: { cookie } })
    assert.include(list.text, '/admin/CashBook/export/dialog?filter.remark=odd')
    const dialog = await get('/admin/CashBook/export/dialog?filter.remark=odd', {
      headers: { cookie },
    })
    assert.equal(dialog.status, 200)
    assert.include(dialog.text, '2 records on all pages of the list')
    assert.include(dialog.text, 'value="filter.remark=odd"')
    const part = await get('/admin/CashBook/export/dialog', {
      headers: { cookie, 'hx-request': 'true' },
    })
    assert.notInclude(part.text, '<html')
    const bare = await exported('filter.remark=odd')
    assert.equal(bare.headers.get('location'), '/admin/CashBook/export/dialog?filter.remark=odd')
    const unread = await get('/admin/CashBook/?filter.remark__larger=odd', { headers: { cookie } })
    assert.notInclude(unread.text, '/export/dialog')
  })

  test('[D2] an export is a consistent snapshot while rows are added and deleted', async ({
    assert,
  }) => {
    /* An SQLite database without readers has one connection, which all others would wait for. */
    if (db.connection().dialect.name.includes('sqlite') && !readersOf(db.connection())) return
    const wide = 'x'.repeat(2000)
    await add(
      'list_cash_books',
      books(6000).map((one) => ({ ...one, remark: wide }))
    )
    const response = await fetch(
      urlOf('/admin/CashBook/export?format=ndjson&sort_by=id&sort_order=asc'),
      { headers: { cookie } }
    )
    const reader = response.body!.getReader()
    const { value: first } = await reader.read()
    await db.from('list_cash_books').where('amount', '>', 3000).delete()
    await db.from('list_cash_books').update({ title: 'changed' })
    await add('list_cash_books', books(10))
    const parts = [first!]
    for (let part = await reader.read(); !part.done; part = await reader.read())
      parts.push(part.value)
    const items = Buffer.concat(parts)
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      items.map(({ title }) => title),
      Array.from({ length: 6000 }, (_, index) => `Book ${index}`)
    )
  }).tags(['@database'])

  test('[D2, D6] an export sorted by a column without an index sorts once, and is a consistent snapshot', async ({
    assert,
  }) => {
    const wide = 'x'.repeat(2000)
    const rows = books(3000).map((one) => ({
      ...one,
      title: `Book ${one.amount % 40}`,
      remark: wide,
    }))
    await add('list_cash_books', rows)
    const stored = await db.from('list_cash_books').select('id', 'amount')
    const idOf = new Map(stored.map(({ id, amount }) => [Number(amount), Number(id)]))
    const changes = async () => {
      await db.from('list_cash_books').where('amount', '>', 1500).delete()
      await db.from('list_cash_books').update({ title: 'Book 0' })
      await add('list_cash_books', books(10))
    }
    /* An SQLite database without readers has one connection, which all others would wait for. */
    const isSingle = onSqlite && !readersOf(db.connection())
    for (const order of ['asc', 'desc']) {
      const items: Array<{ amount: number; title: string }> = []
      const queries = await queriesOf(async () => {
        const response = await fetch(
          urlOf(`/admin/CashBook/export?format=ndjson&sort_by=title&sort_order=${order}`),
          { headers: { cookie } }
        )
        const reader = response.body!.getReader()
        const { value: first } = await reader.read()
        if (order === 'desc' && !isSingle) await changes()
        const parts = [first!]
        for (let part = await reader.read(); !part.done; part = await reader.read())
          parts.push(part.value)
        const text = Buffer.concat(parts).toString().trimEnd()
        items.push(...text.split('\n').map((line) => JSON.parse(line)))
      })
      const sign = order === 'asc' ? 1 : -1
      const expected = rows
        .map(({ amount, title }) => ({ amount, title, id: idOf.get(amount)! }))
        .sort((one, two) =>
          one.title === two.title ? one.id - two.id : one.title < two.title ? -sign : sign
        )
      assert.deepEqual(
        items.map(({ amount, title }) => `${title}, ${amount}`),
        expected.map(({ amount, title }) => `${title}, ${amount}`)
      )
      assert.lengthOf(
        queries.filter((sql) => sql.includes('row_number()')),
        1
      )
    }
  }).tags(['@dialect', '@driver'])

  test('[D2, E3] a client that disconnects ends the export, and the event records it', async ({
    assert,
  }) => {
    const wide = 'x'.repeat(2000)
    await add(
      'list_cash_books',
      books(6000).map((one) => ({ ...one, remark: wide }))
    )
    for (let round = 0; round < 4; round++) {
      const request = httpGet(urlOf('/admin/CashBook/export?format=csv'), { headers: { cookie } })
      const [response] = await once(request, 'response')
      await once(response, 'data')
      request.destroy()
      await once(request, 'close')
    }
    const [event] = await exportEvents(4)
    assert.equal(event.status, 'failure')
    assert.isTrue(event.details.interrupted)
    assert.isBelow(event.details.count, 6000)
    /* All slots and connections are released. */
    assert.lengthOf(await bodyOf(exported('format=json&filter.amount=1')), 1)
    const { pool } = (readersOf(db.connection()) ?? db.connection()).getReadClient().client as any
    for (let tries = 0; tries < 200 && pool.numUsed() > 0; tries++) await sleep(10)
    assert.equal(pool.numUsed(), 0)
  }).tags(['@database'])

  test('[D2, E3] an error of the response ends the export without an unhandled error in the process', async ({
    assert,
    cleanup,
  }) => {
    const unhandled: unknown[] = []
    const note = (error: unknown) => void unhandled.push(error)
    const known = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', note)
    const responses: ServerResponse[] = []
    const started = (message: unknown) =>
      void responses.push((message as { response: ServerResponse }).response)
    subscribe('http.server.request.start', started)
    cleanup(() => {
      unsubscribe('http.server.request.start', started)
      process.removeAllListeners('unhandledRejection')
      for (const one of known) process.on('unhandledRejection', one)
    })
    const wide = 'x'.repeat(2000)
    await add(
      'list_cash_books',
      books(6000).map((one) => ({ ...one, remark: wide }))
    )
    const request = httpGet(urlOf('/admin/CashBook/export?format=csv'), { headers: { cookie } })
    request.on('error', () => {})
    const [response] = await once(request, 'response')
    response.on('error', () => {})
    await once(response, 'data')
    /* As a middleware that responds twice: the response has an error, and is closed. */
    responses.at(-1)!.emit('error', new Error('broken'))
    responses.at(-1)!.destroy()
    const [event] = await exportEvents()
    assert.isTrue(event.details.interrupted)
    const { pool } = (readersOf(db.connection()) ?? db.connection()).getReadClient().client as any
    for (let tries = 0; tries < 200 && pool.numUsed() > 0; tries++) await sleep(10)
    assert.equal(pool.numUsed(), 0)
    assert.isEmpty(unhandled)
  }).tags(['@database'])

  test('[B9, D2] an export that another site requests is refused')
    .with([{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }])
    .run(async ({ assert }, headers) => {
      const response = await get('/admin/CashBook/export?format=csv', {
        headers: { cookie, ...headers },
      })
      assert.equal(response.status, 403)
      const rest = await get('/admin/CashBook/crud', {
        headers: { cookie, accept: 'text/csv', ...headers },
      })
      assert.equal(rest.status, 403)
    })

  test('[D2] a user can run one export at a time, and two users one each; small exports are not limited', async ({
    assert,
    cleanup,
  }) => {
    const wide = 'x'.repeat(10_000)
    await add(
      'list_cash_books',
      books(2400).map((one) => ({ ...one, remark: wide }))
    )
    const [kim, lee] = [await makeUser('kim'), await makeUser('lee')]
    const all = 'format=csv'
    const begun = async (user: AdminUser) =>
      await fetch(urlOf(`/admin/CashBook/export?${all}`), {
        headers: { cookie: await cookiesOf(user) },
      })
    const first = await begun(jo)
    const refused = await exported(all)
    assert.equal(refused.status, 503)
    assert.match(refused.headers.get('retry-after')!, /^\d+$/)
    const second = await begun(kim)
    assert.equal(await its(begun(lee), 'status'), 503)
    assert.equal(await statusOf(exported('format=csv&filter.amount=1')), 200)

    const usual = { ...SLOW_READER }
    cleanup(() => void Object.assign(SLOW_READER, usual))
    Object.assign(SLOW_READER, { bytesPerSecond: Infinity, milliseconds: 0 })
    const third = await begun(lee)
    assert.equal(third.status, 200)
    assert.isNotEmpty(await third.text())
    const ends = await Promise.allSettled([first.text(), second.text()])
    assert.sameMembers(
      ends.map(({ status }) => status),
      ['fulfilled', 'rejected']
    )
  })

  test('[D2] an export without records is only the heading in CSV, and an empty list in JSON', async ({
    assert,
  }) => {
    assert.equal(await textOf(exported('format=csv', 'Vacancy')), 'id,title\r\n')
    assert.deepEqual(await bodyOf(exported('format=json', 'Vacancy')), [])
    assert.equal(await textOf(exported('format=ndjson', 'Vacancy')), '')
  })

  test('[A9] records with composite keys are exported page by page', async ({ assert }) => {
    await db.from('list_cabins').delete()
    await add(
      'list_cabins',
      Array.from({ length: 1500 }, (_, index) => ({
        deck: index % 7,
        letter: `l${index}`,
        guest: null,
      }))
    )
    const response = await exported('format=ndjson&sort_by=guest', 'Cabin')
    const seen = new Set(response.text.trimEnd().split('\n'))
    assert.equal(seen.size, 1500)
    const byLetter = await exported('format=ndjson&sort_by=letter&sort_order=desc', 'Cabin')
    const letters = byLetter.text.split('\n', 1500).map((line) => JSON.parse(line).letter)
    assert.deepEqual(letters, letters.toSorted().reverse())
    assert.equal(new Set(letters).size, 1500)
    await db.from('list_cabins').delete()
  }).tags(['@database'])
})
