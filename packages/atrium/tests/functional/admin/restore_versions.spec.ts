import { test } from '@japa/runner'
import fc from 'fast-check'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'
import { Shelf, TABLES, Volume } from '#tests/fixtures/undo'
import { Play } from '#tests/fixtures/stages'
import {
  adminSite,
  cookiesFrom,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { formOf } from '#tests/helpers/forms'
import { insertRow } from '#tests/helpers/databases'
import { ago, emptyEventTables, logEvent } from '#tests/helpers/logged_events'
import { get, type HttpResponse } from '#tests/helpers/http'
import { unescape } from '#tests/helpers/list_page'
import { runs } from '#tests/helpers/random_runs'
import { its } from '#tests/helpers/its'
import { makeRole, restoreRoles } from '#tests/helpers/roles'

const NOW = '2020-01-02 03:04:05'

const plain = (html: string) =>
  html
    .replace(/^.*?<main|<\/main>.*$/gs, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')

/** Texts that a browser sends of the form as it stands, with the boxes that empty fields. */
function sentBy(html: string): Record<string, string> {
  const boxes = [
    ...html.matchAll(/<input type="checkbox"[^>]* name="(\w+__clear)" value="1"([^>]*)>/g),
  ]
  const ticked = boxes.filter(([, , rest]) => /\bchecked\b/.test(rest))
  return { ...formOf(html).values, ...Object.fromEntries(ticked.map(([, name]) => [name, '1'])) }
}

function without(row: Record<string, any>, ...names: string[]): Record<string, any> {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)))
}

test.group('Admin | versions of a record, and their restore', (group) => {
  group.tap((one) => one.tags(['@database']))
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    for (const table of [...TABLES, 'play_tickets', 'plays', 'stages'])
      await db.from(table).delete()
    await emptyAdminTables()
    await restoreRoles()
    await emptyEventTables()
    cookie = await cookiesOf(await makeUser('ada'))
    return () => restoreRoles()
  })

  const visit = async (path: string, as = cookie) => {
    const response = await get(`/admin/${path}`, { headers: { cookie: as } })
    return { ...response, plain: plain(response.text) }
  }
  const clerk = async (name: string, permissions: Parameters<typeof makeRole>[1]) => {
    await makeRole(name, permissions)
    return await cookiesOf(await makeUser(name, { isSuperuser: false, roles: [name] }))
  }

  /** Changes a record through the site, and returns the event. */
  async function change(model: 'Volume' | 'Shelf' | 'Play', key: unknown, values: object) {
    const { models } = await adminSite()
    const { crud, resource } = models.get(model)!
    await resource.load()
    await crud.update(key, values as Record<string, unknown>)
    return await lastEvent()
  }

  async function lastEvent(): Promise<number> {
    const { events } = await adminSite()
    await events.settle()
    const { id } = await db
      .from('admin_event_log')
      .whereNot('event_type', 'VIEW')
      .orderBy('id', 'desc')
      .firstOrFail()
    return id
  }

  async function save(form: { text: string }, changes: Record<string, string> = {}, as = cookie) {
    const action = unescape(formOf(form.text).action)
    return await sendForm(action, { ...sentBy(form.text), ...changes }, { cookie: as })
  }

  const detailsOf = async (id: number) => {
    const { details } = await db.from('admin_event_log').where('id', id).firstOrFail()
    return typeof details === 'string' ? JSON.parse(details) : details
  }

  async function shelf(values: Record<string, unknown> = {}): Promise<number> {
    const { id } = await Shelf.create({ name: 'One', floor: 1, ...values })
    return id
  }

  const rowOf = async (table: string, id: number) => {
    return without(await db.from(table).where('id', id).firstOrFail(), 'updated_at')
  }

  test('[R8] a version shows all fields as they were, what it changed, and which values differ today', async ({
    assert,
  }) => {
    const id = await shelf()
    const created = await lastEvent()
    const second = await change('Shelf', id, { name: 'Two' })
    await change('Shelf', id, { floor: 3 })
    const list = await visit(`Shelf/history/${id}`)
    assert.include(list.text, `href="/admin/Shelf/history/${id}?version=${second}"`)
    const { status, plain: text, text: html } = await visit(`Shelf/history/${id}?version=${second}`)
    assert.equal(status, 200)
    assert.match(text, /One on |Two on /)
    assert.match(text, /Name One Two the same/)
    assert.match(text, /Floor to be restored the same 1 3/)
    assert.match(text, /Card Empty/)
    assert.include(html, `?version=${created}" rel="prev"`)
    for (const event of [987_654, 'x', '', created + 10_000, '99999999999999']) {
      assert.equal(await its(visit(`Shelf/history/${id}?version=${event}`), 'status'), 404)
    }
    const other = await shelf({ name: 'Other' })
    const foreign = await lastEvent()
    assert.equal(await its(visit(`Shelf/history/${id}?version=${foreign}`), 'status'), 404)
    assert.equal(await its(visit(`Shelf/update/${id}?restore=${foreign}`), 'status'), 404)
    assert.equal(await its(visit(`Shelf/history/${other}?version=${foreign}`), 'status'), 200)
  })

  test('[R8] Restore this version fills in the form and marks the fields; saving is an ordinary update that can be undone', async ({
    assert,
  }) => {
    const id = await shelf({ card: '4711-0815' })
    const version = await lastEvent()
    const before = await rowOf('undo_shelves', id)
    await change('Shelf', id, { name: 'Two', floor: 7, card: '9999' })
    const page = await visit(`Shelf/history/${id}?version=${version}`)
    const [, link] = /<a class="btn" href="([^"]*)">Restore this version/.exec(page.text)!
    const form = await visit(unescape(link).replace('/admin/', ''))
    assert.equal(form.status, 200)
    assert.match(form.plain, /Filled in with the version of .* Nothing is saved yet/)
    assert.include(form.plain, 'Different from the current record: Name, Floor, Card.')
    assert.match(form.plain, /Restored. Now: Two/)
    assert.match(form.plain, /Restored. Now: 7/)
    assert.deepInclude(formOf(form.text).values, { name: 'One', floor: '1', card: '4711-0815' })
    assert.include(form.text, 'data-is-unsaved')
    assert.match(formOf(form.text).tags.name, /aria-describedby="[^"]*field-name-restored/)
    assert.equal(await its(rowOf('undo_shelves', id), 'name'), 'Two')

    const saved = await save(form)
    assert.equal(saved.status, 303)
    assert.deepEqual(await rowOf('undo_shelves', id), before)
    assert.equal(await its(detailsOf(await lastEvent()), 'restores'), version)
    const list = await visit(`Shelf/history/${id}`)
    assert.include(list.plain, `Restores the version of event ${version}`)
    const next = await get(saved.headers.get('location')!, {
      headers: { cookie: `${cookie}; ${cookiesFrom(saved)}` },
    })
    const [, undo] = /class="flash-undo" method="post" action="([^"]+)"/.exec(next.text)!
    assert.equal(await its(sendForm(undo, {}, { cookie }), 'status'), 303)
    assert.equal(await its(rowOf('undo_shelves', id), 'name'), 'Two')
  })

  test('[R8] the current value of a restored field is formatted as in the history', async ({
    assert,
  }) => {
    const id = await shelf()
    const version = await lastEvent()
    await change('Shelf', id, { floor: 12345 })
    const form = await visit(`Shelf/update/${id}?restore=${version}`)
    assert.match(form.plain, /Restored. Now: 12,345/)
  })

  test('[R8] the state before the first logged change is a version that can be restored', async ({
    assert,
  }) => {
    const id = Number(await insertRow('undo_shelves', { name: 'Old', floor: 1, updated_at: NOW }))
    const before = await rowOf('undo_shelves', id)
    const first = await change('Shelf', id, { floor: 2 })
    await change('Shelf', id, { name: 'New' })
    const list = await visit(`Shelf/history/${id}`)
    assert.match(list.plain, /Changed: Floor 1 → After 2/, 'one short change is one line')
    const beginning = `/admin/Shelf/history/${id}?version=before-${first}`
    assert.include(list.text, `<a href="${beginning}">Show the version before the first logged`)

    const version = await visit(beginning.replace('/admin/', ''))
    assert.match(version.plain, /Floor to be restored the same 1 2/)
    assert.match(version.plain, /Name to be restored the same Old New/)
    assert.include(version.text, `?version=${first}" rel="next"`)
    assert.notInclude(version.text, 'rel="prev"')
    const [, link] = /<a class="btn" href="([^"]*)">Restore this version/.exec(version.text)!
    const form = await visit(unescape(link).replace('/admin/', ''))
    assert.include(form.plain, 'Filled in with the version before the first logged change on')
    assert.equal(await its(save(form), 'status'), 303)
    assert.deepEqual(await rowOf('undo_shelves', id), before)

    const created = await shelf()
    const creation = await lastEvent()
    assert.notInclude(await its(visit(`Shelf/history/${created}`), 'text'), 'version=before-')
    assert.equal(
      await its(visit(`Shelf/history/${created}?version=before-${creation}`), 'status'),
      404
    )
  })

  test('[R8] single fields can be restored, and the others stay unchanged', async ({ assert }) => {
    const id = await shelf({ card: 'A' })
    const version = await lastEvent()
    await change('Shelf', id, { name: 'Two', floor: 7, card: 'B' })
    for (const query of ['fields=name&fields=card', 'fields=name,card', 'fields=name,+card,x']) {
      const form = await visit(`Shelf/update/${id}?restore=${version}&${query}`)
      assert.deepInclude(formOf(form.text).values, { name: 'One', floor: '7', card: 'A' })
    }
    const form = await visit(`Shelf/update/${id}?restore=${version}&fields=name`)
    assert.equal(await its(save(form), 'status'), 303)
    assert.deepInclude(await rowOf('undo_shelves', id), { name: 'One', floor: 7, card: 'B' })
    const none = await visit(`Shelf/update/${id}?restore=${version}&fields=nothing`)
    assert.include(none.plain, 'The fields of the form are as in that version.')
  })

  test('[R8] fields that were empty in the version are cleared if the form allows that', async ({
    assert,
  }) => {
    const id = await shelf({ floor: null, card: null })
    const version = await lastEvent()
    await change('Shelf', id, { floor: 7, card: 'B' })
    const form = await visit(`Shelf/update/${id}?restore=${version}`)
    assert.deepInclude(sentBy(form.text), { floor__clear: '1', card__clear: '1' })
    assert.equal(await its(save(form), 'status'), 303)
    assert.deepInclude(await rowOf('undo_shelves', id), { floor: null, card: null })
    await db.from('undo_shelves').where('id', id).update({ name: '' })
    const blank = await change('Shelf', id, { floor: 1 })
    await change('Shelf', id, { name: 'Two' })
    const left = await visit(`Shelf/update/${id}?restore=${blank}`)
    assert.include(left.plain, 'Name is left out: it was empty')
    assert.equal(await its(save(left), 'status'), 303)
    assert.equal(await its(rowOf('undo_shelves', id), 'name'), 'Two')
  })

  test("[R8] values that a form can't represent exactly, and long ones, are restored exactly", async ({
    assert,
  }) => {
    const long = { text: 'x'.repeat(12_000) }
    const at = DateTime.fromISO('2020-02-29T12:34:56.123Z', { zone: 'utc' })
    const first = {
      price: '1234567890123456.12345678',
      big: '9007199254740993',
      lent: true,
      day: DateTime.fromISO('2020-02-29'),
      at,
      data: JSON.stringify(long),
    }
    const { id } = await Volume.create({ title: 'Line\r\nbreak', ...first } as any)
    await db.from('undo_volumes').where('id', id).update({ price: first.price })
    const version = await change('Volume', id, { slug: 'known' })
    const before = await rowOf('undo_volumes', id)
    const empty = { price: 1, big: 2, lent: null, day: null, at: null, data: '{}' }
    await change('Volume', id, { title: 'Two', ...empty })
    const form = await visit(`Volume/update/${id}?restore=${version}`)
    assert.notInclude(form.plain, 'left out: the log')
    assert.include(formOf(form.text).values.data, long.text)
    assert.equal(await its(save(form), 'status'), 303)
    const after = await rowOf('undo_volumes', id)
    const others = (row: Record<string, any>) => without(row, 'data', 'slug')
    assert.deepEqual(others(after), others(before))
    const { data } = after
    assert.deepEqual(typeof data === 'string' ? JSON.parse(data) : data, long)
  })

  test('[R8] a field whose value is missing or truncated in the log is left out of a restore, and the form says so', async ({
    assert,
  }) => {
    const id = await shelf({ name: 'Three', card: '1234-5678' })
    await emptyEventTables()
    const record = { resource_type: 'Shelf', resource_id: String(id) }
    const cut = `${'x'.repeat(1000)}… (12000 characters, SHA-256 ${'a'.repeat(64)})`
    const states = { before: { name: 'One', floor: 1 }, after: { name: 'Two', floor: 2 } }
    const version = await logEvent({ ...record, timestamp: ago({ minutes: 5 }) }, [
      { ...record, ...states, after: { ...states.after, card: '…15' } },
    ])
    const form = await visit(`Shelf/update/${id}?restore=${version}`)
    assert.equal(form.status, 200)
    assert.deepInclude(formOf(form.text).values, { name: 'Two', floor: '2', card: '1234-5678' })
    assert.include(form.plain, 'Card is left out: the log does not have its value.')
    const long = await logEvent({ ...record, timestamp: ago({ minutes: 4 }) }, [
      { ...record, ...states, after: { name: cut, floor: 2, wing: ['east'], other: { a: 1 } } },
    ])
    const other = await visit(`Shelf/update/${id}?restore=${long}`)
    assert.include(other.plain, 'Name is left out: the log has only its beginning.')
    assert.equal(formOf(other.text).values.name, 'Three')
    assert.equal(await its(save(other), 'status'), 303)
    assert.deepInclude(await rowOf('undo_shelves', id), { name: 'Three', floor: 2 })
    assert.equal(await its(visit(`Shelf/history/${id}?version=${long}`), 'status'), 200)
  })

  test('[R8] a reference to a deleted record is reported before saving, and refused on saving without an error page', async ({
    assert,
  }) => {
    const gone = await shelf({ name: 'Gone' })
    const stored = await shelf({ name: 'Kept' })
    const { id } = await Volume.create({ title: 'Momo', shelfId: gone })
    const version = await lastEvent()
    await change('Volume', id, { shelfId: stored })
    const there = await visit(`Volume/update/${id}?restore=${version}`)
    assert.match(there.plain, /Restored. Now: Kept/)
    assert.notInclude(there.plain, 'The referenced record was deleted')
    await db.from('undo_shelves').where('id', gone).delete()
    const form = await visit(`Volume/update/${id}?restore=${version}`)
    assert.equal(form.status, 200)
    assert.include(form.plain, 'The referenced record was deleted, or you cannot see it.')
    const response = await save(form, { shelf_id: String(gone) })
    assert.equal(response.status, 400)
    assert.isNotEmpty(formOf(response.text).errors.shelf_id)
    assert.match(unescape(formOf(response.text).action), new RegExp(`restore=${version}`))
    assert.equal(await its(rowOf('undo_volumes', id), 'shelf_id'), stored)
  })

  test('[R8, B25] a conflict during a restore preserves the restored values and their marks', async ({
    assert,
  }) => {
    const id = await shelf()
    const version = await lastEvent()
    await change('Shelf', id, { name: 'Two' })
    const form = await visit(`Shelf/update/${id}?restore=${version}`)
    await change('Shelf', id, { name: 'Theirs' })
    const conflict = await save(form)
    assert.equal(conflict.status, 409)
    assert.match(conflict.text, /id="field-name-restored"[^]*?Theirs/)
    assert.equal(await its(rowOf('undo_shelves', id), 'name'), 'Theirs')
    assert.equal(await its(save(conflict), 'status'), 303)
    assert.equal(await its(rowOf('undo_shelves', id), 'name'), 'One')
    assert.equal(await its(detailsOf(await lastEvent()), 'restores'), version)
  })

  test('[R8, U2] only fields that the user can see and update are restored', async ({ assert }) => {
    const { id } = await Play.create({ title: 'Old', town: 'east', poster: null, note: 'QZXOLD' })
    const version = await lastEvent()
    await change('Play', id, { title: 'New', town: 'west', note: 'QZXNEW' })
    const path = `Play/update/${id}?restore=${version}`
    const viewer = await clerk('viewer', { Play: { actions: ['view'] } })
    const shown = await visit(`Play/history/${id}?version=${version}`, viewer)
    assert.include(shown.plain, 'QZXOLD')
    assert.notMatch(shown.text, /restore=|Restore this/)
    assert.equal(await its(visit(path, viewer), 'status'), 403)

    const update = ['view', 'update']
    const hides = await clerk('hides', { Play: { actions: update, hidden: ['note'] } })
    const blind = await visit(path, hides)
    assert.include(blind.plain, 'Different from the current record: Title, Town.')
    assert.notMatch(blind.text, /QZX|Note/)
    assert.notMatch(await its(visit(`Play/history/${id}?version=${version}`, hides), 'text'), /QZX/)

    const locked = await clerk('locked', { Play: { actions: update, readonly: ['town'] } })
    const form = await visit(path, locked)
    assert.include(form.plain, 'Different from the current record: Title, Note.')
    assert.equal(await its(save(form, {}, locked), 'status'), 303)
    assert.deepInclude(await rowOf('plays', id), { title: 'Old', note: 'QZXOLD', town: 'west' })

    const far = await clerk('far', { Play: { actions: update, scopes: ['east'] } })
    assert.equal(await its(visit(path, far), 'status'), 404)
    assert.equal(await its(visit(`Play/history/${id}?version=${version}`, far), 'status'), 404)
  })

  test('[R8] files and secrets are not restored, and the reason is shown', async ({ assert }) => {
    const poster = `${'c'.repeat(32)}.txt`
    const { id } = await Play.create({ title: 'Old', town: 'east', poster })
    const version = await lastEvent()
    await change('Play', id, { title: 'New', poster: null })
    const form = await visit(`Play/update/${id}?restore=${version}`)
    assert.include(form.plain, 'Poster is left out: its file was deleted.')
    assert.deepInclude(formOf(form.text).values, { title: 'Old' })
    const user = await db.from('admin_users').where('username', 'ada').firstOrFail()
    await logEvent({ resource_type: 'AdminUser' }, [
      {
        resource_type: 'AdminUser',
        resource_id: String(user.id),
        before: { username: 'eve' },
        after: { username: 'ada' },
      },
    ])
    const event = await lastEvent()
    assert.equal(await its(visit(`AdminUser/history/${user.id}?version=${event}`), 'status'), 200)
    assert.notInclude(
      await its(visit(`AdminUser/history/${user.id}?version=${event}`), 'text'),
      'restore='
    )
    assert.equal(await its(visit(`AdminUser/update/${user.id}?restore=${event}`), 'status'), 404)
  })

  test('[R8, R7] a purged record is restored with its key, or created again', async ({
    assert,
  }) => {
    const id = await shelf({ name: 'Novels', card: '4711-0815' })
    const { id: volume } = await Volume.create({ title: 'Momo', shelfId: id })
    await change('Shelf', id, { floor: 2 })
    const form = { ids: String(id), action: 'delete', confirmed: '1' }
    assert.equal(
      await its(sendForm('/admin/Shelf/form_bulk_delete', form, { cookie }), 'status'),
      303
    )
    assert.isNull(await db.from('undo_volumes').where('id', volume).first())

    const page = await visit(`Shelf/history/${id}`)
    assert.equal(page.status, 200)
    assert.include(page.text, '<h1>History of Novels</h1>')
    const [, undo] = /<form method="post" action="([^"]*undo)"/.exec(page.text)!
    const [, remake] = /href="([^"]*)">Create it again/.exec(page.text)!

    const blank = await visit(unescape(remake).replace('/admin/', ''))
    assert.deepInclude(formOf(blank.text).values, { name: 'Novels', floor: '2', card: '4711-0815' })
    assert.equal(await its(save(blank), 'status'), 303)
    const again = await db.from('undo_shelves').where('name', 'Novels').firstOrFail()
    assert.deepInclude(again, { floor: 2, card: '4711-0815' })
    assert.notEqual(again.id, id)
    const last = await lastEvent()
    assert.isNumber(await its(detailsOf(last), 'restores'))

    const back = await sendForm(undo, { next: `/admin/Shelf/view/${id}` }, { cookie })
    assert.equal(back.status, 303)
    assert.equal(back.headers.get('location'), `/admin/Shelf/view/${id}`)
    assert.equal(await its(rowOf('undo_shelves', id), 'name'), 'Novels')
    assert.equal(await its(rowOf('undo_volumes', volume), 'title'), 'Momo')
    assert.equal(await its(visit(unescape(remake).replace('/admin/', '')), 'status'), 404)
  })

  test('[R8, R7] users who are not superusers can restore a purged record with everything that was deleted with it', async ({
    assert,
  }) => {
    const id = await shelf({ name: 'Order 17' })
    for (const title of ['Momo', 'Emil']) await Volume.create({ title, shelfId: id })
    const actions = ['view', 'create', 'update', 'delete']
    const kim = await clerk('kim', { Shelf: { actions }, Volume: { actions } })
    const form = { ids: String(id), action: 'delete', confirmed: '1' }
    await sendForm('/admin/Shelf/form_bulk_delete', form, { cookie: kim })
    assert.lengthOf(await db.from('undo_volumes'), 0)
    const { text } = await visit(`Shelf/history/${id}`, kim)
    assert.include(plain(text), '2 volumes will be created again')
    const [, undo] = /<form method="post" action="([^"]*undo)"/.exec(text)!
    const [, next] = /class="actions">.*?name="next" value="([^"]*)"/s.exec(text)!
    const back = await sendForm(undo, { next }, { cookie: kim })
    assert.equal(back.headers.get('location'), `/admin/Shelf/view/${id}`)
    assert.equal(await its(visit(`Shelf/view/${id}`, kim), 'status'), 200)
    const titles = await db.from('undo_volumes').where('shelf_id', id).orderBy('id')
    assert.deepEqual(
      titles.map(({ title }) => title),
      ['Momo', 'Emil']
    )
    const later = await clerk('later', { Shelf: { actions }, Volume: { actions } })
    assert.notInclude(await its(visit(`Shelf/history/${id}`, later), 'text'), 'Undo the deletion')
  })

  test('[R8] creating a purged record again and undoing its deletion are offered with the permission only', async ({
    assert,
  }) => {
    const id = await shelf({ name: 'Novels' })
    const version = await lastEvent()
    await db.from('undo_shelves').where('id', id).delete()
    const path = `Shelf/create_page?from=${id}&restore=${version}`
    const actions = ['view', 'create']
    const may = await clerk('may', { Shelf: { actions } })
    assert.equal(formOf(await its(visit(path, may), 'text')).values.name, 'Novels')
    const page = await visit(`Shelf/history/${id}`, may)
    assert.include(page.text, 'Create it again')
    assert.notMatch(page.text, /\/undo"/)
    const viewer = await clerk('viewer', { Shelf: { actions: ['view'] } })
    assert.notInclude(await its(visit(`Shelf/history/${id}`, viewer), 'text'), 'Create it again')
    assert.equal(await its(visit(path, viewer), 'status'), 403)
    const hides = await clerk('hides', { Shelf: { actions, hidden: ['card'] } })
    for (const place of [path, `Shelf/history/${id}`]) {
      const { status, text } = await visit(place, hides)
      assert.equal(status, 404)
      assert.notInclude(text, 'Novels')
    }
    for (const query of [
      `from=x&restore=${version}`,
      `restore=${version}`,
      `from=${id}&restore=x`,
    ]) {
      assert.equal(await its(visit(`Shelf/create_page?${query}`), 'status'), 404, query)
    }
  })

  test('[R8, A21] a soft-deleted record must be restored first, and its history says so', async ({
    assert,
  }) => {
    const { id } = await Volume.create({ title: 'Momo' })
    const version = await lastEvent()
    await change('Volume', id, { title: 'Two' })
    const form = { ids: String(id), action: 'delete', confirmed: '1' }
    await sendForm('/admin/Volume/form_bulk_delete', form, { cookie })
    const page = await visit(`Volume/history/${id}?version=${version}`)
    assert.equal(page.status, 200)
    assert.notMatch(page.text, /restore=|Create it again/)
    assert.include(page.text, `/admin/Volume/view/${id}`)
    assert.equal(await its(visit(`Volume/update/${id}?restore=${version}`), 'status'), 404)
  })

  test('[R8] a restore whose version was removed from the log is saved as an ordinary update', async ({
    assert,
  }) => {
    const id = await shelf()
    const version = await lastEvent()
    await change('Shelf', id, { name: 'Two' })
    const form = await visit(`Shelf/update/${id}?restore=${version}`)
    await emptyEventTables()
    const saved: HttpResponse = await save(form)
    assert.equal(saved.status, 303)
    assert.equal(await its(rowOf('undo_shelves', id), 'name'), 'One')
    assert.isNull(await detailsOf(await lastEvent()))
    assert.isNumber(await insertRow('undo_shelves', { name: 'x', updated_at: NOW }))
  })

  test('[R8] after random writes, restoring any earlier version restores its columns', async ({
    assert,
  }) => {
    const shelves = [await shelf({ name: 'East' }), await shelf({ name: 'West' })]
    /* The slug is the hook's. */
    const columnsOf = async (id: number) => {
      return without(await rowOf('undo_volumes', id), 'slug')
    }
    const text = fc
      .string({ unit: 'grapheme', maxLength: 9 })
      .map((one) => one.replaceAll('\0', ''))
    const moment = fc.date({
      min: new Date('1971-01-01'),
      max: new Date('2037-01-01'),
      noInvalidDate: true,
    })
    const values = fc.record(
      {
        title: text.map((one) => `${one}.`),
        price: fc.option(fc.nat(99_999).map((cents) => `${cents / 100}`)),
        big: fc.option(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map(String)),
        lent: fc.option(fc.boolean()),
        at: fc.option(moment.map((date) => DateTime.fromJSDate(date, { zone: 'utc' }))),
        data: fc.option(
          fc.dictionary(fc.string({ maxLength: 3 }), fc.nat()).map((one) => JSON.stringify(one))
        ),
        shelfId: fc.option(fc.constantFrom(...shelves)),
      },
      { requiredKeys: [] }
    )
    const writes = fc.array(values, { minLength: 2, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(writes, fc.nat(), async (all, which) => {
        const { id } = await Volume.create({ title: 'First' })
        const versions = [{ event: await lastEvent(), row: await columnsOf(id) }]
        for (const one of all) {
          const before = await lastEvent()
          const event = await change('Volume', id, one)
          if (event > before) versions.push({ event, row: await columnsOf(id) })
        }
        const wanted = versions[which % versions.length]
        const form = await visit(`Volume/update/${id}?restore=${wanted.event}`)
        assert.equal(await its(save(form), 'status'), 303)
        assert.deepEqual(await columnsOf(id), wanted.row)
      }),
      { numRuns: runs(24) }
    )
  })
})
