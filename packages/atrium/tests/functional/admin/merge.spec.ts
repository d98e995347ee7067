import { test } from '@japa/runner'
import encryption from '@adonisjs/core/services/encryption'
import fc from 'fast-check'
import type { AdminUser } from '#admin'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { formOf } from '#tests/helpers/forms'
import { call, get, type HttpResponse } from '#tests/helpers/http'
import { its } from '#tests/helpers/its'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { runs } from '#tests/helpers/random_runs'
import { giveRoles, makeRole, restoreRoles, roleIdOf, rolesOfUser } from '#tests/helpers/roles'
import { Dossier } from '#tests/fixtures/conflicts'
import { PNG } from '#tests/helpers/images'

type Values = Record<string, string>

const LONG = 'word '.repeat(2000).trim()

const textOf = (html: string) => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')

/** Names of the fields that a conflict page asks for */
const requestedOn = ({ text }: HttpResponse) =>
  [...text.matchAll(/name="_take\.(\w+)" value="mine"/g)].map(([, name]) => name)

test.group('Admin | merging concurrent changes', (group) => {
  let jo: AdminUser
  let cookie: string
  let marys: string
  let dossier: Dossier

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyEventTables()
    await Dossier.query().delete()
    jo = await makeUser('jo')
    cookie = await cookiesOf(jo)
    marys = await cookiesOf(await makeUser('mary', { isSuperuser: false }))
    dossier = await Dossier.create({ title: 'Old', pages: 5, pin: '1234', isOpen: false })
  })

  const at = (action: string) => `/admin/Dossier/${action}/${dossier.id}`
  const open = async (who = cookie) => {
    const { text } = await get(at('update'), { headers: { cookie: who } })
    return formOf(text).values
  }
  const save = (values: Values, who = cookie) =>
    sendForm(at('form_update'), values, { cookie: who })
  const mary = async (values: Values) => {
    const { status } = await save(values, marys)
    if (status !== 303) throw new Error(`Mary could not save: ${status}`)
  }
  const stored = async () => {
    const { title, pages, isOpen, note, stage, pin, scan } = await Dossier.findOrFail(dossier.id)
    return { title, pages, isOpen: Boolean(isOpen), note, stage, pin, scan }
  }
  /** The message of the page after a saved form */
  const said = async (saved: HttpResponse, who = cookie) => {
    const session = saved.headers.getSetCookie().map((line) => line.split(';')[0])
    const { text } = await get('/admin/Dossier/', {
      headers: { cookie: [who, ...session].join('; ') },
    })
    return textOf(/<p class="flash-message"[^>]*>(.*?)<\/p>/s.exec(text)?.[1] ?? '').trim()
  }

  test("[R15] changes of different fields are merged and saved, and the next page lists the other user's changes", async ({
    assert,
  }) => {
    const form = await open()
    await mary({ title: 'Hers' })
    const saved = await save({ ...form, pages: '7' })
    assert.equal(saved.status, 303)
    assert.containSubset(await stored(), { title: 'Hers', pages: 7 })
    assert.equal(
      await said(saved),
      'Dossier Hers updated mary changed Title in the meantime; that change is preserved.'
    )
  }).tags(['@database'])

  test('[R15, R9] the other editor is named to users who can see the record, and is “another user” without an event', async ({
    assert,
  }) => {
    const form = await open(marys)
    await save({ title: 'Hers' })
    const saved = await save({ ...form, pages: '7' }, marys)
    assert.include(
      await said(saved, marys),
      'jo changed Title in the meantime; that change is preserved.'
    )

    const again = await open()
    await Dossier.query().where('id', dossier.id).update({ title: 'By SQL', stage: 4 })
    const merged = await save({ ...again, pages: '8' })
    assert.include(
      await said(merged),
      'Another user changed Title, Stage in the meantime; those changes are preserved.'
    )
    assert.containSubset(await stored(), { title: 'By SQL', pages: 8, stage: 4 })
  }).tags(['@database'])

  test('[R15] the editor who changed a field is named, however many changes followed', async ({
    assert,
  }) => {
    const form = await open()
    await mary({ title: 'Hers' })
    for (let turn = 0; turn < 26; turn++) await mary({ note: `Note ${turn}` })
    const saved = await save({ ...form, pages: '7' })
    assert.include(await said(saved), 'mary changed Title')
  })

  test('[R15] a change by the same user is described as made in another window', async ({
    assert,
  }) => {
    const form = await open()
    await save({ title: 'Before' })
    const saved = await save({ ...form, pages: '7' })
    assert.include(
      await said(saved),
      'You changed Title in another window in the meantime; that change is preserved.'
    )
  })

  test('[R15] only fields that both users changed differently require a choice between three versions', async ({
    assert,
  }) => {
    const form = await open()
    await mary({ title: 'Hers', pages: '9', due: '2026-03-01T10:00' })
    const page = await save({ ...form, title: 'His', pages: '9', data: '{"a":1}' })
    assert.equal(page.status, 409)
    assert.deepEqual(requestedOn(page), ['title'])
    const text = textOf(page.text).replaceAll('&quot;', '"')
    assert.include(text, 'Title When you opened it Old The version of mary Hers Your version')
    assert.match(text, /Due changed by mary – Empty 1 Mar 2026, 10:00/)
    assert.match(text, /Data your change – Empty { "a": 1 }/)
    assert.notMatch(text, /Pages (?:changed|your)/)
    assert.containSubset(await stored(), { title: 'Hers', pages: 9 })
  })

  test('[R15] the user can choose the value of the other user, their own or a third one', async ({
    assert,
  }) => {
    const choose = async (take: string, title: string) => {
      await Dossier.query().where('id', dossier.id).update({ title: 'Old', pages: 5 })
      const form = await open()
      await mary({ title: 'Hers' })
      const page = await save({ ...form, title: 'His', pages: '7' })
      const { values } = formOf(page.text)
      const saved = await save({ ...values, title, '_take.title': take })
      assert.equal(saved.status, 303)
      return await stored()
    }
    assert.containSubset(await choose('theirs', 'His'), { title: 'Hers', pages: 7 })
    assert.containSubset(await choose('mine', 'His'), { title: 'His', pages: 7 })
    assert.containSubset(await choose('mine', 'Ours'), { title: 'Ours', pages: 7 })
  })

  test('[R15] the conflict page can be submitted with choices and without the other fields', async ({
    assert,
  }) => {
    const { _version: version, _opened: opened } = await open()
    await mary({ title: 'Hers' })
    const page = await save({ title: 'His', _version: version, _opened: opened })
    assert.equal(page.status, 409)
    const { values } = formOf(page.text)
    const saved = await save({
      '_version': values._version,
      '_opened': values._opened,
      'title': 'His',
      '_take.title': 'theirs',
    })
    assert.equal(saved.status, 303)
    assert.equal(await its(stored(), 'title'), 'Hers')
  })

  test("[R15] if the other value changes again, choosing one's own value asks again, and choosing the other saves it", async ({
    assert,
  }) => {
    const form = await open()
    await mary({ title: 'Hers' })
    const page = await save({ ...form, title: 'His', pages: '7' })
    const { values } = formOf(page.text)
    await mary({ title: 'Hers again' })
    const again = await save({ ...values, '_take.title': 'mine' })
    assert.equal(again.status, 409)
    assert.deepEqual(requestedOn(again), ['title'])

    const taken = await save({ ...values, '_take.title': 'theirs' })
    assert.equal(taken.status, 303)
    assert.containSubset(await stored(), { title: 'Hers again', pages: 7 })
    assert.include(
      await said(taken),
      'mary changed Title in the meantime; that change is preserved.'
    )
  })

  test('[R15] the form’s snapshot contains only visible fields, and is valid only for its user, record and version', async ({
    assert,
  }) => {
    const form = await open()
    const purpose = `opened ${jo.id} Dossier/${dossier.id} ${form._version}`
    const json = encryption.decrypt<string>(form._opened, purpose)!
    assert.include(json, 'Old')
    assert.notInclude(json, '1234')
    assert.notInclude(json, 'pin')

    const other = await Dossier.create({ title: 'Secret', isOpen: true })
    const theirs = formOf(
      await its(get(`/admin/Dossier/update/${other.id}`, { headers: { cookie } }), 'text')
    ).values
    const maryForm = await open(marys)
    await mary({ title: 'Hers' })
    const forged = [
      'x',
      'x'.repeat(100_000),
      theirs._opened,
      maryForm._opened,
      await its(open(), '_opened'),
      '',
    ]
    for (const sealed of forged) {
      const page = await save({ ...form, pages: '7', _opened: sealed })
      assert.equal(page.status, 409)
      assert.deepEqual(requestedOn(page), ['title', 'pages'])
      assert.notInclude(page.text, 'Secret')
    }
    assert.containSubset(await stored(), { title: 'Hers', pages: 5 })
  })

  test('[R15] long values are compared by a digest and sent to the browser only once', async ({
    assert,
  }) => {
    await dossier.merge({ title: `${LONG}\r\nend` }).save()
    const form = await open()
    assert.isBelow(form._opened.length, 3000)
    await mary({ pages: '9' })
    const { status } = await save({ ...form, note: '', is_open: 'true' })
    assert.equal(status, 303)
    assert.containSubset(await stored(), { title: `${LONG}\r\nend`, pages: 9, isOpen: true })

    const later = await open()
    await mary({ title: 'Hers' })
    const page = await save({ ...later, title: `${LONG} mine` })
    assert.deepEqual(requestedOn(page), ['title'])
    assert.notInclude(textOf(page.text), 'When you opened it word')
  })

  test('[R15] a cleared field counts as a change', async ({ assert }) => {
    const form = await open()
    await mary({ title: 'Hers' })
    await save({ ...form, pages__clear: '1' })
    assert.containSubset(await stored(), { title: 'Hers', pages: null })

    const later = await open()
    await mary({ pages: '3' })
    assert.equal(await its(save({ ...later, title: 'His' }), 'status'), 303)
    assert.containSubset(await stored(), { title: 'His', pages: 3 })
  })

  test('[R15] an error in the merged form preserves the merge', async ({ assert }) => {
    const form = await open()
    await mary({ title: 'Hers' })
    const page = await save({ ...form, pages: '7.5', data: '{' })
    assert.equal(page.status, 400)
    const { values } = formOf(page.text)
    assert.equal(values._opened, form._opened)
    const saved = await save({ ...values, data: '{}', pages: '7' })
    assert.equal(saved.status, 303)
    assert.containSubset(await stored(), { title: 'Hers', pages: 7 })
  })

  test('[R15, B17] a file is stored with the changes of others, and must be selected again after a conflict', async ({
    assert,
  }) => {
    const send = async (values: Values, file: string, who = cookie) => {
      const body = new FormData()
      for (const [name, value] of Object.entries(values)) body.set(name, value)
      body.set('scan', new File([PNG], file))
      const request = new Request('http://localhost', { method: 'POST', body })
      return await call('POST', at('form_update'), {
        body: new Uint8Array(await request.arrayBuffer()),
        headers: { 'cookie': who, 'content-type': request.headers.get('content-type')! },
      })
    }
    const first = await open()
    await mary({ title: 'Hers' })
    const saved = await send(first, 'one.png')
    assert.equal(saved.status, 303)
    const { title, scan } = await stored()
    assert.equal(title, 'Hers')
    const file = await get(`/admin/Dossier/files/${scan}`, { headers: { cookie } })
    assert.equal(file.status, 200)

    const form = await open()
    await send({}, 'hers.png', marys)
    const hers = await its(stored(), 'scan')
    const page = await send(form, 'his.png')
    assert.equal(page.status, 409)
    assert.deepEqual(requestedOn(page), ['scan'])
    assert.include(textOf(page.text), 'Not restored from your input: Scan.')
    assert.include(textOf(page.text), 'Your version his.png')
    const { values } = formOf(page.text)
    const without = await save({ ...values, '_take.scan': 'mine' })
    assert.equal(without.status, 400)
    assert.include(textOf(without.text), 'Choose the file again, or take the one of the record.')
    assert.equal(await its(save({ ...values, '_take.scan': 'theirs' }), 'status'), 303)
    assert.equal(await its(stored(), 'scan'), hers)
    assert.equal(await its(send(values, 'his.png'), 'status'), 303)
    assert.notEqual(await its(stored(), 'scan'), hers)
    const gone = await get(`/admin/Dossier/files/${hers}`, { headers: { cookie } })
    assert.equal(gone.status, 404)
  })

  test('[R15, U4] a field that the user cannot see is not shown or overwritten', async ({
    assert,
    cleanup,
  }) => {
    cleanup(restoreRoles)
    await makeRole('Clerk', {
      Dossier: { actions: ['view', 'update'], hidden: ['title', 'stage'] },
    })
    const user = await makeUser('clerk', { isSuperuser: false })
    await giveRoles(user, ['Clerk'])
    const clerk = await cookiesOf(user)
    const form = await open(clerk)
    assert.notProperty(form, 'title')
    await mary({ title: 'Hers', is_open: 'true' })
    await Dossier.query().where('id', dossier.id).update({ stage: 77 })
    const saved = await save({ ...form, pages: '7' }, clerk)
    assert.equal(saved.status, 303)
    const words = await said(saved, clerk)
    assert.include(words, 'mary changed Is open in the meantime')
    assert.notMatch(words, /Title|Stage/)
    assert.containSubset(await stored(), { title: 'Hers', pages: 7, stage: 77, isOpen: true })

    const later = await open(clerk)
    await mary({ title: 'Hers again', pages: '11' })
    const page = await save({ ...later, pages: '12' }, clerk)
    assert.deepEqual(requestedOn(page), ['pages'])
    assert.notInclude(page.text, 'Hers again')
  })

  test('[R15, R14] a choice is required if another user’s change removes a changed field from the form', async ({
    assert,
  }) => {
    await dossier.merge({ isOpen: true, note: 'Old' }).save()
    const form = await open()
    await mary({ is_open: 'false' })
    const page = await save({ ...form, note: 'His' })
    assert.deepEqual(requestedOn(page), ['is_open'])
    const { values } = formOf(page.text)
    await save({ ...values, 'is_open': 'true', '_take.is_open': 'mine' })
    assert.containSubset(await stored(), { isOpen: true, note: 'His' })
  })

  test('[R15] changes of fields without a column are merged, too', async ({ assert, cleanup }) => {
    cleanup(restoreRoles)
    await makeRole('Clerk', {})
    const user = await makeUser('kim', { isSuperuser: false })
    const path = `/admin/AdminUser/update/${user.id}`
    const form = formOf(await its(get(path, { headers: { cookie } }), 'text')).values
    await giveRoles(user, ['Everything', 'Clerk'])
    await user.merge({ attributes: { branch: 1 } as AdminUser['attributes'] }).save()
    const sent = new URLSearchParams({ ...form, username: 'kimberly' })
    sent.set('roles', String(await roleIdOf('Everything')))
    const saved = await sendForm(path.replace('update', 'form_update'), sent.toString(), { cookie })
    assert.equal(saved.status, 303)
    await user.refresh()
    assert.equal(user.username, 'kimberly')
    assert.equal(JSON.stringify(user.attributes), '{"branch":1}')
    assert.deepEqual(await rolesOfUser(user), ['Clerk', 'Everything'])
  })

  test('[R15] random concurrent changes result in the three-way merge', async ({ assert }) => {
    const value = {
      title: fc.constantFrom('a', 'b', 'c'),
      pages: fc.constantFrom('1', '2', '3'),
      is_open: fc.constantFrom('true', 'false'),
      data: fc.constantFrom('1', '[1]', '{"a":null}'),
    }
    const all = fc.record(value)
    const some = fc.record(value, { requiredKeys: [] })
    const run = async (base: Values, mine: Values, theirs: Values) => {
      const read = async () => {
        const { title, pages, isOpen, data } = await Dossier.findOrFail(dossier.id)
        const json = typeof data === 'string' ? data : JSON.stringify(data)
        return { title, pages: String(pages), is_open: String(Boolean(isOpen)), data: json }
      }
      await save(base)
      const form = await open()
      if (Object.keys(theirs).length > 0) await mary(theirs)
      const now: Values = { ...base, ...theirs }
      const wanted = { ...base, ...mine }
      const names = Object.keys(base)
      const requested = names.filter(
        (name) =>
          now[name] !== base[name] && wanted[name] !== base[name] && now[name] !== wanted[name]
      )
      const response = await save({ ...form, ...mine })
      assert.equal(response.status, requested.length > 0 ? 409 : 303)
      assert.sameMembers(requestedOn(response), requested)
      const merged = Object.fromEntries(
        names.map((name) => [name, now[name] === base[name] ? wanted[name] : now[name]])
      )
      if (requested.length === 0) return assert.deepEqual(await read(), merged as any)
      assert.deepEqual(await read(), now as any)
      const { values } = formOf(response.text)
      await save(values)
      const chosen = requested.map((name) => [name, wanted[name]])
      assert.deepEqual(await read(), { ...merged, ...Object.fromEntries(chosen) })
    }
    await fc.assert(fc.asyncProperty(all, some, some, run), { numRuns: runs(60) })
  })
    .tags(['@database'])
    .timeout(60_000)
})
