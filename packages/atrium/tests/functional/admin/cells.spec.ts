import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'
import { AdminAuditLog, AdminEventLog, type PermissionsDocument } from '#admin'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { textOf, unescape } from '#tests/helpers/list_page'
import { call, get, type HttpResponse } from '#tests/helpers/http'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { loggedEvents } from '#tests/helpers/model_events'
import { makeRole, restoreRoles } from '#tests/helpers/roles'
import { Bill, Locker } from '#tests/fixtures/cells'
import { Folder, Machine, Maker, Review, Ruled, Shelfmark } from '#tests/fixtures/forms'
import { Play } from '#tests/fixtures/stages'

const OPENED = DateTime.utc(2026, 1, 2, 3, 4, 5, 678)

interface Editor extends HttpResponse {
  /** Undefined without an editor */
  version: string | undefined
  action: string
  error: string
  /** Texts of the row's cells; undefined without a row */
  cells: string[] | undefined
}

function editorIn(response: HttpResponse): Editor {
  const { text } = response
  const [, row] = /<tr.*?>(.*)<\/tr>/s.exec(text) ?? []
  const cells = [...(row ?? '').matchAll(/<(t[hd])\b([^>]*)>(.*?)<\/\1>/gs)]
  return {
    ...response,
    version: /data-version="(.*?)"/.exec(text)?.[1],
    action: unescape(/data-action="(.*?)"/.exec(text)?.[1] ?? ''),
    error: unescape(/role="alert"[^>]*>(.*?)<\/p>/s.exec(text)?.[1] ?? ''),
    cells: row === undefined ? undefined : cells.slice(1).map(([, , , inner]) => textOf(inner)),
  }
}

test.group('Admin | editing cells in place', (group) => {
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyEventTables()
    for (const model of [Bill, Locker, Machine, Maker, Review, Ruled, Folder, Shelfmark]) {
      await model.query().delete()
    }
    cookie = await cookiesOf(await makeUser('ada'))
  })

  const makeBill = (values: Partial<Record<keyof Bill, unknown>> = {}) =>
    Bill.create({ title: 'Paper', net: 5, openedAt: OPENED, ...values } as Partial<Bill>)

  const open = async (cell: string, headers = {}) =>
    editorIn(await get(`/admin/${cell}`, { headers: { cookie, ...headers } }))

  async function post(address: string, fields: Record<string, string>, headers = {}) {
    const response = await call('POST', address, {
      body: new URLSearchParams(fields).toString(),
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded', ...headers },
    })
    return editorIn(response)
  }

  /** Opens the editor and saves the fields. */
  async function change(cell: string, fields: Record<string, string>, headers = {}) {
    const { action, version, status } = await open(cell, headers)
    if (status !== 200) throw new Error(`${cell} is answered ${status}`)
    return await post(action, fields, { 'if-match': `"${version}"`, ...headers })
  }

  test('[L10] the editor of a cell is the widget of its form field, with the current value', async ({
    assert,
  }) => {
    const maker = await Maker.create({ name: 'Jacquard' })
    const machine = await Machine.create({
      name: 'Loom',
      status: 'sent',
      approved: true,
      day: DateTime.utc(2026, 3, 4),
      moment: DateTime.utc(2026, 3, 4, 5, 6, 7),
      makerId: maker.id,
      notes: 'One\nTwo',
      colours: '[]',
    })
    const widgets: Record<string, RegExp> = {
      name: /<input [^>]*name="name" type="text"[^>]*value="Loom"/,
      nickname: /<input [^>]*name="nickname" type="text"/,
      notes: /<textarea [^>]*>\nOne\nTwo<\/textarea>/,
      amount: /<input [^>]*type="text"[^>]*value="7"/,
      active: /<input [^>]*type="checkbox"[^>]*checked/,
      approved: /<option value="true" selected[^>]*>Yes<\/option>/,
      day: /<input [^>]*type="date"[^>]*value="2026-03-04"/,
      moment: /<input [^>]*type="datetime-local"[^>]*value="2026-03-04T05:06:07"/,
      status: /<option value="sent" selected[^>]*>sent<\/option>/,
      level: /<select [^>]*name="level"/,
      email: /<input [^>]*type="email"/,
      maker_id: new RegExp(`<option value="${maker.id}" selected[^>]*>Jacquard</option>`),
    }
    for (const [field, widget] of Object.entries(widgets)) {
      const editor = await open(`Machine/cell/${machine.id}?field=${field}`)
      assert.equal(editor.status, 200, field)
      assert.match(editor.text, widget, field)
      assert.equal(editor.error, '', field)
      assert.match(editor.text, /<label class="sr-only" for="field-\w+">/)
      assert.isString(editor.version)
      assert.notInclude(editor.text, '<html')
    }
    const { text } = await open(`Machine/cell/${machine.id}?field=moment`)
    assert.include(text, '>UTC<')
  })

  test('[L10] saving a cell writes only its field, runs application code, and returns the row of the list', async ({
    assert,
  }) => {
    const bill = await makeBill({ note: 'old', pin: '1234' })
    const other = await makeBill({ title: 'Other', net: 1.25 })
    const list = encodeURIComponent('columns=note,title,net,gross')
    const saved = await change(`Bill/cell/${bill.id}?field=net&list=${list}`, { net: '7' })
    assert.equal(saved.status, 200)
    /* Own code has changed another cell; the decimals are those of the column's other numbers. */
    assert.deepEqual(saved.cells, ['old', 'Paper', '7.00', '14'])
    assert.include(saved.text, `/admin/Bill/update/${bill.id}`)
    assert.include(saved.text, `name="ids" value="${bill.id}"`)

    const stored = await db.from('cell_bills').where('id', bill.id).first()
    assert.deepInclude(stored, { net: 7, gross: 14, note: 'old', pin: '1234', title: 'Paper' })
    const untouched = await Bill.findOrFail(other.id)
    assert.equal(untouched.net, 1.25)
  }).tags(['@database'])

  test('[L10, E3] a saved cell creates one event with one audit row of the changes', async ({
    assert,
  }) => {
    const bill = await makeBill({ note: 'old' })
    await emptyEventTables()
    await change(`Bill/cell/${bill.id}?field=note`, { note: 'new' })
    const events = await loggedEvents()
    assert.deepEqual(
      events.map(({ eventType, resourceType, resourceId }) => [
        eventType,
        resourceType,
        resourceId,
      ]),
      [['UPDATE', 'Bill', String(bill.id)]]
    )
    const rows = await AdminAuditLog.all()
    assert.lengthOf(rows, 1)
    assert.deepInclude(rows[0].previousState, { title: 'Paper', note: 'old' })
    assert.deepInclude(rows[0].newState, { title: 'Paper', note: 'new' })
    assert.lengthOf(await AdminEventLog.all(), 1)
  })

  test('[L10] saving a cell leaves other required fields unchanged, including the milliseconds of times', async ({
    assert,
  }) => {
    const bill = await makeBill()
    const before = await Bill.findOrFail(bill.id)
    const { status } = await change(`Bill/cell/${bill.id}?field=note`, { note: 'new' })
    assert.equal(status, 200)
    const after = await Bill.findOrFail(bill.id)
    assert.equal(after.openedAt.toMillis(), before.openedAt.toMillis())
    assert.deepEqual([after.title, after.net, after.note], ['Paper', 5, 'new'])
  }).tags(['@database'])

  test('[L10] an empty input clears a cell, or is an error where a value is required', async ({
    assert,
  }) => {
    const bill = await makeBill({ note: 'old' })
    const emptied = await change(`Bill/cell/${bill.id}?field=note`, { note: '' })
    assert.equal(emptied.status, 200)
    const needed = await change(`Bill/cell/${bill.id}?field=title`, { title: '  ' })
    assert.equal(needed.status, 422)
    assert.equal(needed.error, 'Title is required')
    const nothing = await change(`Bill/cell/${bill.id}?field=note`, { title: 'Smuggled' })
    assert.equal(nothing.status, 422)
    const { note, title } = await Bill.findOrFail(bill.id)
    assert.deepEqual([note, title], [null, 'Paper'])
  })

  test('[L10] an error is shown at the cell with the input, and nothing is written', async ({
    assert,
  }) => {
    const bill = await makeBill()
    const long = await change(`Bill/cell/${bill.id}?field=title`, { title: 'Far too long a title' })
    assert.equal(long.status, 422)
    assert.equal(long.error, 'Title must not be greater than 12 characters')
    assert.include(long.text, 'value="Far too long a title"')
    assert.match(long.text, /aria-invalid="true"/)
    assert.match(long.text, /aria-describedby="field-title-error/)
    assert.isUndefined(long.cells)

    const help = await change(`Bill/cell/${bill.id}?field=net`, { net: 'abc' })
    assert.equal(help.status, 422)
    assert.include(help.text, 'aria-describedby="field-net-error field-net-help"')
    assert.match(help.text, /id="field-net-help">Without tax</)

    const machine = await Machine.create({ name: 'Loom', colours: '[]' })
    const refused = await change(`Machine/cell/${machine.id}?field=name`, {
      name: 'Perpetuum mobile',
    })
    assert.deepEqual([refused.status, refused.error], [422, 'Such a machine does not exist'])
    const driver = await change(`Machine/cell/${machine.id}?field=name`, { name: 'Broken driver' })
    assert.notInclude(driver.text, 'vault')

    const review = await Review.create({ text: 'Good', stars: 2 })
    const widget = await change(`Review/cell/${review.id}?field=stars`, { stars: 'two' })
    assert.deepEqual([widget.status, widget.error], [422, 'Give stars'])
    const stars = await change(`Review/cell/${review.id}?field=stars`, { stars: '★★★' })
    assert.equal(stars.status, 200)

    const stored = [await Bill.findOrFail(bill.id), await Machine.findOrFail(machine.id)] as const
    assert.deepEqual([stored[0].title, stored[1].name], ['Paper', 'Loom'])
    const { stars: given } = await Review.findOrFail(review.id)
    assert.equal(given, 3)
  })

  test('[L10] a record that has changed in the meantime is shown, and written only after confirmation', async ({
    assert,
  }) => {
    const bill = await makeBill({ note: 'old' })
    const { action, version } = await open(`Bill/cell/${bill.id}?field=note`)
    await Bill.query().where('id', bill.id).update({ note: 'theirs', net: 8 })
    const late = await post(action, { note: 'mine' }, { 'if-match': `"${version}"` })
    assert.equal(late.status, 412)
    assert.include(late.error, 'It is now: theirs.')
    assert.match(late.text, /<textarea [^>]*>\nmine<\/textarea>/)
    assert.deepInclude(late.cells!, 'theirs')
    assert.deepInclude(late.cells!, '8')
    assert.notEqual(late.version, version)
    const stored = await Bill.findOrFail(bill.id)
    assert.equal(stored.note, 'theirs')

    const knowing = await post(late.action, { note: 'mine' }, { 'if-match': `"${late.version}"` })
    assert.equal(knowing.status, 200)
    const { note, net } = await Bill.findOrFail(bill.id)
    assert.deepEqual([note, net], ['mine', 8])
  })

  test('[L10] of several simultaneous saves of a cell, one succeeds', async ({ assert }) => {
    const bill = await makeBill()
    const { action, version } = await open(`Bill/cell/${bill.id}?field=note`)
    const responses = await Promise.all(
      ['a', 'b', 'c', 'd'].map((note) => post(action, { note }, { 'if-match': `"${version}"` }))
    )
    const statuses = responses.map(({ status }) => status)
    assert.deepEqual(statuses.toSorted(), [200, 412, 412, 412])
    const { note } = await Bill.findOrFail(bill.id)
    assert.equal(note, ['a', 'b', 'c', 'd'][statuses.indexOf(200)])
  }).tags(['@database'])

  test('[L10] nothing is written without a version (428) or with an invalid one (400)', async ({
    assert,
  }) => {
    const bill = await makeBill({ note: 'old' })
    const { action, version } = await open(`Bill/cell/${bill.id}?field=note`)
    const missing = await post(action, { note: 'new' })
    assert.equal(missing.status, 428)
    assert.include(missing.body.message, 'If-Match')
    const statuses = []
    for (const value of [String(version), '', `W/"${version}"`, '"x", "y"']) {
      const { status } = await post(action, { note: 'new' }, { 'if-match': value })
      statuses.push(status)
    }
    assert.deepEqual(statuses, [400, 428, 412, 412])
    const stored = await Bill.findOrFail(bill.id)
    assert.equal(stored.note, 'old')
    const any = await post(action, { note: 'new' }, { 'if-match': `"x", "${version}"` })
    assert.equal(any.status, 200)
  })

  test('[L10] files, JSON, passwords, and hidden, computed and unknown columns have no editor', async ({
    assert,
  }) => {
    const bill = await makeBill()
    const names = ['lines', 'scan', 'pin', 'password', 'gross', 'id', 'none', '__proto__']
    for (const name of names) {
      const editor = await open(`Bill/cell/${bill.id}?field=${name}`)
      assert.equal(editor.status, 404, name)
      const saved = await post(
        `/admin/Bill/cell/${bill.id}?field=${name}`,
        { [name]: '1' },
        { 'if-match': '*' }
      )
      assert.equal(saved.status, 404, name)
    }
    for (const query of ['', '?field=note&field=title', '?field[x]=note']) {
      const { status } = await open(`Bill/cell/${bill.id}${query}`)
      assert.equal(status, 404, query)
    }
    for (const name of ['data', 'tags', 'colours', 'secret']) {
      const machine = await Machine.create({ name: `Loom ${name}`, colours: '[]' })
      const { status } = await open(`Machine/cell/${machine.id}?field=${name}`)
      assert.equal(status, 404, name)
    }
    const locker = await Locker.create({ name: 'A', pin: '1234' })
    const { status } = await open(`Locker/cell/${locker.id}?field=name`)
    assert.equal(status, 404, 'whose schema wants a value that no page shows')
    const page = await get('/admin/Locker/', { headers: { cookie } })
    assert.notInclude(page.text, 'data-cells')
  })

  test('[L10] headings name the editable fields, so that the rows need no markup for it', async ({
    assert,
  }) => {
    await makeBill()
    const list = await get('/admin/Bill/?sort_by=title', { headers: { cookie } })
    const fields = [...list.text.matchAll(/<th scope="col"[^>]*data-field="(\w+)"/g)]
    assert.deepEqual(
      fields.map(([, name]) => name),
      ['title', 'net', 'note', 'opened_at']
    )
    const [, body] = /<tbody>(.*?)<\/tbody>/s.exec(list.text)!
    assert.notMatch(body, /cell|field/)
    const address = unescape(/data-cells="(.*?)"/.exec(list.text)![1])
    assert.equal(address, '/admin/Bill/cell?list=sort_by%3Dtitle%26sort_order%3Dasc')

    await makeRole('Viewer', { Bill: { actions: ['view'] } })
    const viewer = await cookiesOf(await makeUser('kim', { isSuperuser: false, roles: ['Viewer'] }))
    const shown = await get('/admin/Bill/', { headers: { cookie: viewer } })
    assert.notMatch(shown.text, /data-cells|data-field/)
    await restoreRoles()
  })

  test('[L10] cells of records with composite keys and keys with path characters can be edited', async ({
    assert,
  }) => {
    await Shelfmark.create({ room: 1, board: 'a/b c', title: 'Old' })
    const board = await change('Shelfmark/cell/1/a%2Fb%20c?field=title', { title: 'New' })
    assert.equal(board.status, 200)
    await Folder.create({ path: 'x/../ü?', title: 'Old' })
    const path = encodeURIComponent('x/../ü?')
    const folder = await change(`Folder/cell/${path}?field=title`, { title: 'New' })
    assert.equal(folder.status, 200)
    const titles = [await Shelfmark.query().firstOrFail(), await Folder.query().firstOrFail()]
    assert.deepEqual(
      titles.map(({ title }) => title),
      ['New', 'New']
    )
    const { status } = await open('Bill/cell/abc?field=title')
    assert.equal(status, 404)
  }).tags(['@database'])

  test('[L10] a saved row that no longer matches the filters is returned with the columns of the list', async ({
    assert,
  }) => {
    const bill = await makeBill({ note: 'old' })
    await makeBill({ note: 'old', net: 1.5 })
    const list = encodeURIComponent('filter.note=old&columns=title,net,note')
    const saved = await change(`Bill/cell/${bill.id}?field=note&list=${list}`, { note: 'new' })
    assert.deepEqual(saved.cells, ['Paper', '5.0', 'new'])
  }).tags(['@database'])

  test('[L10, P14] a refusal of the policy is shown as an error at the cell', async ({
    assert,
  }) => {
    const ruled = await Ruled.create({ title: 'open' })
    const sealed = await change(`Ruled/cell/${ruled.id}?field=title`, { title: 'sealed' })
    assert.equal(sealed.status, 403)
    assert.include(sealed.error, 'Not allowed')
    await Ruled.query().update({ title: 'sealed' })
    const { status } = await open(`Ruled/cell/${ruled.id}?field=title`)
    assert.equal(status, 403)
    const address = `/admin/Ruled/cell/${ruled.id}?field=title`
    const saved = await post(address, { title: 'x' }, { 'if-match': '*' })
    assert.equal(saved.status, 403)
    await Ruled.query().update({ isDeleted: true })
    const gone = await post(address, { title: 'x' }, { 'if-match': '*' })
    assert.equal(gone.status, 404)
  })
})

test.group('Admin | cells and roles', (group) => {
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await restoreRoles()
    for (const table of ['play_tickets', 'plays']) await db.from(table).delete()
    return () => restoreRoles()
  })

  async function enter(entry: PermissionsDocument[string]) {
    await makeRole('Clerk', { Play: entry })
    return await cookiesOf(await makeUser('kim', { isSuperuser: false, roles: ['Clerk'] }))
  }

  const knock = async (method: string, cookie: string, id: number, field: string, value = 'x') => {
    const response = await call(method, `/admin/Play/cell/${id}?field=${field}`, {
      headers: {
        cookie,
        'if-match': '*',
        ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(method === 'POST' && { body: new URLSearchParams({ [field]: value }).toString() }),
    })
    return response.status
  }

  const makePlay = (town = 'east') => Play.create({ title: 'Hamlet', town, note: 'n', secret: 's' })

  test('[L10, U4] only cells that a role allows to change are editable: {0}')
    .with([
      ['all', { actions: ['*'] }, [200, 200, 200, 200]],
      ['no update', { actions: ['view'] }, [403, 403, 403, 403]],
      ['no view', { actions: ['update'] }, [404, 404, 404, 404]],
      ['a read-only note', { actions: ['*'], readonly: ['note'] }, [403, 403, 200, 200]],
      ['a hidden note', { actions: ['*'], hidden: ['note'] }, [404, 404, 200, 200]],
      ['the west', { actions: ['*'], scopes: ['west'] }, [404, 404, 404, 404]],
      ['the east', { actions: ['*'], scopes: ['east'] }, [200, 200, 200, 200]],
    ] as Array<[string, PermissionsDocument[string], number[]]>)
    .run(async ({ assert }, [, entry, expected]) => {
      const cookie = await enter(entry)
      const { id } = await makePlay()
      const statuses = [
        await knock('GET', cookie, id, 'note'),
        await knock('POST', cookie, id, 'note', 'new'),
        await knock('GET', cookie, id, 'title'),
        await knock('POST', cookie, id, 'title', 'new'),
      ]
      assert.deepEqual(statuses, expected)
      const { note, title } = await Play.findOrFail(id)
      assert.deepEqual(
        [note, title],
        expected[1] === 200 ? ['new', 'new'] : ['n', expected[3] === 200 ? 'new' : 'Hamlet']
      )
    })

  test('[L10, U3] a record out of scope and a field that is read-only on it can’t be edited', async ({
    assert,
  }) => {
    const cookie = await enter({ actions: ['*'], scopes: ['east'] })
    const { id } = await makePlay()
    assert.equal(await knock('POST', cookie, id, 'town', 'west'), 403)
    const { town } = await Play.findOrFail(id)
    assert.equal(town, 'east')

    await makeRole('East', { Play: { actions: ['*'], scopes: ['east'], readonly: ['note'] } })
    await makeRole('West', { Play: { actions: ['*'], scopes: ['west'] } })
    const both = await cookiesOf(
      await makeUser('lee', { isSuperuser: false, roles: ['East', 'West'] })
    )
    const west = await makePlay('west')
    const statuses = []
    for (const one of [id, west.id]) {
      statuses.push(await knock('GET', both, one, 'note'), await knock('POST', both, one, 'note'))
    }
    assert.deepEqual(statuses, [403, 403, 200, 200])
  })

  test('[L10, B6, B9] unauthenticated clients and other sites get no information', async ({
    assert,
  }) => {
    const { id } = await makePlay()
    const address = `/admin/Play/cell/${id}?field=note`
    const anonymous = await call('GET', address)
    assert.equal(anonymous.status, 303)
    const htmx = await call('GET', address, { headers: { 'hx-request': 'true' } })
    assert.equal(htmx.status, 401)
    const cookie = await cookiesOf(await makeUser('ada'))
    const forged = await call('POST', address, {
      body: 'note=x',
      headers: {
        cookie,
        'content-type': 'application/x-www-form-urlencoded',
        'if-match': '*',
        'sec-fetch-site': 'cross-site',
      },
    })
    assert.equal(forged.status, 403)
  })
})
