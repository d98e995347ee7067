import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'
import type { AdminUser } from '#admin'
import {
  adminSite,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { withIntegration } from '#tests/helpers/events'
import { formOf } from '#tests/helpers/forms'
import { get, type HttpResponse } from '#tests/helpers/http'
import { its } from '#tests/helpers/its'
import {
  Folder,
  Machine,
  Maker,
  Restamped,
  Review,
  Ruled,
  Shelfmark,
  Stamped,
  Unstamped,
  WideForm,
} from '#tests/fixtures/forms'

const LONG_AGO = DateTime.utc(2001, 2, 3, 4, 5, 6)

test.group('Admin | update', (group) => {
  let jo: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const model of [Machine, Maker, Folder, Review, Ruled, Shelfmark, Stamped, WideForm]) {
      await model.query().delete()
    }
    jo = await makeUser('jo')
    cookie = await cookiesOf(jo)
  })

  const open = (path: string) => get(`/admin/${path}`, { headers: { cookie } })
  const send = (
    path: string,
    fields: Record<string, string> | string,
    headers: Record<string, string> = {}
  ): Promise<HttpResponse> => sendForm(`/admin/${path}`, fields, { cookie, ...headers })

  async function machine(values: Partial<Record<keyof Machine, unknown>> = {}) {
    const { id } = await Machine.create({
      name: 'Loom',
      nickname: 'Jacquard',
      notes: 'Weaves',
      amount: 3,
      active: true,
      data: JSON.stringify({ a: 1 }),
      tags: JSON.stringify(['x', 'y']),
      colours: JSON.stringify(['red']),
      status: 'sent',
      secret: 'hush',
      ...values,
    } as Partial<Machine>)
    return {
      page: () => open(`Machine/update/${id}`),
      send: (fields: Record<string, string> | string, headers?: Record<string, string>) =>
        send(`Machine/form_update/${id}`, fields, headers),
      stored: () => Machine.findOrFail(id),
      id,
    }
  }

  test('[S49] the update form shows the values of the record', async ({ assert }) => {
    const maker = await Maker.create({ name: 'ACME' })
    const loom = await machine({
      ratio: 1.5,
      approved: false,
      day: DateTime.utc(2024, 2, 29),
      moment: DateTime.utc(2024, 2, 29, 12, 30, 15),
      plainMoment: '2024-02-29 12:30:00',
      clock: '08:15:00',
      level: 2,
      makerId: maker.id,
    })
    const { status, text } = await loom.page()
    const { values, action } = formOf(text)
    assert.equal(status, 200)
    assert.equal(action, `/admin/Machine/form_update/${loom.id}`)
    assert.deepInclude(values, {
      name: 'Loom',
      nickname: 'Jacquard',
      notes: 'Weaves',
      amount: '3',
      ratio: '1.5',
      active: 'true',
      approved: 'false',
      day: '2024-02-29',
      moment: '2024-02-29T12:30:15',
      plain_moment: '2024-02-29T12:30:00',
      clock: '08:15:00',
      data: '{\n  "a": 1\n}',
      tags: 'x\ny',
      colours: 'red',
      status: 'sent',
      level: '2',
      maker_id: String(maker.id),
    })
    assert.isNotEmpty(values._version)
    assert.include(text, '<h1 dir="auto">Loom</h1>')
  })

  test('[S49, A8] hidden columns and passwords are not shown in the form', async ({ assert }) => {
    const loom = await machine()
    const { text } = await loom.page()
    const { values } = formOf(text)
    assert.equal(values.secret, '')
    assert.equal(values.password, '')
    assert.notInclude(text, 'hush')
  })

  test('[S49] values that the user can see but not change are shown next to the form', async ({
    assert,
  }) => {
    const loom = await machine()
    const { text } = await loom.page()
    const facts = [...text.matchAll(/<dt>(.*?)<\/dt>/g)].map(([, label]) => label)
    assert.deepEqual(facts, ['ID', 'Created at', 'Updated at'])
    assert.match(
      text,
      new RegExp(
        `action="/admin/Machine/form_bulk_delete"[^>]*>\\s*<input type="hidden" name="ids" value="${loom.id}">`
      )
    )
    assert.include(text, 'href="/admin/Machine/"')
  })

  test('[S49, B21] the page of a missing record or an invalid key is a 404 with a message', async ({
    assert,
  }) => {
    const gone = await Ruled.create({ title: 'x', isDeleted: true })
    for (const [path, id] of [
      ['Machine', '999'],
      ['Machine', 'abc'],
      ['Machine', '1.5'],
      ['Folder', 'a b'],
      ['Ruled', String(gone.id)],
    ]) {
      const { status, body } = await open(`${path}/update/${encodeURIComponent(id)}`)
      assert.equal(status, 404)
      assert.deepEqual(body, { message: `Item with id ${id} not found` })
    }
  })

  test('[S41, B21] a submission for a missing record is a 404, and one without an id a 422', async ({
    assert,
  }) => {
    for (const id of ['999', 'abc', '1e3']) {
      const { status, body } = await send(`Machine/form_update/${id}`, { name: 'x' })
      assert.equal(status, 404)
      assert.deepEqual(body, { message: `Item with id ${id} not found` })
    }
    for (const path of ['Machine/form_update', 'Machine/form_update/']) {
      const { status, body } = await send(path, { name: 'x' })
      assert.equal(status, 422)
      assert.deepEqual(body, { message: 'No id parameter provided' })
    }
  })

  test('[S41] a record that is deleted between reading and writing is a 404: {$self}')
    .with(['with its version', 'without'])
    .run(async ({ assert, cleanup }, sent) => {
      const loom = await machine()
      const { values } = formOf(await its(loom.page(), 'text'))
      const site = await adminSite()
      const { crud } = site.models.get('Machine')!
      const { find } = crud
      cleanup(() => void delete (crud as Partial<typeof crud>).find)
      crud.find = async (...args) => {
        const record = await find.apply(crud, args)
        await Machine.query().delete()
        return record
      }
      const version = sent === 'without' ? '' : values._version
      const { status, body } = await loom.send({ name: 'Mill', _version: version })
      assert.equal(status, 404)
      assert.deepEqual(body, { message: `Item with id ${loom.id} not found` })
      assert.lengthOf(await Machine.all(), 0)
    })

  test('[R9] every user who can see the record gets a link from the form to its history', async ({
    assert,
  }) => {
    const loom = await machine()
    const history = `/admin/Machine/history/${loom.id}`
    assert.include(await its(loom.page(), 'text'), `href="${history}"`)
    assert.equal(await its(open(history.slice('/admin/'.length)), 'status'), 200)

    cookie = await cookiesOf(await makeUser('al', { isSuperuser: false }))
    assert.include(await its(loom.page(), 'text'), `href="${history}"`)
    assert.equal(await its(open(history.slice('/admin/'.length)), 'status'), 200)
    const previous = await open(`management/events/record/Machine/${loom.id}?page=2`)
    assert.equal(previous.status, 302)
    assert.equal(previous.headers.get('location'), `${history}?page=2`)
  })

  test('[E2, E5] the link to the history is shown only if the event log can be read', async ({
    assert,
    cleanup,
  }) => {
    const loom = await machine()
    for (const integration of [undefined, { log: async () => {} }]) {
      cleanup(await withIntegration(integration))
      const { status, text } = await loom.page()
      assert.equal(status, 200)
      assert.notMatch(text, /management\/events|\/history\//)
      assert.equal(await its(open(`Machine/history/${loom.id}`), 'status'), 404)
    }
  })

  test('[S26, B14] without the update action the form does not exist, and submissions are refused', async ({
    assert,
  }) => {
    const { id } = await Maker.create({ name: 'ACME' })
    for (const model of ['ShownMaker', 'MadeMaker']) {
      assert.equal(await its(open(`${model}/update/${id}`), 'status'), 404)
      assert.equal(await its(send(`${model}/form_update/${id}`, { name: 'x' }), 'status'), 404)
      assert.equal(await its(send(`${model}/form_update`, { name: 'x' }), 'status'), 404)
    }
    assert.equal(await its(Maker.findOrFail(id), 'name'), 'ACME')
  })

  test('[S42] an update writes only the submitted values, and trims them', async ({ assert }) => {
    const loom = await machine()
    const { status } = await loom.send({ name: '  Mill ', nickname: '', notes: '   ' })
    const stored = await loom.stored()
    assert.equal(status, 303)
    assert.equal(stored.name, 'Mill')
    assert.equal(stored.nickname, 'Jacquard')
    assert.equal(stored.notes, 'Weaves')
    assert.equal(stored.amount, 3)
    assert.equal(stored.secret, 'hush')
  })

  test('[S42] a file sent for a field other than a file field is ignored', async ({ assert }) => {
    const loom = await machine()
    const boundary = 'limit'
    const body = [
      `--${boundary}`,
      'content-disposition: form-data; name="nickname"; filename="a.txt"',
      'content-type: text/plain',
      '',
      'x',
      `--${boundary}`,
      'content-disposition: form-data; name="notes"',
      '',
      ' Spins\r\nwell ',
      `--${boundary}--`,
      '',
    ].join('\r\n')
    const { status } = await loom.send(body, {
      'content-type': `multipart/form-data; boundary=${boundary}`,
    })
    const stored = await loom.stored()
    assert.equal(status, 303)
    assert.equal(stored.nickname, 'Jacquard')
    assert.equal(stored.notes, 'Spins\nwell')
  })

  test('[B17] the checkbox “clear” sets a nullable field to null, whatever its input', async ({
    assert,
  }) => {
    const loom = await machine()
    const alone = await loom.send({ nickname__clear: '1' })
    assert.equal(alone.status, 303)
    assert.isNull(await its(loom.stored(), 'nickname'))

    await loom.send({ notes: 'typed', notes__clear: '1', data__clear: '1', tags__clear: '1' })
    const stored = await loom.stored()
    assert.isNull(stored.notes)
    assert.isNull(stored.data)
    assert.isNull(stored.tags)
  })

  test('[B17] other values of the checkbox “clear”, and checkboxes of other fields, clear nothing', async ({
    assert,
  }) => {
    const loom = await machine()
    for (const [name, value] of [
      ['nickname__clear', 'true'],
      ['nickname__clear', '0'],
      ['name__clear', '1'],
      ['status__clear', '1'],
      ['id__clear', '1'],
      ['unknown__clear', '1'],
    ]) {
      assert.equal(await its(loom.send({ [name]: value }), 'status'), 400, name)
    }
    const stored = await loom.stored()
    assert.equal(stored.nickname, 'Jacquard')
    assert.equal(stored.name, 'Loom')
  })

  test('[B17] the checkbox “clear” of a required field is ignored: {$self}')
    .with(['amount', 'active', 'status'] as const)
    .run(async ({ assert }, field) => {
      const loom = await machine()
      const { status } = await loom.send({ [`${field}__clear`]: '1', name: 'Mill' })
      const stored = await loom.stored()
      assert.equal(status, 303)
      assert.equal(stored.name, 'Mill')
      assert.equal(stored[field], { amount: 3, active: true, status: 'sent' }[field])
    })

  test('[B17] clearing a list that can’t be null stores an empty list', async ({ assert }) => {
    const loom = await machine()
    assert.equal(await its(loom.send({ colours__clear: '1' }), 'status'), 303)
    assert.equal(await its(loom.stored(), 'colours'), '[]')
  })

  test('[B17] a form can set a boolean to false', async ({ assert }) => {
    const loom = await machine()
    assert.equal(await its(loom.send('active=false'), 'status'), 303)
    assert.isNotOk(await its(loom.stored(), 'active'))
    await loom.send('active=false&active=true')
    assert.isOk(await its(loom.stored(), 'active'))
  })

  test('[S43, B19] a submission without values is a 400, and nothing is written', async ({
    assert,
  }) => {
    const loom = await machine({ updatedAt: LONG_AGO })
    const { values } = formOf(await its(loom.page(), 'text'))
    for (const fields of [
      {},
      { name: '', nickname: '  ' },
      { unknown: 'x', id: '7' },
      { _version: values._version },
    ] as Array<Record<string, string>>) {
      const { status, text } = await loom.send(fields)
      const form = formOf(text)
      assert.equal(status, 400)
      assert.equal(form.error, 'No changes were provided for update')
      assert.equal(form.values.nickname, fields.nickname ?? 'Jacquard')
    }
    assert.equal(+(await its(loom.stored(), 'updatedAt'))!, +LONG_AGO)
  })

  test('[B19] a form with only a value that equals the stored one is accepted, and sets the update time', async ({
    assert,
  }) => {
    const loom = await machine({ updatedAt: LONG_AGO })
    assert.equal(await its(loom.send({ name: 'Loom' }), 'status'), 303)
    assert.isAbove(+(await its(loom.stored(), 'updatedAt'))!, +LONG_AGO)
  })

  test('[S44] the form sets updated_at to the current time if the internal schema names that column', async ({
    assert,
  }) => {
    const before = DateTime.utc().startOf('second')
    const { id } = await Stamped.create({ title: 'a', updatedAt: LONG_AGO, touchedAt: LONG_AGO })
    assert.equal(await its(send(`Stamped/form_update/${id}`, { title: 'b' }), 'status'), 303)
    const stamped = await Stamped.findOrFail(id)
    assert.isAtLeast(+stamped.updatedAt!, +before)
    assert.equal(stamped.updatedAt!.zoneName, 'UTC')

    /* Without the internal schema, only the configured column is set. */
    const other = await Unstamped.create({ title: 'a', updatedAt: LONG_AGO, touchedAt: LONG_AGO })
    await send(`Unstamped/form_update/${other.id}`, { title: 'b' })
    const unstamped = await Unstamped.findOrFail(other.id)
    assert.equal(+unstamped.updatedAt!, +LONG_AGO)
    assert.isAtLeast(+unstamped.touchedAt!, +before)
  })

  test('[S44] the form does not change other columns that the internal schema names', async ({
    assert,
  }) => {
    const { id } = await Restamped.create({ title: 'a', touchedAt: LONG_AGO })
    assert.equal(await its(send(`Restamped/form_update/${id}`, { title: 'b' }), 'status'), 303)
    const stored = await Restamped.findOrFail(id)
    assert.equal(stored.title, 'b')
    assert.equal(+stored.touchedAt!, +LONG_AGO)
  })

  test('[S46, B18] a successful update redirects to the list, which shows a message', async ({
    assert,
  }) => {
    const loom = await machine()
    const plain = await loom.send({ name: 'Mill' })
    assert.equal(plain.status, 303)
    assert.equal(plain.headers.get('location'), '/admin/Machine/')
    const flash = plain.headers.getSetCookie().map((one) => one.split(';')[0])
    const next = await get('/admin/Machine/', {
      headers: { cookie: [cookie, ...flash].join('; ') },
    })
    assert.match(next.text, /Machine\s+<a [^>]*><bdi>[^<]+<\/bdi><\/a>\s+updated/)

    const htmx = await loom.send({ name: 'Lathe' }, { 'hx-request': 'true' })
    assert.equal(htmx.status, 303)
    assert.equal(htmx.headers.get('hx-redirect'), '/admin/Machine/')
    assert.isNull(htmx.headers.get('location'))
  })

  test('[S47] an update that fails validation is a 400 with the errors and the submitted or stored values', async ({
    assert,
  }) => {
    const loom = await machine()
    const { status, text } = await loom.send({
      name: 'L',
      amount: '9999',
      notes: 'typed',
      nickname__clear: '1',
      secret: 'whisper',
    })
    const form = formOf(text)
    assert.equal(status, 400)
    assert.equal(form.error, 'Please correct the errors below.')
    assert.sameMembers(Object.keys(form.errors), ['name', 'amount'])
    assert.equal(form.values.name, 'L')
    assert.equal(form.values.notes, 'typed')
    assert.equal(form.values.status, 'sent')
    assert.match(text, /name="nickname__clear" value="1"\s+checked/)
    assert.notInclude(text, 'whisper')
    assert.include(text, '<h1 dir="auto">Loom</h1>')
    assert.equal(await its(loom.stored(), 'notes'), 'Weaves')
  })

  test('[S47] any other failed update is a 400 with a message, without details of the driver', async ({
    assert,
  }) => {
    await machine({ nickname: 'Jo' })
    const loom = await machine()
    const duplicate = await loom.send({ nickname: 'Jo' })
    assert.equal(duplicate.status, 400)
    assert.equal(formOf(duplicate.text).error, 'Value Jo is already registered')
    assert.deepEqual(Object.keys(formOf(duplicate.text).errors), ['nickname'])

    const reference = await loom.send({ maker_id: '999' })
    assert.equal(reference.status, 400)
    assert.include(formOf(reference.text).error, 'does not exist')

    const hook = await loom.send({ name: 'Perpetuum mobile' })
    assert.equal(hook.status, 400)
    assert.equal(formOf(hook.text).error, 'Such a machine does not exist')
    assert.equal(await its(loom.stored(), 'name'), 'Loom')

    const driver = await loom.send({ name: 'Broken driver' })
    assert.equal(driver.status, 400)
    assert.notInclude(driver.text, 'vault')
  })

  test('[P14, S47] an update that the policy refuses is a 403 that shows the form', async ({
    assert,
  }) => {
    const sealed = await Ruled.create({ title: 'sealed' })
    assert.equal(await its(send(`Ruled/form_update/${sealed.id}`, { title: 'x' }), 'status'), 403)
    const free = await Ruled.create({ title: 'open' })
    const { status, text } = await send(`Ruled/form_update/${free.id}`, { title: 'sealed' })
    assert.equal(status, 403)
    assert.include(formOf(text).error, 'Your account does not have the permission')
    assert.equal(formOf(text).values.title, 'sealed')
    assert.equal(await its(Ruled.findOrFail(free.id), 'title'), 'open')
  })

  test('[B25] an update does not overwrite a record that has changed since the form was opened', async ({
    assert,
  }) => {
    const loom = await machine()
    const { values } = formOf(await its(loom.page(), 'text'))
    await loom.send({ notes: 'somebody else’s' })
    const late = await loom.send({ ...values, notes: 'mine' })
    assert.equal(late.status, 409)
    assert.include(late.text, 'mine')
    assert.equal(await its(loom.stored(), 'notes'), 'somebody else’s')

    const blind = await loom.send({ notes: 'mine' })
    assert.equal(blind.status, 303)
    assert.equal(await its(loom.stored(), 'notes'), 'mine')
  })

  test('[B25] the form after a failed submission contains the version with which it was first opened', async ({
    assert,
  }) => {
    const loom = await machine()
    const { values } = formOf(await its(loom.page(), 'text'))
    await loom.send({ notes: 'somebody else’s', name: 'Theirs' })
    const failed = formOf(await its(loom.send({ ...values, name: 'L' }), 'text'))
    assert.equal(failed.values._version, values._version)
    assert.equal(failed.values._opened, values._opened)
    assert.equal(await its(loom.send({ ...failed.values, name: 'Mill' }), 'status'), 409)
  })

  test('[S42] submitting an unchanged form changes nothing but the update time', async ({
    assert,
  }) => {
    const loom = await machine({
      notes: '\n  two\r\nlines \r\n',
      nickname: ' padded ',
      big: '9007199254740993',
      ratio: 0.1,
      data: '{ "a" : 1, "b": [ ] }',
      tags: '["x","a b"]',
      moment: DateTime.utc(2024, 2, 29, 12, 30, 15, 250),
      plainMoment: '2024-02-29 12:30:15.250',
      clock: '08:15:00',
      secret: ' keep ',
    })
    const row = () => db.from('form_machines').where('id', loom.id).first()
    const before = await row()
    const { values } = formOf(await its(loom.page(), 'text'))
    assert.equal(await its(loom.send(browsers(values)), 'status'), 303)
    assert.deepEqual({ ...(await row()), updated_at: null }, { ...before, updated_at: null })
  })

  test('[A7] an update never changes the key, and a schema that requires the key receives it', async ({
    assert,
  }) => {
    await Shelfmark.create({ room: 1, board: 'a/b', title: 'x' })
    await Shelfmark.create({ room: 1, board: 'c', title: 'y' })
    const path = 'update/1/a%2Fb'
    const { text } = await open(`Shelfmark/${path}`)
    assert.notProperty(formOf(text).values, 'room')
    const { status } = await send(`Shelfmark/form_${path}`, { title: 'z', room: '2', board: 'q' })
    assert.equal(status, 303)
    const all = await Shelfmark.query().orderBy('board')
    assert.deepEqual(
      all.map(({ room, board, title }) => [room, board, title]),
      [
        [1, 'a/b', 'z'],
        [1, 'c', 'y'],
      ]
    )
    const missing = await open('Shelfmark/update/1/zz')
    assert.deepEqual(missing.body, { message: 'Item with id 1, zz not found' })
  })

  test('[A9] a record whose key contains path characters can be updated', async ({ assert }) => {
    for (const path of ['a/b', 'a?b=1', '100%', 'a b', '%2F', 'é#"<>']) {
      await Folder.create({ path, title: 'old' })
      const encoded = encodeURIComponent(path)
      const { status, text } = await open(`Folder/update/${encoded}`)
      assert.equal(status, 200, path)
      const { action } = formOf(text)
      assert.equal(action, `/admin/Folder/form_update/${encoded}`)
      const response = await sendForm(action, { title: 'new' }, { cookie })
      assert.equal(response.status, 303, path)
      assert.equal(await its(Folder.findByOrFail('path', path), 'title'), 'new')
    }
  })

  test('[B17] a record with forty columns has forty fields', async ({ assert }) => {
    const { id } = await WideForm.create({})
    const { values } = formOf(await its(open(`WideForm/update/${id}`), 'text'))
    const { _version: version, _opened: opened, ...fields } = values
    assert.isNotEmpty(version)
    assert.isNotEmpty(opened)
    assert.lengthOf(Object.keys(fields), 40)
    const typed = Object.fromEntries(Object.keys(fields).map((name, index) => [name, `${index}`]))
    assert.equal(await its(send(`WideForm/form_update/${id}`, typed), 'status'), 303)
    const { values: after } = formOf(await its(open(`WideForm/update/${id}`), 'text'))
    assert.deepInclude(after, typed)
  })

  test('[B17] a custom widget formats and parses its value', async ({ assert }) => {
    const { id } = await Review.create({ text: 'Good', stars: 4 })
    const { values } = formOf(await its(open(`Review/update/${id}`), 'text'))
    assert.equal(values.stars, '★★★★')
    await send(`Review/form_update/${id}`, { stars: '★' })
    assert.equal(await its(Review.findOrFail(id), 'stars'), 1)
  })

  for (const text of [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '</textarea><script>alert(1)</script>',
    '{{ 7*7 }}',
    '" hx-get="/" x="',
    '\u202Eevil\u200F',
    '😀'.repeat(20),
  ]) {
    test(`[S49] a stored text is escaped: ${JSON.stringify(text)}`, async ({ assert }) => {
      const simple = await machine({ nickname: 'a' })
      const plain = formOf(await its(simple.page(), 'text'))
      const loom = await machine({ nickname: 'b', notes: text, email: text, status: 'sent' })
      await db.from('form_machines').where('id', loom.id).update({ name: text, website: text })
      const { status, text: html } = await loom.page()
      const form = formOf(html)
      assert.equal(status, 200)
      assert.equal(form.values.name, text)
      assert.equal(form.values.notes, text)
      assert.equal(form.values.email, text)
      assert.equal(form.hxAttributes, plain.hxAttributes)
      assert.deepEqual(form.handlers, [])
      assert.notMatch(html, /<script>|<img/)
    })
  }

  test('[S49] a text of 10,000 characters is complete in its field and truncated in the heading', async ({
    assert,
  }) => {
    const text = 'ä'.repeat(10_000)
    const loom = await machine({ notes: text })
    await db.from('form_machines').where('id', loom.id).update({ name: text })
    const page = await loom.page()
    assert.equal(formOf(page.text).values.name, text)
    assert.equal(formOf(page.text).values.notes, text)
    const [, heading] = /<h1[^>]*>(.*?)<\/h1>/s.exec(page.text)!
    assert.isBelow(heading.length, 200)
  })

  test('[A8] NUL bytes are refused in every field', async ({ assert }) => {
    const loom = await machine()
    for (const body of ['notes=a%00', 'data=%22%5Cu0000%22', 'tags=a%00b']) {
      assert.equal(await its(loom.send(body), 'status'), 400, body)
    }
    assert.equal(await its(loom.stored(), 'notes'), 'Weaves')
  })
})

/** Browsers send line breaks as two characters. */
function browsers(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value.replace(/\r?\n|\r/g, '\r\n')])
  )
}
