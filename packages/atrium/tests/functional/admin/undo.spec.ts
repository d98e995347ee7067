import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { AdminUser } from '#admin'
import { TABLES } from '#tests/fixtures/undo'
import { insertRow } from '#tests/helpers/databases'
import {
  adminSite,
  cookiesFrom,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { emptyEventTables, logEvent } from '#tests/helpers/logged_events'
import { call, get, type HttpResponse } from '#tests/helpers/http'
import { its } from '#tests/helpers/its'
import { giveRoles, makeRole, restoreRoles } from '#tests/helpers/roles'
import { emptyJobTables, untilJob, work } from '#tests/helpers/jobs'

const NOW = '2020-01-02 03:04:05'

const OF_COLUMNS = {
  title: 'Momo',
  slug: 'other',
  price: '1234567890123456.12345678',
  big: '9007199254740993',
  lent: true,
  day: '2020-02-29',
  at: '2020-02-29 12:34:56.123456',
  data: '{"b": 1,  "a": 2}',
  bytes: Buffer.from([0, 255, 128, 65]),
}

interface Library {
  shelf: number
  volume: number
  part: number
  wish: number
}

/** The rows of all tables, without the times that every update sets. */
async function library(): Promise<Record<string, unknown[]>> {
  const rows: Record<string, unknown[]> = {}
  for (const table of TABLES) {
    const key = table === 'undo_copies' ? 'number' : 'id'
    const found = await db.from(table).orderBy(key)
    rows[table] = found.map(({ updated_at: _, ...row }) => row)
  }
  return rows
}

async function fill(): Promise<Library> {
  const shelf = await insertRow('undo_shelves', {
    name: 'Novels',
    floor: 2,
    card: '4711-0815',
    updated_at: NOW,
  })
  const times = { created_at: NOW, updated_at: NOW }
  const volume = await insertRow('undo_volumes', { ...OF_COLUMNS, ...times, shelf_id: shelf })
  const part = await insertRow('undo_volumes', { title: 'Part', ...times, part_of: volume })
  for (const number of [1, 2]) {
    await db.table('undo_copies').insert({ volume_id: volume, number, condition: 'good' })
  }
  const wish = await insertRow('undo_wishes', { volume_id: volume, reader: 'Gigi' })
  return { shelf, volume, part, wish }
}

async function lastId(): Promise<number> {
  const { id } = await lastEvent()
  return id
}

async function shelfName(): Promise<string> {
  const { name } = await db.from('undo_shelves').first()
  return name
}

async function kim(): Promise<AdminUser> {
  return (await db.from('admin_users').where('username', 'kim').first()) as AdminUser
}

async function statusOf(response: Promise<HttpResponse>): Promise<number> {
  const { status } = await response
  return status
}

async function textOf(response: Promise<HttpResponse>): Promise<string> {
  const { text } = await response
  return text
}

async function lastEvent(): Promise<{ id: number; event_type: string; details: string | null }> {
  return await db
    .from('admin_event_log')
    .whereNot('event_type', 'VIEW')
    .orderBy('id', 'desc')
    .first()
}

test.group('Undo', (group) => {
  group.tap((one) => one.tags(['@database']))
  let ids: Library
  let ada: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    for (const table of TABLES) await db.from(table).delete()
    await emptyAdminTables()
    await restoreRoles()
    await emptyEventTables()
    ids = await fill()
    ada = await makeUser('ada')
    cookie = await cookiesOf(ada)
  })

  const send = (path: string, fields: Record<string, string> | string, as = cookie) =>
    sendForm(`/admin${path}`, fields, { cookie: as })
  const remove = (model: string, some: unknown[], { hard = true, as = cookie } = {}) =>
    call('DELETE', `/admin/${model}/bulk-delete${hard ? '?hard=true' : ''}`, {
      json: { ids: some },
      headers: { cookie: as },
    })
  const undo = async (id?: number, as = cookie): Promise<HttpResponse> => {
    const event = id ?? (await lastId())
    return await call('POST', `/admin/management/events/${event}/undo`, {
      json: {},
      headers: { cookie: as },
    })
  }
  const offeredIn = async (response: HttpResponse): Promise<string | undefined> => {
    const page = await get(response.headers.get('location')!, {
      headers: { cookie: `${cookie}; ${cookiesFrom(response)}` },
    })
    return /class="flash-undo" method="post" action="([^"]+)"/.exec(page.text)?.[1]
  }
  const clerk = async (permissions: Parameters<typeof makeRole>[1]) => {
    const user = await makeUser('kim', { isSuperuser: false, roles: [] })
    await makeRole('Clerk', permissions)
    await giveRoles(user, ['Clerk'])
    return await cookiesOf(user)
  }

  test('[R7] an update is reverted with every column, and redone', async ({ assert }) => {
    const before = await library()
    const changed = await call('PATCH', `/admin/Volume/crud/${ids.volume}`, {
      json: {
        title: 'Changed',
        price: 1,
        big: 2,
        lent: false,
        day: '2021-01-01',
        at: '2021-01-01 00:00:00',
        data: [1],
        bytes: 'AAAA',
        shelf_id: null,
      },
      headers: { cookie },
    })
    assert.equal(changed.status, 200)
    const first = await lastEvent()
    const after = await library()
    const response = await undo(first.id)
    assert.equal(response.status, 200, response.text)
    assert.deepEqual(await library(), before)
    const second = await lastEvent()
    assert.equal(response.body.event, second.id)
    assert.deepEqual(JSON.parse(second.details!), { undoes: first.id })
    const { updated_at: updatedAt } = await db.from('undo_volumes').where('id', ids.volume).first()
    assert.notEqual(String(updatedAt).slice(0, 10), '2020-01-02')
    assert.equal(await statusOf(undo(second.id)), 200)
    assert.deepEqual(await library(), after)
    assert.equal(await statusOf(undo()), 200)
    assert.deepEqual(await library(), before)
  }).tags(['@dialect'])

  test('[R7] a purged record is restored with its key, its children and the references to it', async ({
    assert,
  }) => {
    const before = await library()
    assert.equal(await statusOf(remove('Shelf', [ids.shelf])), 200)
    const emptied = await library()
    assert.deepEqual(
      TABLES.map((table) => emptied[table].length),
      [1, 0, 0, 0]
    )
    const event = await lastEvent()
    const audits = await db.from('admin_audit_log').where('event_id', event.id).orderBy('id')
    assert.deepEqual(
      audits.map(({ action, resource_type: model }) => `${action} ${model}`).toSorted(),
      [
        'DELETE Shelf',
        'DELETE Volume',
        'DELETE Volume',
        'DELETE VolumeCopy',
        'DELETE VolumeCopy',
        'UPDATE Wish',
      ]
    )
    assert.isNull(event.details)
    /* A value that responses show in part is stored in full, and not readable. */
    assert.notInclude(JSON.stringify(audits), '4711')
    const response = await undo()
    assert.equal(response.status, 200, response.text)
    assert.deepEqual(await library(), before)
    assert.equal(await statusOf(undo()), 200)
    assert.deepEqual(await library(), emptied)
  }).tags(['@dialect'])

  test('[R7] undoing a create removes the record, and is refused while other records refer to it', async ({
    assert,
  }) => {
    const before = await library()
    const created = await send('/Volume/form_create', { title: 'New' })
    assert.equal(created.status, 303)
    const { id } = await db.from('undo_volumes').orderBy('id', 'desc').first()
    const event = await lastEvent()
    await db.table('undo_wishes').insert({ volume_id: id, reader: 'Beppo' })
    const refused = await undo(event.id)
    assert.equal(refused.status, 409)
    assert.equal(refused.body.detail, 'Other items still refer to this one')
    await db.from('undo_wishes').where('reader', 'Beppo').delete()
    assert.equal(await statusOf(undo(event.id)), 200)
    assert.deepEqual(await library(), before)
  })

  test('[R7] a soft deletion, a restore and a bulk action can be undone', async ({ assert }) => {
    const before = await library()
    await remove('Volume', [ids.volume, ids.part], { hard: false })
    const deletion = await lastEvent()
    const deleted = await library()
    assert.equal(await statusOf(undo()), 200)
    assert.deepEqual(await library(), before)
    assert.equal(await statusOf(undo()), 200)
    assert.deepEqual(await library(), deleted)
    const headers = { cookie }
    await call('POST', '/admin/Volume/bulk-restore', { json: { ids: [ids.part] }, headers })
    assert.equal(await statusOf(undo()), 200)
    assert.deepEqual(await library(), deleted)
    assert.equal(await statusOf(undo(deletion.id)), 200)
    await send('/Volume/action/reprice', `ids=${ids.volume}&ids=${ids.part}`)
    assert.notDeepEqual(await library(), before)
    assert.equal(await statusOf(undo()), 200)
    assert.deepEqual(await library(), before)
  }).tags(['@dialect'])

  test('[R7] nothing is undone if one record of many has changed since, and the response names that record', async ({
    assert,
  }) => {
    await send('/Volume/action/reprice', `ids=${ids.volume}&ids=${ids.part}`)
    const event = await lastEvent()
    await db.from('undo_volumes').where('id', ids.part).update({ title: 'Meanwhile' })
    const before = await library()
    const response = await undo(event.id)
    assert.equal(response.status, 409)
    assert.deepEqual(response.body.changed, [{ model: 'Volume', id: String(ids.part) }])
    const form = await send(`/management/events/${event.id}/undo`, {})
    assert.equal(form.status, 409)
    assert.include(form.text, ': Meanwhile')
    assert.notInclude(form.text, 'Momo')
    assert.deepEqual(await library(), before)
    const page = await get(`/admin/management/events/${event.id}`, { headers: { cookie } })
    assert.include(page.text, ': Meanwhile')
    assert.notInclude(page.text, `/events/${event.id}/undo`)
  })

  test('[R7, U4] the message of a refusal contains the titles of visible records, and the number of the others', async ({
    assert,
  }) => {
    await send('/Volume/action/reprice', `ids=${ids.volume}&ids=${ids.part}`)
    const { id } = await lastEvent()
    await db.from('undo_volumes').where('id', ids.part).update({ title: 'Meanwhile' })
    await db.from('undo_volumes').where('id', ids.volume).update({ title: 'Hidden', lent: false })
    const { body: all } = await undo(id)
    assert.match(all.detail, /: (Hidden, Meanwhile|Meanwhile, Hidden)$/)

    const own = await clerk({ Volume: { actions: ['*'], scopes: ['ground'] } })
    const { id: kimId } = await kim()
    await db.from('admin_event_log').where('id', id).update({ user_id: kimId })
    const { body: none } = await undo(id, own)
    assert.containSubset(none, { changed: [], others: 2 })
    assert.match(none.detail, /, which you cannot see$/)
    await db.from('undo_volumes').where('id', ids.part).update({ big: 0 })
    const { body: one, text } = await undo(id, own)
    assert.containSubset(one, { changed: [{ model: 'Volume', id: String(ids.part) }], others: 1 })
    assert.match(one.detail, /: Meanwhile and one more$/)
    assert.notInclude(text, 'Hidden')
  })

  test('[R7, U4] Undo is not offered if it would restore a reference to a record that the user cannot see', async ({
    assert,
  }) => {
    cookie = await clerk({ Volume: { actions: ['*'] }, Shelf: { actions: ['view'] } })
    const empty = () => send(`/Volume/form_update/${ids.volume}`, { shelf_id__clear: '1' })
    assert.exists(await offeredIn(await empty()))
    await undo()
    await makeRole('Blind', { Volume: { actions: ['*'] } })
    await giveRoles(await kim(), ['Blind'])
    assert.notExists(await offeredIn(await empty()))
    assert.equal(await statusOf(undo()), 409)
  })

  test('[R7] a later change of a hidden column prevents the undo, and its value is not revealed', async ({
    assert,
  }) => {
    await send(`/Shelf/form_update/${ids.shelf}`, { name: 'Poems' })
    const event = await lastEvent()
    await db.from('undo_shelves').update({ hidden: 'QZX' })
    assert.equal(await statusOf(undo(event.id)), 409)
    await db.from('undo_shelves').update({ hidden: null })
    assert.equal(await statusOf(undo(event.id)), 200)
    const audits = await db.from('admin_audit_log')
    assert.notInclude(JSON.stringify(audits), 'QZX')
  })

  test('[R7] of two concurrent undos, one succeeds and the other is refused', async ({
    assert,
  }) => {
    const before = await library()
    await remove('Shelf', [ids.shelf])
    const { id } = await lastEvent()
    const responses = await Promise.all([undo(id), undo(id), undo(id)])
    assert.deepEqual(responses.map(({ status }) => status).toSorted(), [200, 409, 409])
    assert.deepEqual(await library(), before)
  }).tags(['@dialect'])

  test('[R7, U4] an undo requires the permission for the opposite operation, and write access to the fields', async ({
    assert,
  }) => {
    const own = await clerk({ Shelf: { actions: ['view', 'update', 'delete'], hidden: ['floor'] } })
    const { id: kimId } = await kim()
    await send(`/Shelf/form_update/${ids.shelf}`, { name: 'Poems' }, own)
    const update = await lastEvent()
    assert.equal(await statusOf(undo(update.id, own)), 200)

    /* Others' events are as if they were not there. */
    await send(`/Shelf/form_update/${ids.shelf}`, { floor: '5', name: 'X' })
    const others = await lastEvent()
    assert.equal(await statusOf(undo(others.id, own)), 404)
    await db.from('admin_event_log').where('id', others.id).update({ user_id: kimId })
    const hidden = await undo(others.id, own)
    assert.equal(hidden.status, 403)
    assert.notInclude(hidden.text, 'floor')
    assert.include(await db.from('undo_shelves').first(), { floor: 5, name: 'X' })

    await db.from('undo_volumes').update({ shelf_id: null })
    await remove('Shelf', [ids.shelf], { hard: false, as: own })
    assert.isEmpty(await db.from('undo_shelves'))
    const { id: deletion } = await lastEvent()
    assert.equal(await statusOf(undo(deletion, own)), 403)
    await makeRole('Creator', { Shelf: { actions: ['view', 'create'], hidden: ['floor'] } })
    await db.from('admin_roles').where('name', 'Clerk').delete()
    const user = await kim()
    await giveRoles(user, ['Creator'])
    assert.equal(await statusOf(undo(deletion, own)), 403)
    assert.isEmpty(await db.from('undo_shelves'))
    await makeRole('Whole', { Shelf: { actions: ['view', 'create'] } })
    await giveRoles(user, ['Whole'])
    const done = await undo(deletion, own)
    assert.equal(done.status, 200, done.text)
    assert.lengthOf(await db.from('undo_shelves'), 1)
  })

  test('[R7, U4] users with the opposite permission can undo events of others, and see no other event', async ({
    assert,
  }) => {
    const own = await clerk({ Shelf: { actions: ['view', 'update'] } })
    const become = async (name: string, permissions: Parameters<typeof makeRole>[1]) => {
      await makeRole(name, permissions)
      await giveRoles(await kim(), [name])
    }
    await send(`/Shelf/form_update/${ids.shelf}`, { name: 'Poems' })
    const { id: update } = await lastEvent()
    await db.from('admin_event_log').where('id', update).update({ timestamp: NOW })
    assert.equal(await statusOf(undo(update, own)), 409)
    const at = new Date().toISOString().slice(0, 19).replace('T', ' ')
    await db.from('admin_event_log').where('id', update).update({ timestamp: at })
    await become('Role 1', { Shelf: { actions: ['view'] } })
    assert.equal(await statusOf(undo(update, own)), 404)
    await become('Role 2', { Shelf: { actions: ['view', 'update'], readonly: ['name'] } })
    assert.equal(await statusOf(undo(update, own)), 404)
    assert.equal(await shelfName(), 'Poems')
    await become('Role 3', { Shelf: { actions: ['view', 'update'] } })
    const done = await undo(update, own)
    assert.equal(done.status, 200, done.text)
    assert.equal(await shelfName(), 'Novels')
    const { username, details } = await db
      .from('admin_event_log')
      .whereNot('event_type', 'VIEW')
      .orderBy('id', 'desc')
      .first()
    assert.equal(username, 'kim')
    assert.deepEqual(JSON.parse(details), { undoes: update })

    await db.from('undo_volumes').update({ shelf_id: null })
    await remove('Shelf', [ids.shelf])
    const { id: deletion } = await lastEvent()
    assert.equal(await statusOf(undo(deletion, own)), 404)
    await become('Role 4', { Shelf: { actions: ['view', 'create'] } })
    assert.equal(await statusOf(undo(deletion, own)), 200)
    assert.equal(await shelfName(), 'Novels')
  })

  test("[R7, U3] an undo is refused if the records are out of the user's scope before or after it", async ({
    assert,
  }) => {
    const own = await clerk({
      Volume: { actions: ['view', 'update'], scopes: ['ground'] },
      Shelf: { actions: ['view'] },
    })
    const { id: kimId } = await kim()
    const headers = { cookie }
    const changeBig = (from: number, to: number) =>
      db
        .from('undo_volumes')
        .where('id', ids.part)
        .update({ big: from })
        .then(() => call('PATCH', `/admin/Volume/crud/${ids.part}`, { json: { big: to }, headers }))
    for (const [from, to] of [
      [1, 0],
      [0, 1],
    ]) {
      await changeBig(from, to)
      const { id } = await lastEvent()
      await db.from('admin_event_log').where('id', id).update({ user_id: kimId })
      assert.equal(await statusOf(undo(id, own)), 403)
      const { big } = await db.from('undo_volumes').where('id', ids.part).first()
      assert.equal(Number(big), to)
    }
  })

  test('[R7, U2, U3] restoring a record by undo is refused unless the user can create its children, in scope and with all fields', async ({
    assert,
  }) => {
    await remove('Shelf', [ids.shelf])
    const { id } = await lastEvent()
    const before = await library()
    const whole = { actions: ['*'] }
    const own = await clerk({ Shelf: whole, Volume: whole, VolumeCopy: whole, Wish: whole })
    const { id: kimId } = await kim()
    await db.from('admin_event_log').where('id', id).update({ user_id: kimId })
    const refusing: Array<[string, Parameters<typeof makeRole>[1]]> = [
      [
        'No children',
        { Shelf: whole, Volume: whole, VolumeCopy: { actions: ['view'] }, Wish: whole },
      ],
      [
        'No wishes',
        { Shelf: whole, Volume: whole, VolumeCopy: whole, Wish: { actions: ['view'] } },
      ],
      [
        'Scoped',
        { Shelf: whole, Volume: { ...whole, scopes: ['ground'] }, VolumeCopy: whole, Wish: whole },
      ],
      [
        'Readonly',
        { Shelf: whole, Volume: { ...whole, readonly: ['price'] }, VolumeCopy: whole, Wish: whole },
      ],
      [
        'Hidden',
        { Shelf: whole, Volume: { ...whole, hidden: ['price'] }, VolumeCopy: whole, Wish: whole },
      ],
      ['Blind', { Shelf: whole, Volume: whole, Wish: whole }],
    ]
    for (const [name, permissions] of refusing) {
      await makeRole(name, permissions)
      await giveRoles(await kim(), [name])
      const response = await undo(id, own)
      assert.equal(response.status, 403, name)
      assert.notInclude(response.text, OF_COLUMNS.title)
      assert.deepEqual(await library(), before, name)
    }
    await giveRoles(await kim(), ['Clerk'])
    assert.equal(await statusOf(undo(id, own)), 200)
  })

  test('[R7, B17] a file name is not restored if its file was deleted', async ({ assert }) => {
    const file = `${'d'.repeat(32)}.txt`
    const play = await insertRow('plays', {
      title: 'Faust',
      town: 'east',
      poster: file,
      created_at: NOW,
    })
    await remove('Play', [play])
    const response = await undo()
    assert.equal(response.status, 409)
    assert.include(response.body.detail, 'Files')
    assert.isEmpty(await db.from('plays').where('id', play))
  })

  test('[R7] users viewing the site as a role can’t undo', async ({ assert }) => {
    await send(`/Shelf/form_update/${ids.shelf}`, { name: 'Poems' })
    const id = await lastId()
    const { id: role } = await db.from('admin_roles').where('name', 'Everything').first()
    const viewing = await send(`/AdminRole/view_as/${role}`, {})
    const as = `${cookie}; ${cookiesFrom(viewing)}`
    assert.equal(await statusOf(undo(id, as)), 403)
    assert.equal(await shelfName(), 'Poems')
  })

  test('[R7] users can undo their events for ten minutes, and users with access to the log at any time', async ({
    assert,
  }) => {
    const own = await clerk({ Shelf: { actions: ['view', 'update'] } })
    await send(`/Shelf/form_update/${ids.shelf}`, { name: 'Poems' }, own)
    const { id } = await lastEvent()
    await db.from('admin_event_log').where('id', id).update({ timestamp: NOW })
    assert.equal(await statusOf(undo(id, own)), 409)
    assert.equal(await statusOf(undo(id)), 200)
  })

  test('[R7] the message after an action offers Undo, which leads back to the page of the action', async ({
    assert,
  }) => {
    const updated = await send(`/Shelf/form_update/${ids.shelf}`, { name: 'Poems' })
    const action = await offeredIn(updated)
    assert.equal(action, `/admin/management/events/${await lastId()}/undo`)
    const done = await send(action!.slice('/admin'.length), { next: '/admin/Shelf/?page=1' })
    assert.equal(done.status, 303)
    assert.equal(done.headers.get('location'), '/admin/Shelf/?page=1')
    assert.equal(await shelfName(), 'Novels')
    /* An undone write can be done again. */
    assert.equal(await offeredIn(done), `/admin/management/events/${await lastId()}/undo`)
    const away = await send(`/management/events/${await lastId()}/undo`, {
      next: 'https://example.com/',
    })
    assert.equal(away.headers.get('location'), '/admin/Shelf/')
    const bulk = await remove('Shelf', [ids.shelf])
    assert.include(bulk.text, `/admin/management/events/${await lastId()}/undo`)
    const own = await clerk({ Shelf: { actions: ['view', 'create', 'delete'] } })
    const shelf = await insertRow('undo_shelves', { name: 'Other', updated_at: NOW })
    const hidden = await remove('Shelf', [shelf], { hard: false, as: own })
    assert.include(hidden.text, '/undo"')
    await giveRoles(await kim(), ['Read only'])
    await makeRole('Remover', { Shelf: { actions: ['view', 'delete'] } })
    await giveRoles(await kim(), ['Remover'])
    const last = await insertRow('undo_shelves', { name: 'Last', updated_at: NOW })
    assert.notInclude(await textOf(remove('Shelf', [last], { hard: false, as: own })), '/undo"')
  })

  test('[R7] the event page describes what Undo will do, and links to the event that it undid', async ({
    assert,
  }) => {
    await remove('Shelf', [ids.shelf])
    const { id } = await lastEvent()
    const page = await get(`/admin/management/events/${id}`, { headers: { cookie } })
    assert.include(page.text, `action="/admin/management/events/${id}/undo"`)
    assert.include(page.text, '2 volumes will be created again')
    assert.include(page.text, '1 wish will get their previous values')
    await undo(id)
    const after = await get(`/admin/management/events/${await lastId()}`, {
      headers: { cookie },
    })
    assert.include(after.text, `href="/admin/management/events/${id}"`)
    assert.include(after.text, '2 volumes will be deleted for good')
  })

  test('[R7.13] reverting an undo is called Redo, and reverting a redo is called Undo', async ({
    assert,
  }) => {
    await remove('Shelf', [ids.shelf])
    for (const [label, opposite] of [
      ['Undo', 'Redo'],
      ['Redo', 'Undo'],
      ['Undo', 'Redo'],
    ]) {
      const path = `/management/events/${await lastId()}`
      const { text } = await get(`/admin${path}`, { headers: { cookie } })
      assert.match(text, new RegExp(`<h2 id="event-undo">${label}</h2>`))
      assert.match(text, new RegExp(`>${label}</button>`))
      assert.notMatch(text, new RegExp(`>${opposite}</button>`))
      assert.include(text, `${label} does this, unless`)
      const done = await send(`${path}/undo`, { next: '/admin/Shelf/?page=1' })
      const both = `${cookie}; ${cookiesFrom(done)}`
      const list = await get('/admin/Shelf/?page=1', { headers: { cookie: both } })
      assert.match(list.text, new RegExp(`flash-undo[^]*>${opposite}</button>`))
      assert.include(list.text, label === 'Undo' ? 'Undone: ' : 'Redone: ')
    }
  })

  test('[R7] the page of an event that can’t be undone shows why: hidden values, accounts, other kinds of events', async ({
    assert,
  }) => {
    await db.from('undo_shelves').update({ hidden: 'QZX' })
    await remove('Shelf', [ids.shelf])
    const lost = await undo()
    assert.equal(lost.status, 409)
    assert.include(lost.body.detail, 'hidden fields')
    const page = await get(`/admin/management/events/${await lastId()}`, {
      headers: { cookie },
    })
    assert.include(page.text, 'hidden fields')

    const eve = await makeUser('eve', { isSuperuser: false })
    await remove('AdminUser', [eve.id])
    const account = await undo()
    assert.equal(account.status, 409)
    assert.include(account.body.detail, 'users, roles, sessions')
    assert.lengthOf(await db.from('admin_users').where('username', 'eve'), 0)

    assert.equal(await statusOf(undo(await logEvent({ event_type: 'LOGIN' }))), 409)
    const state = { resource_type: 'Shelf', resource_id: '1', before: { name: 'a' }, after: null }
    assert.equal(await statusOf(undo(await logEvent({ event_type: 'DELETE' }, [state]))), 409)
    const gone = { ...state, resource_type: 'NoModel' }
    assert.equal(await statusOf(undo(await logEvent({ event_type: 'DELETE' }, [gone]))), 409)
    for (const id of ['abc', '0', '99999999999999']) {
      const response = await call('POST', `/admin/management/events/${id}/undo`, {
        json: {},
        headers: { cookie },
      })
      assert.equal(response.status, 404)
    }
  })

  test('[R7, B9] cross-site and anonymous requests undo nothing', async ({ assert }) => {
    await send(`/Shelf/form_update/${ids.shelf}`, { name: 'Poems' })
    const path = `/admin/management/events/${await lastId()}/undo`
    const foreign = { cookie, 'sec-fetch-site': 'cross-site' }
    assert.equal(await statusOf(sendForm(path, {}, foreign)), 403)
    assert.equal(await statusOf(sendForm(path, {})), 303)
    assert.equal(await statusOf(get(path, { headers: { cookie } })), 404)
    assert.equal(await shelfName(), 'Poems')
  })

  test('[R7, D1] an event of more than a thousand records is undone by one job', async ({
    assert,
    cleanup,
  }) => {
    await emptyJobTables()
    const rows = Array.from({ length: 1000 }, (_, number) => ({
      volume_id: ids.volume,
      number: number + 10,
      condition: 'new',
    }))
    for (let start = 0; start < rows.length; start += 100) {
      await db.table('undo_copies').multiInsert(rows.slice(start, start + 100))
    }
    const before = await library()
    await remove('Volume', [ids.volume])
    const { id } = await lastEvent()
    const response = await undo(id)
    assert.equal(response.status, 202, response.text)
    cleanup(await work())
    const job = await untilJob(response.body.job.id)
    assert.equal(job.state, 'done', job.error ?? '')
    assert.deepEqual(await library(), before)
    const event = await lastEvent()
    assert.deepInclude(JSON.parse(event.details!), { undoes: id, job: job.id })
    const records = await db.from('admin_audit_log').where('event_id', event.id)
    assert.lengthOf(records, 1005)
  }).timeout(60_000)

  const addVolumes = async (count: number) => {
    await emptyJobTables()
    for (const table of TABLES) await db.from(table).delete()
    const shelf = await insertRow('undo_shelves', { name: 'Long', floor: 0, updated_at: NOW })
    const rows = Array.from({ length: count }, (_, index) => ({
      id: index + 1,
      title: `Volume ${index}`,
      shelf_id: shelf,
      created_at: NOW,
      updated_at: NOW,
    }))
    const copies = rows.map(({ id }) => ({ volume_id: id, number: id, condition: 'good' }))
    for (let start = 0; start < count; start += 50) {
      await db.table('undo_volumes').multiInsert(rows.slice(start, start + 50))
      await db.table('undo_copies').multiInsert(copies.slice(start, start + 50))
    }
    return shelf
  }
  const ended = async ({ status, text, body }: HttpResponse) => {
    if (status !== 202) throw new Error(text)
    const job = await untilJob(body.job.id)
    if (job.state !== 'done') throw new Error(job.error ?? '')
    return job.id
  }
  const undoJob = (id: number) =>
    call('POST', `/admin/management/jobs/${id}/undo`, { json: {}, headers: { cookie } })

  test('[R7.9, L8.3] a bulk deletion is undone and redone with everything that the database deleted', async ({
    assert,
    cleanup,
  }) => {
    await addVolumes(1001)
    const before = await library()
    cleanup(await work())
    const json = { all: true, query: '', count: 1001 }
    const path = '/admin/Volume/bulk-delete?hard=true'
    const deleted = await ended(await call('DELETE', path, { json, headers: { cookie } }))
    const emptied = await library()
    assert.isEmpty([...emptied.undo_volumes, ...emptied.undo_copies])
    const undone = await ended(await undoJob(deleted))
    assert.deepEqual(await library(), before)
    await ended(await undoJob(undone))
    assert.deepEqual(await library(), emptied)
    const events = await db.from('admin_event_log').whereNotNull('details').orderBy('id')
    const jobs = events.filter(({ details }) => JSON.parse(details).job)
    assert.deepEqual(
      jobs.map((event) => [event.event_type, event.resource_type, JSON.parse(event.details).count]),
      ['DELETE', 'CREATE', 'DELETE'].flatMap((type) => {
        const counts = type === 'CREATE' ? [undefined, 1000] : [1000, undefined]
        return counts.map((count) => [type, 'Volume', count])
      })
    )
  }).timeout(60_000)

  test('[R7.9, L8.3] a bulk job that changes the same further record in every chunk can be undone', async ({
    assert,
    cleanup,
  }) => {
    const shelf = await addVolumes(1001)
    const before = await library()
    const { models } = await adminSite()
    const action = models.get('Volume')!.bulkActions.find(({ name }) => name === 'reprice')!
    const { run } = action
    cleanup(() => void (action.run = run))
    let floor = 0
    action.run = async (selection) => {
      floor++
      await models.get('Shelf')!.crud.update(shelf, { floor }, selection.options)
      return await run.call(action, selection)
    }
    cleanup(await work())
    const fields = { all: '1', query: '', count: '1001', confirmed: '1' }
    const response = await send('/Volume/action/reprice', fields)
    const id = Number(response.headers.get('location')!.split('/').at(-1))
    await untilJob(id)
    assert.equal(await its(db.from('undo_shelves').where('id', shelf).first(), 'floor'), floor)
    await ended(await undoJob(id))
    assert.deepEqual(await library(), before)
  }).timeout(60_000)
})
