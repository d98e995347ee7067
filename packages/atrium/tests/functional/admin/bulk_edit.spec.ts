import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { DateTime, Settings } from 'luxon'
import type { AdminUser, PermissionsDocument } from '#admin'
import { observeWrites } from '#crud'
import {
  callRaw,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { insertRow } from '#tests/helpers/databases'
import { formOf } from '#tests/helpers/forms'
import { call, get, type HttpResponse } from '#tests/helpers/http'
import { emptyJobTables, untilJob, work } from '#tests/helpers/jobs'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { makeRole, restoreRoles, roleIdOf } from '#tests/helpers/roles'
import { Folder, Machine, Maker, Ruled, Shelfmark, Stamped } from '#tests/fixtures/forms'
import { Play } from '#tests/fixtures/stages'

type Fields = Record<string, string | readonly string[]>

const MACHINE = {
  name: 'Loom',
  notes: 'Weaves',
  amount: 3,
  active: true,
  status: 'sent',
  colours: JSON.stringify(['red']),
}

test.group('Admin | edit selected', (group) => {
  let jo: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyEventTables()
    await restoreRoles()
    for (const model of [Machine, Maker, Folder, Ruled, Shelfmark, Stamped]) {
      await model.query().delete()
    }
    for (const table of ['bulk_gadgets', 'plays']) await db.from(table).delete()
    jo = await makeUser('jo')
    cookie = await cookiesOf(jo)
    return () => restoreRoles()
  })

  /** Ids of new machines. */
  async function machines(...all: Array<Partial<Record<keyof Machine, unknown>>>) {
    const ids: number[] = []
    for (const one of all) {
      const { id } = await Machine.create({ ...MACHINE, ...one } as Partial<Machine>)
      ids.push(id)
    }
    return ids
  }

  const post = (model: string, json: object): Promise<HttpResponse> =>
    call('POST', `/admin/${model}/bulk-edit`, { json, headers: { cookie } })

  const open = (model: string, query: string): Promise<HttpResponse> =>
    get(`/admin/${model}/bulk-edit?${query}`, { headers: { cookie } })

  const idsIn = (ids: readonly unknown[]) => ids.map((id) => `ids=${id}`).join('&')

  /** Sends the page's form. */
  function save(model: string, ids: readonly unknown[], fields: Fields): Promise<HttpResponse> {
    const sent = new URLSearchParams({ _edit: '1' })
    for (const id of ids) sent.append('_ids', String(id))
    for (const [name, values] of Object.entries(fields)) {
      for (const value of [values].flat()) sent.append(name, value)
    }
    return sendForm(`/admin/${model}/bulk-edit`, sent.toString(), { cookie })
  }

  async function column(name: keyof Machine): Promise<unknown[]> {
    const rows = await Machine.query().orderBy('id')
    return rows.map((row) => row[name])
  }

  async function actives(): Promise<boolean[]> {
    const stored = await column('active')
    return stored.map(Boolean)
  }

  /** The message that the next page shows. */
  async function told(response: HttpResponse): Promise<string> {
    const own = response.headers.getSetCookie().map((one) => one.split(';')[0])
    const { text } = await get(response.headers.get('location')!, {
      headers: { cookie: [cookie, ...own].join('; ') },
    })
    return /class="flash-message"[^>]*>\s*(.*?)\s*</s.exec(text)?.[1] ?? ''
  }

  async function signInWith(permissions: PermissionsDocument) {
    await makeRole('Clerk', permissions)
    const user = await makeUser('ann', { isSuperuser: false, roles: ['Clerk'] })
    cookie = await cookiesOf(user)
  }

  async function play(values: Partial<Play> = {}): Promise<number> {
    const { id } = await Play.create({ title: 'Hamlet', town: 'east', ...values })
    return id
  }

  test('[L9] API clients can change several records, which is one event with an audit row for each record', async ({
    assert,
  }) => {
    const ids = await machines({ name: 'Loom' }, { name: 'Lathe' }, { name: 'Press' })
    const response = await post('Machine', {
      ids: ids.slice(0, 2),
      values: { status: 'paid', notes: null },
    })
    assert.equal(response.status, 200)
    assert.deepEqual(response.body, { updated: 2 })
    assert.deepEqual(await column('status'), ['paid', 'paid', 'sent'])
    assert.deepEqual(await column('notes'), [null, null, 'Weaves'])
    assert.deepEqual(await column('name'), ['Loom', 'Lathe', 'Press'])

    const events = await db.from('admin_event_log').where('event_type', 'UPDATE')
    assert.lengthOf(events, 1)
    assert.containSubset(events[0], { event_type: 'UPDATE', username: 'jo', status: 'success' })
    assert.equal(JSON.parse(events[0].details).count, 2)
    const rows = await db.from('admin_audit_log').where('event_id', events[0].id).orderBy('id')
    assert.sameMembers(
      rows.map(({ resource_id: id }) => id),
      ids.slice(0, 2).map(String)
    )
    for (const row of rows) {
      const [before, after] = [JSON.parse(row.previous_state), JSON.parse(row.new_state)]
      assert.containSubset(before, { status: 'sent', notes: 'Weaves', amount: 3 })
      assert.containSubset(after, { status: 'paid', notes: null, amount: 3 })
    }
    const shown = await get(`/admin/management/events/${events[0].id}`, { headers: { cookie } })
    for (const id of ids.slice(0, 2)) assert.include(shown.text, `/admin/Machine/update/${id}`)
  }).tags(['@database'])

  test('[L9] if one record can’t be changed, all stay unchanged, and the response names that record', async ({
    assert,
  }) => {
    const ids = await machines({ name: 'Loom' }, { name: 'Lathe', nickname: 'Turner' })
    /* A unique column, which only the database knows the other values of */
    const taken = await post('Machine', { ids, values: { nickname: 'Bob', status: 'paid' } })
    assert.equal(taken.status, 422)
    assert.lengthOf(taken.body.detail, 1)
    const [{ id, field, message }] = taken.body.detail
    assert.include(ids, id)
    assert.equal(field, 'nickname')
    assert.equal(message, 'Nickname has a value that is already registered')

    const invalid = await post('Machine', { ids, values: { amount: 2000, status: 'void' } })
    assert.equal(invalid.status, 422)
    assert.sameDeepMembers(
      invalid.body.detail.map((one: { id: number; field: string }) => [one.id, one.field]),
      ids.flatMap((one) => [
        [one, 'amount'],
        [one, 'status'],
      ])
    )
    assert.isTrue(invalid.body.detail.every((one: { message: string }) => one.message.length > 5))

    assert.deepEqual(await column('nickname'), [null, 'Turner'])
    assert.deepEqual(await column('status'), ['sent', 'sent'])
    assert.deepEqual(await column('amount'), [3, 3])
    assert.isEmpty(await db.from('admin_audit_log').where('action', 'UPDATE'))
    assert.isEmpty(await db.from('admin_event_log').where('event_type', 'UPDATE'))
  }).tags(['@database'])

  test('[L9] a hook that refuses one record rolls back the others, and its message is shown', async ({
    assert,
  }) => {
    const ids = await machines({ name: 'Loom' }, { name: 'Lathe' })
    await db.from('form_machines').where('id', ids[1]).update({ name: 'Perpetuum mobile' })
    const response = await post('Machine', { ids, values: { status: 'paid' } })
    assert.equal(response.status, 422)
    assert.deepEqual(response.body.detail, [
      { id: ids[1], field: null, message: 'Such a machine does not exist' },
    ])
    assert.deepEqual(await column('status'), ['sent', 'sent'])
    assert.isEmpty(await db.from('admin_audit_log').where('action', 'UPDATE'))

    await db.from('form_machines').where('id', ids[1]).update({ name: 'Broken driver' })
    const broken = await post('Machine', { ids, values: { status: 'paid' } })
    assert.equal(broken.status, 400)
    assert.notInclude(broken.text, 'vault')
    assert.deepEqual(await column('status'), ['sent', 'sent'])
  }).tags(['@database'])

  test('[L9] a field that the schema requires does not have to be sent', async ({ assert }) => {
    const ids = await machines({ name: 'Loom' }, { name: 'Lathe' })
    const response = await post('Machine', { ids, values: { password: 'longer' } })
    assert.equal(response.status, 200)
    assert.deepEqual(await column('name'), ['Loom', 'Lathe'])
    assert.deepEqual(await column('secret'), ['length 6', 'length 6'])
  })

  test('[L9] unknown fields and invalid values are refused: {$i}')
    .with([
      { values: { nmae: 'x' }, field: 'nmae' },
      { values: { status: 'paid', created_at: '2020-01-01' }, field: 'created_at' },
      { values: { status: 'paid', __proto__x: 1 }, field: '__proto__x' },
      { values: { status: 'paid', constructor: 1 }, field: 'constructor' },
      { values: JSON.parse('{ "status": "paid", "__proto__": 1 }'), field: '__proto__' },
      { values: {}, field: undefined },
      { values: null, field: undefined },
      { values: ['status'], field: undefined },
      { values: 'status', field: undefined },
      { values: undefined, field: undefined },
    ])
    .run(async ({ assert }, { values, field }) => {
      const ids = await machines({})
      const response = await post('Machine', { ids, values })
      assert.equal(response.status, 422)
      assert.equal(response.body.detail[0].field, field)
      assert.isString(response.body.detail[0].message)
      assert.deepEqual(await column('status'), ['sent'])
    })

  test('[L9, B20] invalid ids get the same errors as on the other bulk routes', async ({
    assert,
  }) => {
    const ids = await machines({}, { name: 'Lathe' })
    const values = { status: 'paid' }
    for (const [given, status] of [
      [[], 400],
      [undefined, 400],
      ['x', 422],
      [['1.7'], 422],
      [[...ids, 999_999], 400],
    ] as const) {
      const response = await post('Machine', { ids: given, values })
      assert.equal(response.status, status, JSON.stringify(given))
      assert.isString(response.body.detail[0].message)
    }
    const both = await post('Machine', { ids, all: true, query: '', count: 2, values })
    assert.equal(both.status, 422)
    assert.deepEqual(await column('status'), ['sent', 'sent'])
    const twice = await post('Machine', { ids: [ids[0], String(ids[0])], values })
    assert.deepEqual(twice.body, { updated: 1 })
  })

  test('[L9, A9] records with text keys and composite keys can be changed', async ({ assert }) => {
    await Folder.createMany([{ path: 'a/b', title: 'x' } as Folder, { path: 'c', title: 'x' }])
    const folders = await post('Folder', { ids: ['a/b'], values: { title: 'New' } })
    assert.deepEqual(folders.body, { updated: 1 })
    await Shelfmark.createMany([
      { room: 1, board: 'a/1', title: 'x' } as Shelfmark,
      { room: 1, board: 'b', title: 'x' },
    ])
    const marks = await post('Shelfmark', { ids: [[1, 'a/1']], values: { remark: 'here' } })
    assert.deepEqual(marks.body, { updated: 1 })
    const page = await open('Shelfmark', 'ids=1/a%252F1')
    assert.equal(page.status, 200)
    assert.include(page.text, 'name="_ids" value="1/a%2F1"')
    const saved = await save('Shelfmark', ['1/a%2F1'], { remark: 'there', remark__change: '1' })
    assert.equal(saved.status, 303)
    const rows = await Shelfmark.query().orderBy('board')
    assert.deepEqual(
      rows.map(({ remark }) => remark),
      ['there', null]
    )
  })

  test('[L9, L8] all matching records are changed, or none if their number differs from the confirmed one', async ({
    assert,
  }) => {
    await machines({ name: 'Loom 1' }, { name: 'Loom 2' }, { name: 'Lathe' })
    const values = { status: 'paid' }
    const query = 'filter.name__contains=Loom'
    const changed = await post('Machine', { all: true, query, count: 3, values })
    assert.equal(changed.status, 409)
    assert.containSubset(changed.body.detail[0], { count: 3, found: 2 })
    const unread = await post('Machine', { all: true, query: 'filter.nmae=x', count: 3, values })
    assert.equal(unread.status, 422)
    assert.deepEqual(await column('status'), ['sent', 'sent', 'sent'])
    const done = await post('Machine', { all: true, query, count: 2, values })
    assert.deepEqual(done.body, { updated: 2 })
    assert.deepEqual(await column('status'), ['paid', 'paid', 'sent'])
  }).tags(['@database'])

  test("[L9, B17] files can't be changed in several records together, and the page states that", async ({
    assert,
  }) => {
    const id = await play()
    const response = await post('Play', { ids: [id], values: { poster: null } })
    assert.equal(response.status, 422)
    assert.containSubset(response.body.detail[0], { id, field: 'poster' })
    const page = await open('Play', `ids=${id}`)
    assert.include(page.text, 'Files are changed record by record: Poster, Scans.')
    assert.notInclude(page.text, 'poster__change')
  })

  test('[L9] a record that already has the values is counted, and gets a new update time as in a single update', async ({
    assert,
    cleanup,
  }) => {
    /* With another second, the update time of the unchanged record would be a change. */
    const { now } = Settings
    const start = Date.now()
    Settings.now = () => start
    cleanup(() => {
      Settings.now = now
    })
    const ids: number[] = []
    for (const title of ['One', 'Two']) {
      const { id } = await Stamped.create({ title, updatedAt: DateTime.utc(2001, 2, 3) })
      ids.push(id)
    }
    const response = await post('Stamped', { ids, values: { title: 'One' } })
    assert.deepEqual(response.body, { updated: 2 })
    for (const { title, updatedAt } of await Stamped.all()) {
      assert.equal(title, 'One')
      assert.equal(updatedAt?.year, DateTime.utc().year)
    }
    await Stamped.query().where('id', ids[0]).update({ title: 'Other' })
    const saved = await save('Stamped', ids, { title: 'One', title__change: '1' })
    assert.match(await told(saved), /^1 .* updated, 1 unchanged$/)
  })

  test('[L9] the page shows each field with a checkbox and the value that all selected records share', async ({
    assert,
  }) => {
    const ids = await machines(
      { name: 'Loom', moment: DateTime.utc(2024, 2, 29, 12, 30, 15), secret: 'hush' },
      { name: 'Lathe', moment: DateTime.utc(2024, 2, 29, 12, 30, 15), secret: 'hush' }
    )
    const { status, text } = await open('Machine', idsIn(ids))
    assert.equal(status, 200)
    const { values, tags } = formOf(text)
    assert.deepInclude(values, {
      status: 'sent',
      amount: '3',
      name: '',
      moment: '2024-02-29T12:30:15',
      active: 'true',
      nickname: '',
      secret: '',
    })
    assert.notInclude(text, 'hush')
    assert.notProperty(values, 'name__change')
    for (const name of ['name', 'status', 'secret', 'password', 'colours']) {
      assert.property(tags, `${name}__change`)
    }
    /* Nothing has to be filled in. */
    for (const tag of Object.values(tags)) assert.notMatch(tag, /\srequired/)
    const states = new Map(
      [...text.matchAll(/class="edit-field">(.*?)(?=<div class="edit-field"|<\/form>)/gs)].map(
        ([, part]) => [
          / name="(\w+)__change"/.exec(part)![1],
          /data-state="(\w+)"/.exec(part)?.[1] ?? null,
        ]
      )
    )
    assert.equal(states.get('name'), 'differs')
    assert.equal(states.get('status'), 'same')
    assert.equal(states.get('nickname'), 'empty')
    assert.equal(states.get('secret'), null)
    assert.include(text, '<h1 dir="auto">Edit 2 machines</h1>')
    assert.match(text, /<bdi>Loom<\/bdi>.*<bdi>Lathe<\/bdi>/s)
  })

  test('[L9] only fields with a checked checkbox are written, whatever values the others have', async ({
    assert,
  }) => {
    const ids = await machines({ name: 'Loom' }, { name: 'Lathe' })
    const response = await save('Machine', ids, {
      name: 'X',
      amount: 'many',
      data: '{',
      active: ['false'],
      notes: ' Both ',
      notes__change: '1',
      status: 'paid',
      status__change: '0',
    })
    assert.equal(response.status, 303)
    assert.equal(await told(response), '2 machines updated')
    assert.deepEqual(await column('notes'), ['Both', 'Both'])
    assert.deepEqual(await column('name'), ['Loom', 'Lathe'])
    assert.deepEqual(await column('status'), ['sent', 'sent'])
    assert.deepEqual(await actives(), [true, true])
  })

  test('[L9, B17] an empty checked field is cleared, or refused if it requires a value', async ({
    assert,
  }) => {
    const ids = await machines({ nickname: null }, { name: 'Lathe', level: 2 })
    const response = await save('Machine', ids, {
      notes: '',
      notes__change: '1',
      level: '',
      level__change: '1',
      colours__change: '1',
      active: 'false',
      active__change: '1',
    })
    assert.equal(response.status, 303)
    assert.deepEqual(await column('notes'), [null, null])
    assert.deepEqual(await column('level'), [null, null])
    assert.deepEqual(await actives(), [false, false])
    const colours = await column('colours')
    assert.deepEqual(
      colours.map((one) => (typeof one === 'string' ? JSON.parse(one) : one)),
      [[], []]
    )

    const refused = await save('Machine', ids, { name: ' ', name__change: '1' })
    assert.equal(refused.status, 422)
    assert.equal(formOf(refused.text).errors.name, 'Name is required')
    assert.deepEqual(await column('name'), ['Loom', 'Lathe'])
  })

  test('[L9] errors are shown next to their fields with the records concerned, and the input is preserved', async ({
    assert,
  }) => {
    const ids = await machines({ name: 'Loom <b>' }, { name: 'Lathe' })
    const response = await save('Machine', ids, {
      amount: '2000',
      amount__change: '1',
      data: '{"a"',
      data__change: '1',
      notes: 'typed',
    })
    assert.equal(response.status, 422)
    const { values, errors, error } = formOf(response.text)
    assert.equal(error, 'Nothing was changed:')
    assert.sameMembers(Object.keys(errors), ['amount', 'data'])
    assert.deepInclude(values, {
      amount: '2000',
      data: '{"a"',
      notes: 'typed',
      amount__change: '1',
      data__change: '1',
    })
    assert.notProperty(values, 'notes__change')
    const named = response.text.match(/<li><a href="[^"]*"><bdi>.*?<\/bdi><\/a><\/li>/g)
    assert.sameMembers(
      named!,
      [0, 0, 1, 1].map((index) => {
        const title = ['Loom &lt;b&gt;', 'Lathe'][index]
        return `<li><a href="/admin/Machine/update/${ids[index]}"><bdi>${title}</bdi></a></li>`
      })
    )
    assert.deepEqual(await column('amount'), [3, 3])
  })

  test('[L9] without a checked checkbox, an error is shown and nothing is written', async ({
    assert,
  }) => {
    const ids = await machines({})
    const response = await save('Machine', ids, { status: 'paid', name: 'New' })
    assert.equal(response.status, 422)
    const { error, values } = formOf(response.text)
    assert.equal(error, 'Check Change for at least one field. Nothing was changed.')
    assert.equal(values.status, 'paid')
    assert.isEmpty(await db.from('admin_audit_log').where('action', 'UPDATE'))
  })

  test('[L9] a submitted value that matches the displayed one leaves the stored value unchanged', async ({
    assert,
  }) => {
    const ids = await machines({ notes: 'one\r\ntwo' }, { notes: 'one\ntwo', name: 'Lathe' })
    const response = await save('Machine', ids, { notes: 'one\ntwo', notes__change: '1' })
    assert.equal(response.status, 303)
    assert.deepEqual(await column('notes'), ['one\r\ntwo', 'one\ntwo'])
  })

  test('[L9, B24] the button of the list opens Edit selected, or returns to the list with an error', async ({
    assert,
  }) => {
    const [id] = await machines({})
    const list = await get('/admin/Machine/', { headers: { cookie } })
    assert.match(
      list.text,
      /<button[^>]*value="edit"[^>]*formaction="\/admin\/Machine\/bulk-edit"[^>]*>Edit selected/
    )
    const next = '/admin/Machine/?page=1&sort_by=name&sort_order=asc'
    const sentOn = await callRaw(
      'POST',
      '/admin/Machine/bulk-edit',
      { cookie, 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-mode': 'navigate' },
      new URLSearchParams({ ids: String(id), action: 'edit', next }).toString()
    )
    assert.equal(sentOn.status, 303)
    const page = await get(sentOn.headers.location as string, { headers: { cookie } })
    assert.equal(formOf(page.text).values._next, next)
    const saved = await save('Machine', [id], { notes: 'a', notes__change: '1', _next: next })
    assert.equal(saved.headers.get('location'), next)
    const away = await save('Machine', [id], {
      notes: 'b',
      notes__change: '1',
      _next: 'https://evil.test/',
    })
    assert.equal(away.headers.get('location'), '/admin/Machine/')

    const none = await sendForm('/admin/Machine/bulk-edit', { next }, { cookie })
    assert.equal(none.headers.get('location'), next)
    assert.equal(await told(none), 'Select at least one record: nothing was changed.')
    const gone = await save('Machine', [id, 999_999], { notes: 'c', notes__change: '1' })
    assert.equal(await told(gone), 'Error during update: Item with id 999999 not found')
    assert.deepEqual(await column('notes'), ['b'])
  })

  test('[L9, L8] forms can change all records that match the filters', async ({ assert }) => {
    await machines({ name: 'Loom 1' }, { name: 'Loom 2' }, { name: 'Lathe' })
    const query = 'filter.name__contains=Loom'
    const page = await open('Machine', `${new URLSearchParams({ all: '1', query, count: '2' })}`)
    const { values } = formOf(page.text)
    assert.deepInclude(values, { _all: '1', _query: query, _count: '2', name: '' })
    const wrong = await save('Machine', [], {
      _all: '1',
      _query: query,
      _count: '3',
      notes: 'x',
      notes__change: '1',
    })
    assert.include(await told(wrong), '2 records match now, not 3')
    const fields = { _all: '1', _query: query, _count: '2', notes: 'x', notes__change: '1' }
    assert.equal(await told(await save('Machine', [], fields)), '2 machines updated')
    assert.deepEqual(await column('notes'), ['x', 'x', 'Weaves'])
  })

  test('[L9, U4] without the update permission, there is no button and no page, and nothing is changed', async ({
    assert,
  }) => {
    const ids = await machines({})
    await signInWith({ Machine: { actions: ['view', 'delete', 'create'] } })
    const list = await get('/admin/Machine/', { headers: { cookie } })
    assert.include(list.text, 'value="delete"')
    assert.notInclude(list.text, 'bulk-edit')
    const responses = [
      await open('Machine', idsIn(ids)),
      await save('Machine', ids, { status: 'paid', status__change: '1' }),
      await post('Machine', { ids, values: { status: 'paid' } }),
      await post('Machine', { all: true, query: '', count: 1, values: { status: 'paid' } }),
    ]
    for (const { status } of responses) assert.equal(status, 403)
    assert.deepEqual(await column('status'), ['sent'])
  })

  test('[L9, U3] a field that is read-only for the user is refused, and a hidden one is unknown', async ({
    assert,
  }) => {
    const ids = [await play({ secret: 'QZX', note: 'n' }), await play({ note: 'n' })]
    await signInWith({
      Play: { actions: ['view', 'update'], hidden: ['secret'], readonly: ['note'] },
    })
    const page = await open('Play', idsIn(ids))
    assert.notMatch(page.text, /QZX|secret/)
    assert.notInclude(page.text, 'note__change')
    const locked = await post('Play', { ids, values: { note: 'x', town: 'west' } })
    assert.equal(locked.status, 403)
    assert.sameDeepMembers(
      locked.body.detail.map((one: { id: number; field: string }) => [one.id, one.field]),
      ids.map((id) => [id, 'note'])
    )
    const form = await save('Play', ids, { note: 'x', note__change: '1' })
    assert.equal(form.status, 403)
    assert.include(form.text, 'Note is not for you to write')

    const [hidden, unknown] = [
      await post('Play', { ids, values: { secret: 'x' } }),
      await post('Play', { ids, values: { sucret: 'x' } }),
    ]
    assert.equal(hidden.status, 422)
    assert.equal(hidden.text.replaceAll('secret', 'sucret'), unknown.text)
    const box = await save('Play', ids, { secret: 'x', secret__change: '1' })
    assert.equal(box.status, 303)
    assert.include(await told(box), 'Nothing was changed, as you cannot change secret')
    const stored = await Play.query().orderBy('id')
    assert.deepEqual(
      stored.map(({ note, secret, town }) => [note, secret, town]),
      [
        ['n', 'QZX', 'east'],
        ['n', null, 'east'],
      ]
    )
  })

  test('[L9, U3] records out of scope are refused, and values that would move a record out of it', async ({
    assert,
  }) => {
    const [near, far] = [await play(), await play({ town: 'west', title: 'Far' })]
    await signInWith({ Play: { actions: ['view', 'update'], scopes: ['east'] } })
    const unseen = await post('Play', { ids: [near, far], values: { note: 'x' } })
    assert.equal(unseen.status, 400)
    assert.include(unseen.text, `Item with id ${far} not found`)
    const gone = await open('Play', idsIn([near, far]))
    assert.equal(gone.status, 303)
    const moved = await post('Play', { ids: [near], values: { town: 'west' } })
    assert.equal(moved.status, 403)
    assert.containSubset(moved.body.detail[0], { id: near, field: null })
    const [one, other] = await Play.query().orderBy('id')
    assert.deepEqual([one.town, one.note, other.note], ['east', null, null])
  })

  test('[L9, U3] permissions that roles grant on some records only are checked for each record', async ({
    assert,
  }) => {
    const [near, far] = [
      await play({ secret: 'QZX near', note: 'a' }),
      await play({ town: 'west', secret: 'west', note: 'a' }),
    ]
    await makeRole('East', {
      Play: {
        actions: ['view', 'update'],
        hidden: ['secret'],
        readonly: ['note'],
        scopes: ['east'],
      },
    })
    await makeRole('West', { Play: { actions: ['view', 'update'], scopes: ['west'] } })
    const ann = await makeUser('ann', { isSuperuser: false, roles: ['East', 'West'] })
    cookie = await cookiesOf(ann)
    const page = await open('Play', idsIn([near, far]))
    assert.equal(page.status, 200)
    assert.notInclude(page.text, 'QZX')
    for (const name of ['secret', 'note']) {
      const values = { [name]: 'new', stamped: true }
      const response = await post('Play', { ids: [near, far], values })
      assert.equal(response.status, 403)
      assert.deepEqual(
        response.body.detail.map((one: { id: number; field: string }) => [one.id, one.field]),
        [[near, name]]
      )
      assert.notInclude(response.text, 'QZX')
    }
    const rows = await Play.query().orderBy('id')
    assert.deepEqual(
      rows.map(({ secret, note, stamped }) => [secret, note, stamped]),
      [
        ['QZX near', 'a', null],
        ['west', 'a', null],
      ]
    )
    const alone = await post('Play', { ids: [far], values: { secret: 'new' } })
    assert.deepEqual(alone.body, { updated: 1 })
  })

  test('[L9, P14] the policy is checked for the model, and for each record before and after', async ({
    assert,
  }) => {
    const notice = await insertRow('ward_notices', { name: 'x' })
    const boss = cookie
    cookie = await cookiesOf(await makeUser('ben'))
    const refused = await open('Notice', `ids=${notice}`)
    assert.equal(refused.status, 403)
    const unwritten = await post('Notice', { ids: [notice], values: { name: 'y' } })
    assert.equal(unwritten.status, 403)
    cookie = boss
    await db.from('ward_notices').delete()
    const [open1, sealed] = [
      await insertRow('form_ruleds', { title: 'open' }),
      await insertRow('form_ruleds', { title: 'sealed' }),
    ]
    const page = await open('Ruled', idsIn([open1, sealed]))
    assert.equal(page.status, 403)
    const both = await post('Ruled', { ids: [open1, sealed], values: { title: 'new' } })
    assert.equal(both.status, 403)
    assert.deepEqual(
      both.body.detail.map(({ id }: { id: number }) => id),
      [sealed]
    )
    const sealing = await post('Ruled', { ids: [open1], values: { title: 'sealed' } })
    assert.equal(sealing.status, 403)
    const rows = await db.from('form_ruleds').orderBy('id')
    assert.deepEqual(
      rows.map(({ title }) => title),
      ['open', 'sealed']
    )
  })

  test('[L9, B13] Edit selected does not demote all superusers, and can change the roles of users', async ({
    assert,
  }) => {
    const ann = await makeUser('ann')
    const ids = [jo.id, ann.id]
    const response = await post('AdminUser', { ids, values: { is_superuser: false } })
    assert.equal(response.status, 422)
    assert.lengthOf(response.body.detail, 1)
    const superusers = await db.from('admin_users').where('is_superuser', true)
    assert.lengthOf(superusers, 2)

    const page = await open('AdminUser', idsIn(ids))
    assert.equal(page.status, 200)
    assert.include(page.text, 'name="roles__change"')
    const saved = await save('AdminUser', [ids[1]], { roles: 'none', roles__change: '1' })
    assert.equal(saved.status, 303)
    const left = await db.from('admin_user_roles').select('user_id')
    assert.deepEqual(
      left.map(({ user_id: id }) => Number(id)),
      [jo.id]
    )
    const roles = await open('AdminRole', `ids=${await roleIdOf('Everything')}`)
    assert.equal(roles.status, 200)
  })

  test('[L9, B9] cross-site requests and unauthenticated clients change nothing', async ({
    assert,
  }) => {
    const ids = await machines({})
    const json = { ids, values: { status: 'paid' } }
    const foreign = await call('POST', '/admin/Machine/bulk-edit', {
      json,
      headers: { cookie, 'sec-fetch-site': 'cross-site' },
    })
    assert.equal(foreign.status, 403)
    const stranger = await call('POST', '/admin/Machine/bulk-edit', { json })
    assert.equal(stranger.status, 401)
    const text = await call('POST', '/admin/Machine/bulk-edit', {
      body: JSON.stringify(json),
      headers: { cookie, 'content-type': 'text/plain' },
    })
    assert.equal(text.status, 422)
    assert.deepEqual(await column('status'), ['sent'])
  })

  test('[L9, D1] a change of more than a thousand records is a job, with a transaction for each thousand', async ({
    assert,
    cleanup,
  }) => {
    await emptyJobTables()
    const rows = Array.from({ length: 1001 }, (_, index) => ({
      name: index < 3 ? 'New lamp' : `Lamp ${index}`,
    }))
    for (let start = 0; start < rows.length; start += 100) {
      await db.table('bulk_gadgets').multiInsert(rows.slice(start, start + 100))
    }
    const all = { all: true, query: '', count: 1001 }
    const wrong = await post('Gadget', { ...all, values: { nmae: 'x' } })
    assert.equal(wrong.status, 422)
    assert.lengthOf(wrong.body.detail, 100)
    assert.isEmpty(await db.from('admin_jobs'))

    const response = await post('Gadget', { ...all, values: { name: 'New lamp' } })
    assert.equal(response.status, 202)
    assert.equal(response.headers.get('location'), response.body.job.url)
    cleanup(await work())
    const job = await untilJob(response.body.job.id)
    assert.containSubset(job, { state: 'done', done: 1001, error: null })
    assert.deepEqual(job.result, { message: '998 gadgets updated, 3 unchanged' })
    const [{ total }] = await db.from('bulk_gadgets').where('name', 'New lamp').count('* as total')
    assert.equal(Number(total), 1001)
    const events = await db.from('admin_event_log').where('event_type', 'UPDATE').orderBy('id')
    assert.deepEqual(
      events.map(({ details }) => JSON.parse(details).count ?? 1),
      [997, 1]
    )

    /* By the form, and stopped by one that its hook refuses */
    const stuck = await insertRow('bulk_gadgets', { name: 'free' })
    const fields = { _all: '1', _query: '', _count: '1002', name: 'stuck', name__change: '1' }
    const sent = await save('Gadget', [], fields)
    assert.match(sent.headers.get('location')!, /\/management\/jobs\/\d+$/)
    const ended = await untilJob(Number(sent.headers.get('location')!.split('/').at(-1)))
    assert.containSubset(ended, { state: 'failed', done: 0 })
    assert.match(ended.error!, /^Nothing was changed\. /)
    const row = await db.from('bulk_gadgets').where('id', stuck).first()
    assert.equal(row.name, 'free')
  })

  test('[L9, D1] a resumed job includes the unchanged records of its earlier runs in its count', async ({
    assert,
    cleanup,
  }) => {
    await emptyJobTables()
    const rows = Array.from({ length: 1000 }, (_, i) => ({ name: i < 3 ? 'New' : 'Lamp' }))
    for (let start = 0; start < rows.length; start += 100) {
      await db.table('bulk_gadgets').multiInsert(rows.slice(start, start + 100))
    }
    const last = await insertRow('bulk_gadgets', { name: 'Last' })
    const admit = observeWrites({
      async record(writes) {
        if (writes.some(({ key }) => key[0] === last)) throw new Error('Not now')
      },
    })
    cleanup(admit)
    cleanup(await work())
    const all = { all: true, query: '', count: 1001 }
    const { body } = await post('Gadget', { ...all, values: { name: 'New' } })
    const { id } = body.job
    assert.containSubset(await untilJob(id), { state: 'failed', done: 1000 })
    admit()
    await sendForm(`/admin/management/jobs/${id}/again`, {}, { cookie })
    const job = await untilJob(id)
    assert.deepEqual(job.result, { message: '998 gadgets updated, 3 unchanged' })
  })

  test('[L9] a change of secrets in more than 1,000 records is refused, so that no job stores them', async ({
    assert,
  }) => {
    const rows = Array.from({ length: 1001 }, (_, index) => ({
      name: `Loom ${index}`,
      amount: 1,
      active: true,
      status: 'sent',
      colours: '[]',
      created_at: '2026-01-02 03:04:05',
    }))
    for (let start = 0; start < rows.length; start += 100) {
      await db.table('form_machines').multiInsert(rows.slice(start, start + 100))
    }
    for (const values of [{ password: 'hush hush' }, { secret: 'hush hush' }]) {
      const response = await post('Machine', { all: true, query: '', count: 1001, values })
      assert.equal(response.status, 422)
      assert.include(response.body.detail[0].message, 'more than 1,000 records')
    }
    const page = await open('Machine', 'all=1&query=&count=1001')
    assert.include(page.text, 'The values shown are those of the first 1,000 records.')
    assert.isEmpty(await db.from('admin_jobs').where('model', 'Machine'))
  })
})
