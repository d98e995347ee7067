import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { Genre, Recording, Studio } from '#tests/fixtures/references'
import { Camel, Caravan, Oasis } from '#tests/fixtures/inlines'
import { formOf } from '#tests/helpers/forms'
import { get } from '#tests/helpers/http'
import { makeRole, restoreRoles } from '#tests/helpers/roles'

const STUDIO = 'studio_id@Recording.studio_id'

test.group('Admin | creating the record of a reference in a dialog', (group) => {
  let jo: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const model of [Recording, Studio, Genre]) await model.query().delete()
    jo = await cookiesOf(await makeUser('jo'))
    return () => restoreRoles()
  })

  const open = (path: string, cookie = jo, headers = {}) =>
    get(path, { headers: { accept: 'text/html', cookie, ...headers } })
  const textOf = async (...requested: Parameters<typeof open>): Promise<string> => {
    const { text } = await open(...requested)
    return text
  }
  const send = (path: string, fields: Record<string, string>, cookie = jo, headers = {}) =>
    sendForm(path, fields, { cookie, ...headers })

  /** Presses *New studio…* in the form of a recording, and returns the address of the page that follows. */
  async function press(path = '/admin/Recording/form_create', more: Record<string, string> = {}) {
    const done = await send(path, { title: 'Help!', genre_code: 'pop', ...more, __new: STUDIO })
    return { status: done.status, place: done.headers.get('location')! }
  }

  test('[R5] the field of a reference has the link New in both forms, for users who can create the record', async ({
    assert,
  }) => {
    const recording = await Recording.create({ title: 'Help!' })
    for (const path of ['create_page', `update/${recording.id}`]) {
      const { text } = await open(`/admin/Recording/${path}`)
      assert.match(text, /name="__new" value="studio_id@Recording.studio_id" formnovalidate/)
      assert.include(text, 'New studio…')
      /* Enter in a field presses the form's first button. */
      const [first] = /<button[^>]*>/.exec(/<form id="record-form".*?<\/form>/s.exec(text)![0])!
      assert.notInclude(first, '__new')
    }
    const role = {
      Recording: { actions: ['view', 'create'] },
      Studio: { actions: ['view'] },
      Genre: { actions: ['view', 'create'] },
    }
    await makeRole('Clerk', role)
    const clerk = await cookiesOf(await makeUser('kim', { isSuperuser: false, roles: ['Clerk'] }))
    const { text } = await open('/admin/Recording/create_page', clerk)
    assert.include(text, 'genre_code@Recording.genre_code')
    assert.notInclude(text, '@Recording.studio_id')
    const refused = await send(
      '/admin/Recording/form_create',
      { title: 'Help!', __new: STUDIO },
      clerk
    )
    assert.equal(refused.status, 422)
    assert.include(refused.text, 'You do not have permission to create a record here.')
    assert.include(refused.text, 'value="Help!"')
    assert.lengthOf(await Recording.query(), 1)
  })

  test('[R5] without JavaScript the form returns with the new record selected and all input preserved', async ({
    assert,
  }) => {
    await Genre.create({ code: 'pop' })
    const { status, place } = await press()
    assert.equal(status, 303)
    assert.match(place, /^\/admin\/Studio\/create_page\?_for=[\w-]{32}$/)
    assert.lengthOf(await Recording.query(), 0)

    const other = formOf(await textOf(place))
    assert.notInclude(other.action, 'Help')
    const invalid = await send(other.action, {})
    assert.equal(invalid.status, 422)
    const done = await send(formOf(invalid.text).action, { name: 'Abbey Road' })
    assert.equal(done.status, 303)
    const back = done.headers.get('location')!
    assert.match(back, /^\/admin\/Recording\/create_page\?_kept=[\w-]{32}$/)

    const { text } = await open(back)
    const studio = await Studio.findByOrFail('name', 'Abbey Road')
    const { values, action } = formOf(text)
    assert.equal(values.title, 'Help!')
    assert.equal(values.genre_code, 'pop')
    assert.equal(values.studio_id, String(studio.id))
    assert.include(text, 'Abbey Road was created and is chosen.')
    const saved = await send(action, values)
    assert.equal(saved.status, 303)
    const { studioId } = await Recording.findByOrFail('title', 'Help!')
    assert.equal(studioId, studio.id)
    /* The stored form is deleted once the form is saved. */
    assert.lengthOf(await db.from('admin_kept_forms'), 0)
  })

  test('[R5] New supports references by another column and update forms, and preserves the return path', async ({
    assert,
  }) => {
    const recording = await Recording.create({ title: 'Help!' })
    const path = `/admin/Recording/form_update/${recording.id}?list=q%3Dhelp`
    const done = await send(path, {
      title: 'Help me',
      _version: 'old',
      __new: 'genre_code@Recording.genre_code',
    })
    const place = done.headers.get('location')!
    const made = await send(place.replace('create_page', 'form_create'), { code: 'rock' })
    const back = made.headers.get('location')!
    assert.match(
      back,
      new RegExp(`^/admin/Recording/update/${recording.id}\\?list=q%3Dhelp&_kept=`)
    )
    const { values } = formOf(await textOf(back))
    assert.equal(values.genre_code, 'rock')
    assert.equal(values.title, 'Help me')
    assert.equal(values._version, 'old')
    await recording.refresh()
    assert.equal(recording.title, 'Help!')
  })

  test('[R5] Cancel returns to the form with its input, which is not shown to other users or in other forms', async ({
    assert,
  }) => {
    const { place } = await press()
    const { text } = await open(place)
    const [, back] = /class="back-link" href="([^"]*)"/.exec(text)!
    assert.match(back, /^\/admin\/Recording\/create_page\?_kept=/)
    assert.include(await textOf(back), 'value="Help!"')
    assert.include(await textOf(back), 'Your input is restored.')

    const eve = await cookiesOf(await makeUser('eve'))
    assert.notInclude(await textOf(back, eve), 'Help!')
    assert.notInclude(await textOf(back.replace('Recording', 'Studio')), 'Help!')
    const made = await send(place.replace('create_page', 'form_create'), { name: 'Hansa' }, eve)
    assert.equal(made.headers.get('location'), '/admin/Studio/')
    assert.notInclude(await textOf(back), 'Hansa was created')
    const [{ content }] = await db.from('admin_kept_forms')
    assert.notInclude(content, 'Help')
  })

  test('[R5] input that is too long to be stored is reported, and stays in the form', async ({
    assert,
  }) => {
    const long = await send('/admin/Recording/form_create', {
      title: 'x'.repeat(70_000),
      __new: STUDIO,
    })
    assert.equal(long.status, 422)
    assert.include(long.text, 'This form has too much input to be stored.')
    assert.include(long.text, 'x'.repeat(70_000))
    for (const requested of [
      '',
      'studio_id',
      'a@Nobody.b',
      'title@Recording.title',
      STUDIO + '.x',
    ]) {
      const { status, text } = await send('/admin/Recording/form_create', {
        title: 'Help!',
        __new: requested,
      })
      assert.equal(status, 422, requested)
      assert.include(text, 'value="Help!"')
    }
    for (let count = 0; count < 12; count++) await press()
    assert.lengthOf(await db.from('admin_kept_forms'), 10)
  })

  test('[R5] with JavaScript, the dialog receives only the form, its errors, and the new record as an option', async ({
    assert,
  }) => {
    const address = '/admin/Studio/create_page?_beside=Recording.studio_id'
    const { text } = await open(address, jo, { 'hx-request': 'true' })
    assert.match(text, /^<div class="new-reference"/m)
    assert.notInclude(text, '<html')
    assert.notInclude(text, '__new')
    const [, action] = /action="([^"]*)"/.exec(text)!
    assert.equal(action, '/admin/Studio/form_create?_beside=Recording.studio_id')
    const invalid = await send(action, {}, jo, { 'hx-request': 'true' })
    assert.equal(invalid.status, 422)
    assert.match(invalid.text, /^<div class="new-reference"/m)
    assert.include(invalid.text, 'Name is required')

    const done = await send(action, { name: 'Hansa' }, jo, { 'hx-request': 'true' })
    const studio = await Studio.findByOrFail('name', 'Hansa')
    assert.deepEqual(done.body, {
      message: 'Studio Hansa created',
      value: String(studio.id),
      label: 'Hansa',
    })
    assert.isNull(done.headers.get('set-cookie'))
    /* A reference to another model is not served by it. */
    const wrong = await send(action.replace('studio_id', 'genre_code'), { name: 'Sun' })
    assert.isNull(wrong.body.value)
  })

  test('[R5, R2] the field of a reference in a row has New too, and the input of all rows is preserved', async ({
    assert,
  }) => {
    for (const model of [Camel, Caravan, Oasis]) await model.query().delete()
    const requested = 'camels.0.oasis_id@Camel.oasis_id'
    assert.include(await textOf('/admin/Caravan/create_page'), `value="${requested}"`)
    const fields = { 'name': 'Silk', 'camels.0.name': 'Asra', 'camels.1.name': 'Basim' }
    const left = await send('/admin/Caravan/form_create', { ...fields, __new: requested })
    const other = formOf(await textOf(left.headers.get('location')!))
    const made = await send(other.action, { name: 'Siwa' })
    const { values } = formOf(await textOf(made.headers.get('location')!))
    const { id } = await Oasis.findByOrFail('name', 'Siwa')
    assert.containSubset(values, { ...fields, 'camels.0.oasis_id': String(id) })
    assert.isEmpty(await Caravan.all())
  })
})
