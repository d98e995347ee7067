import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { Holding } from '#tests/fixtures/forms'
import { Play, Stage } from '#tests/fixtures/stages'
import { Notice, WardPatient } from '#tests/fixtures/wards'
import { get, urlOf } from '#tests/helpers/http'
import { its } from '#tests/helpers/its'
import { unescape } from '#tests/helpers/list_page'
import { makeRole, restoreRoles } from '#tests/helpers/roles'

const LIST = '/admin/Play/?filter.town=east&sort_by=title&sort_order=asc'

test.group('Admin | page of a record', (group) => {
  let stage: Stage
  let play: Play
  let boss: string
  let reader: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const table of ['play_tickets', 'plays', 'stages']) await db.from(table).delete()
    stage = await Stage.create({ name: 'Globe', town: 'east' })
    play = await Play.create({ title: 'Faust', town: 'east', note: 'n', stageId: stage.id })
    boss = await cookiesOf(await makeUser('jo'))
    await makeRole('Reader', { Play: { actions: ['view'] }, Stage: { actions: ['view'] } })
    reader = await cookiesOf(await makeUser('kim', { isSuperuser: false, roles: ['Reader'] }))
    return () => restoreRoles()
  })

  const open = (path: string, cookie: string, headers: Record<string, string> = {}) =>
    get(path, { headers: { accept: 'text/html', cookie, ...headers } })
  const place = ({ id }: { id: number }) => `/admin/Play/view/${id}`
  const factsOf = (text: string) =>
    Object.fromEntries(
      [...text.matchAll(/<dt[^>]*>(.*?)<\/dt>\s*<dd[^>]*>(.*?)<\/dd>/gs)].map(([, name, value]) => [
        name,
        unescape(value.replace(/<[^>]*>/g, '').trim()),
      ])
    )

  test('[R16] the page of a record shows all values that the user can see, without a form', async ({
    assert,
  }) => {
    const { status, text } = await open(place(play), reader)
    assert.equal(status, 200)
    assert.include(text, '<h1 dir="auto">Faust</h1>')
    assert.deepInclude(factsOf(text), { Title: 'Faust', Town: 'east', Note: 'n', Stage: 'Globe' })
    assert.include(text, `href="/admin/Stage/view/${stage.id}"`)
    assert.notMatch(text, /form_update|\/update\/|form_bulk_delete/)
  })

  test('[R16] long texts are shown in full with their line breaks, and JSON is collapsed', async ({
    assert,
  }) => {
    const remark = `${'long '.repeat(500)}\nend <b>`
    await db.from('list_artefacts').delete()
    const details = JSON.stringify({ a: 'x'.repeat(200) })
    await db.table('list_artefacts').insert({ id: 7, name: 'Vase', notes: remark, details })
    const { text } = await open('/admin/Artefact/view/7', boss)
    assert.include(unescape(text), remark.trim())
    assert.include(text, 'end &lt;b&gt;')
    assert.match(text, /<details class="folded">.*?x{200}/s)
  })

  test('[R16] lists, references, search and messages link users who cannot update a record to its page', async ({
    assert,
  }) => {
    const path = place(play)
    for (const page of ['/admin/Play/', '/admin/search?q=Faust']) {
      const { text } = await open(page, reader)
      assert.include(text, `href="${path}"`, page)
      const { text: ofBoss } = await open(page, boss)
      assert.include(ofBoss, `href="/admin/Play/update/${play.id}"`, page)
      assert.notInclude(ofBoss, path, page)
    }
    await makeRole('Writer', { Play: { actions: ['view', 'create'] } })
    const user = await makeUser('lou', { isSuperuser: false, roles: ['Writer'] })
    const cookie = await cookiesOf(user)
    const sent = await sendForm(
      '/admin/Play/form_create',
      { title: 'Medea', town: 'east' },
      { cookie }
    )
    const left = sent.headers.getSetCookie().map((one) => one.split(';')[0])
    const { text } = await open('/admin/Play/', [cookie, ...left].join('; '))
    const { id } = await Play.findByOrFail('title', 'Medea')
    assert.match(text, new RegExp(`class="flash-message".*?href="${place({ id })}"`, 's'))
  })

  test('[R16] users with permission get links to update, delete and duplicate', async ({
    assert,
  }) => {
    const { text } = await open(place(play), boss)
    assert.include(text, `href="/admin/Play/update/${play.id}"`)
    assert.match(text, /name="action" value="delete"/)
    assert.notMatch(text, /name="action" value="(restore|purge)"/)
    assert.include(text, `/admin/Play/history/${play.id}`)
  })

  test('[R16, B16] the page of a deleted record says that it is deleted, and the record can be restored from its page', async ({
    assert,
  }) => {
    await play.merge({ isDeleted: true }).save()
    const list = await open('/admin/Play/?deleted=include', boss)
    assert.include(list.text, `<a href="${place(play)}">Faust</a> <span class="deleted-mark">`)
    const seen = await open(place(play), reader)
    assert.match(seen.text, /<\/h1>\s*<span class="deleted-mark">Deleted/)
    assert.notInclude(seen.text, 'form_bulk_delete')

    const { text } = await open(place(play), boss)
    assert.notInclude(text, '/admin/Play/update/')
    const [, next] = /value="restore">\s*<input type="hidden" name="next" value="([^"]*)"/.exec(
      text
    )!
    const fields = { ids: String(play.id), action: 'restore', next: unescape(next) }
    const done = await sendForm('/admin/Play/form_bulk_delete', fields, { cookie: boss })
    assert.equal(done.headers.get('location'), place(play))
    assert.isFalse(Boolean(await its(Play.findOrFail(play.id), 'isDeleted')))
  })

  test('[R16, L11] the page links back to the list and to the next record of that list', async ({
    assert,
  }) => {
    const next = await Play.create({ title: 'Galilei', town: 'east' })
    await Play.create({ title: 'Hamlet', town: 'west' })
    const { text } = await open(place(play), reader, { referer: urlOf(LIST) })
    const query = `?list=${encodeURIComponent(LIST.split('?')[1])}`
    assert.include(unescape(text), `class="back-link" href="${LIST}"`)
    assert.include(unescape(text), `rel="next" href="${place(next)}${query}"`)
    const back = await open(LIST, reader, { referer: urlOf(place(play)) })
    assert.match(back.text, /<tr class="is-marked".*?Faust/s)
  })

  test('[R16, U3] the page of a record out of scope, of a missing record and of a malformed key is not found', async ({
    assert,
  }) => {
    await makeRole('West', { Play: { actions: ['view'], scopes: ['west'], hidden: ['note'] } })
    const west = await cookiesOf(await makeUser('wes', { isSuperuser: false, roles: ['West'] }))
    const near = await Play.create({ title: 'Western', town: 'west', note: 'QZX' })
    assert.equal(await its(open(place(play), west), 'status'), 404)
    const { status, text } = await open(place(near), west)
    assert.equal(status, 200)
    assert.notInclude(text, 'QZX')
    assert.notProperty(factsOf(text), 'Note')
    for (const id of ['999999', 'x', '1e9', '%00']) {
      assert.include([400, 404], await its(open(`/admin/Play/view/${id}`, boss), 'status'), id)
    }
  })

  test('[R16, P14] a record that the policy refuses to show has no link and no page', async ({
    assert,
  }) => {
    await db.from('ward_patients').delete()
    const [open1, sealed] = await WardPatient.createMany(
      ['Open', 'Sealed'].map((name) => ({ name, code: name, ward: 'kim' }))
    )
    await makeRole('Nurse', { WardPatient: { actions: ['view'] }, Notice: { actions: ['*'] } })
    const nurse = await cookiesOf(await makeUser('kim2', { isSuperuser: false, roles: ['Nurse'] }))
    await WardPatient.query().update({ ward: 'kim2' })
    const { text } = await open('/admin/WardPatient/', nurse)
    assert.include(text, `/admin/WardPatient/view/${open1.id}`)
    assert.notInclude(text, `/admin/WardPatient/view/${sealed.id}`)
    assert.oneOf(
      await its(open(`/admin/WardPatient/view/${sealed.id}`, nurse), 'status'),
      [403, 404]
    )
    assert.equal(await its(open(`/admin/WardPatient/view/${open1.id}`, nurse), 'status'), 200)
    const { id } = await Notice.create({ name: 'N' })
    const notice = await open(`/admin/Notice/view/${id}`, nurse)
    assert.equal(notice.status, 200)
    assert.notMatch(notice.text, /\/update\/|form_bulk_delete/)
  })

  test('[R14, R16] units are shown around a value in lists and pages, and not for an empty value', async ({
    assert,
  }) => {
    const headers = { cookie: boss }
    await Holding.query().delete()
    const { id } = await Holding.create({ title: 'Momo', kind: 'book', isbn: '123', price: 12 })
    await Holding.create({ title: 'Jim', kind: 'book', isbn: '124', price: null })
    const wanted = ['$12\u00a0net']
    const list = await get('/admin/Holding/?columns=title,price', { headers })
    assert.deepEqual(list.text.match(/\$?[\d,]+\u00a0net/g), wanted)
    const page = await get(`/admin/Holding/view/${id}`, { headers })
    assert.deepEqual(page.text.match(/\$?[\d,]+\u00a0net/g), wanted)
    const json = await get(`/admin/Holding/crud/${id}`, { headers })
    assert.equal(json.body.price, 12)
    await Holding.query().delete()
  })
})
