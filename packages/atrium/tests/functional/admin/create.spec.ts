import { test } from '@japa/runner'
import type { AdminUser } from '#admin'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { formOf } from '#tests/helpers/forms'
import { get, type HttpResponse } from '#tests/helpers/http'
import { its } from '#tests/helpers/its'
import { Folder, Machine, Maker, Parting, Review, Ruled, WideForm } from '#tests/fixtures/forms'

const REQUIRED = { name: 'Loom' }

test.group('Admin | create', (group) => {
  let jo: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const model of [Machine, Maker, Folder, Parting, Review, Ruled, WideForm]) {
      await model.query().delete()
    }
    jo = await makeUser('jo')
    cookie = await cookiesOf(jo)
  })

  const page = (model: string) => get(`/admin/${model}/create_page`, { headers: { cookie } })
  const send = (
    model: string,
    fields: Record<string, string> | string,
    headers: Record<string, string> = {}
  ): Promise<HttpResponse> =>
    sendForm(`/admin/${model}/form_create`, fields, { cookie, ...headers })
  const create = async (fields: Record<string, string> | string) => {
    const body = typeof fields === 'string' ? fields : { ...REQUIRED, ...fields }
    const response = await send('Machine', body)
    return { ...response, machine: await Machine.query().orderBy('id', 'desc').first() }
  }

  const made = async (response: ReturnType<typeof create>, name: 'active' | 'approved') => {
    const { machine } = await response
    return machine![name]
  }

  test('[S49] the form for a new record is blank, with the defaults of the table', async ({
    assert,
  }) => {
    const { status, text } = await page('Machine')
    const form = formOf(text)
    assert.equal(status, 200)
    assert.equal(form.action, '/admin/Machine/form_create')
    assert.equal(form.values.name, '')
    assert.equal(form.values.amount, '7')
    assert.equal(form.values.active, 'true')
    assert.equal(form.values.status, 'draft')
    assert.equal(form.values.approved, '')
    assert.notProperty(form.values, 'id')
    assert.notProperty(form.values, 'created_at')
    assert.notProperty(form.values, '_version')
  })

  test('[S49, U3] a blank form starts with the user’s defaults, which the query string overrides', async ({
    assert,
  }) => {
    const code = async (user: AdminUser, query = '') => {
      const { text } = await get(`/admin/Voided/create_page${query}`, {
        headers: { cookie: await cookiesOf(user) },
      })
      return formOf(text).values.code
    }
    const kim = await makeUser('kim')
    await kim.merge({ attributes: { code: 'north' } as never }).save()
    assert.equal(await code(kim), 'north')
    assert.equal(await code(kim, '?code=south'), 'south')
    assert.equal(await code(jo), '')
  })

  test('[S26, B14] without the create action the form does not exist, and submissions are refused', async ({
    assert,
  }) => {
    assert.equal(await its(page('ShownMaker'), 'status'), 404)
    assert.equal(await its(send('ShownMaker', { name: 'x' }), 'status'), 404)
    assert.lengthOf(await Maker.all(), 0)
    assert.equal(await its(page('MadeMaker'), 'status'), 200)
  })

  test('[S25] an anonymous request stores nothing', async ({ assert }) => {
    const { status } = await sendForm('/admin/Maker/form_create', { name: 'x' })
    assert.equal(status, 303)
    assert.lengthOf(await Maker.all(), 0)
  })

  test('[S36] a field with one value is stored with that value, an empty or missing one with its default', async ({
    assert,
  }) => {
    const { machine, status } = await create({
      name: ' Loom ',
      nickname: '',
      notes: 'a',
      amount: ' ',
    })
    assert.equal(status, 303)
    assert.equal(machine!.name, ' Loom ')
    assert.isNull(machine!.nickname)
    assert.equal(machine!.notes, 'a')
    assert.equal(machine!.amount, 7)
    assert.equal(machine!.status, 'draft')
  })

  test('[S36, B17] several values of a field are a list, and an array field is always a list', async ({
    assert,
  }) => {
    const several = await create('name=Loom&tags=x&tags=y&colours=red&colours=blue')
    assert.deepEqual(JSON.parse(several.machine!.tags), ['x', 'y'])
    assert.deepEqual(JSON.parse(several.machine!.colours), ['red', 'blue'])

    const one = await create('name=Mill&tags=x&colours=green')
    assert.deepEqual(JSON.parse(one.machine!.tags), ['x'])
    assert.deepEqual(JSON.parse(one.machine!.colours), ['green'])

    const lines = await create({ name: 'Lathe', tags: 'x\r\n\r\n y z \r\n' })
    assert.deepEqual(JSON.parse(lines.machine!.tags), ['x', ' y z '])

    const text = await send('Machine', 'name=Loom&name=Mill')
    assert.equal(text.status, 422)
    assert.property(formOf(text.text).errors, 'name')
  })

  test('[B17] a field can have more than twenty values', async ({ assert }) => {
    const tags = Array.from({ length: 30 }, (_, index) => `tag ${index}`)
    const body = new URLSearchParams({ name: 'Loom' })
    for (const tag of tags) body.append('tags', tag)
    const { machine } = await create(body.toString())
    assert.deepEqual(JSON.parse(machine!.tags), tags)
  })

  test('[B17] the last value of a boolean counts, so an unchecked box is false', async ({
    assert,
  }) => {
    assert.isNotOk(await made(create('name=Loom&active=false'), 'active'))
    assert.isOk(await made(create('name=Loom&active=false&active=true'), 'active'))
    assert.isNotOk(await made(create('name=Loom&active=true&active=false'), 'active'))
    assert.isOk(await made(create('name=Loom'), 'active'))
    assert.isNull(await made(create('name=Loom&approved='), 'approved'))
    assert.isNotOk(await made(create('name=Loom&approved=false'), 'approved'))
  })

  test('[B17] a value of every kind of field is stored in the type of its column', async ({
    assert,
  }) => {
    const maker = await Maker.create({ name: 'ACME' })
    const { status, machine, text } = await create({
      nickname: 'Jo',
      notes: 'a\r\nb',
      amount: '1e2',
      big: '9007199254740993',
      ratio: '.5',
      approved: 'true',
      day: '2024-02-29',
      moment: '2024-02-29T12:30',
      plain_moment: '2024-02-29T12:30:15',
      clock: '08:15',
      data: '{"a": [1, {"b": null}]}',
      status: 'paid',
      level: '2',
      email: 'a@example.org',
      website: 'https://example.org/a',
      secret: 'hush',
      maker_id: String(maker.id),
    })
    assert.equal(status, 303, text)
    assert.equal(machine!.notes, 'a\nb')
    assert.equal(machine!.amount, 100)
    assert.equal(machine!.ratio, 0.5)
    assert.isOk(machine!.approved)
    assert.equal(machine!.day!.toISODate(), '2024-02-29')
    assert.equal(machine!.moment!.toFormat('yyyy-MM-dd HH:mm:ss'), '2024-02-29 12:30:00')
    assert.equal(machine!.plainMoment, '2024-02-29 12:30:15')
    assert.equal(machine!.clock, '08:15:00')
    assert.deepEqual(JSON.parse(machine!.data), { a: [1, { b: null }] })
    assert.equal(machine!.status, 'paid')
    assert.equal(machine!.level, 2)
    assert.equal(machine!.secret, 'hush')
    assert.equal(machine!.makerId, maker.id)
    const { body } = await get(`/admin/Machine/crud/${machine!.id}`, { headers: { cookie } })
    assert.equal(body.big, '9007199254740993')
  })

  test('[P6] a virtual field of a form is passed to the CRUD object', async ({ assert }) => {
    const { machine } = await create({ password: ' swordfish ' })
    assert.equal(machine!.secret, 'length 11')
  })

  test('[P6, A7] form fields outside the schema are not written', async ({ assert }) => {
    const { status, machine } = await create({ id: '77', created_at: '2000-01-01 00:00:00' })
    assert.equal(status, 303)
    assert.notEqual(machine!.id, 77)
    assert.notEqual(machine!.createdAt.year, 2000)
  })

  test('[P7, P13] without schemas the form is derived from the table', async ({ assert }) => {
    const { text } = await page('WideForm')
    const { values } = formOf(text)
    assert.lengthOf(Object.keys(values), 40)
    const fields = Object.fromEntries(
      Object.keys(values).map((name, index) => [name, index % 4 === 3 ? '5' : `v${index}`])
    )
    assert.equal(await its(send('WideForm', fields), 'status'), 303)
    const { $attributes } = await WideForm.firstOrFail()
    const { id, ...stored } = $attributes
    assert.isNumber(id)
    assert.deepEqual(Object.values(stored).map(String), Object.values(fields))
  })

  test('[S37, B18] a successful create redirects to the list, which shows a message', async ({
    assert,
  }) => {
    const response = await send('Machine', REQUIRED)
    assert.equal(response.status, 303)
    assert.equal(response.headers.get('location'), '/admin/Machine/')
    assert.isNull(response.headers.get('hx-redirect'))
    const flash = response.headers.getSetCookie().map((one) => one.split(';')[0])
    const next = await get('/admin/Machine/', {
      headers: { cookie: [cookie, ...flash].join('; ') },
    })
    assert.match(next.text, /Machine\s+<a [^>]*><bdi>[^<]+<\/bdi><\/a>\s+created/)
  })

  test('[S37, B18] after a create, the response to htmx has HX-Redirect and no Location header', async ({
    assert,
  }) => {
    const response = await send('Machine', REQUIRED, { 'hx-request': 'true' })
    assert.equal(response.status, 303)
    assert.equal(response.headers.get('hx-redirect'), '/admin/Machine/')
    assert.isNull(response.headers.get('location'))
    assert.equal(response.text, '')
  })

  test('[B14] without a list, a successful create redirects to the dashboard', async ({
    assert,
  }) => {
    const response = await send('MadeMaker', { name: 'x' })
    assert.equal(response.headers.get('location'), '/admin')
  })

  test('[S38, B19] a failed validation is 422 with all failing fields and the submitted values', async ({
    assert,
  }) => {
    const { status, text } = await send('Machine', {
      name: 'L',
      amount: '-1',
      email: 'nobody',
      notes: 'kept',
      status: 'sent',
      active: 'false',
      secret: 'hush',
      password: 'abc',
    })
    const form = formOf(text)
    assert.equal(status, 422)
    assert.equal(form.error, 'Please correct the errors below.')
    assert.sameMembers(Object.keys(form.errors), ['name', 'amount', 'email', 'password'])
    assert.equal(form.values.notes, 'kept')
    assert.equal(form.values.name, 'L')
    assert.equal(form.values.amount, '-1')
    assert.equal(form.values.status, 'sent')
    assert.equal(form.values.active, 'false')
    assert.equal(form.values.password, '')
    assert.equal(form.values.secret, '')
    assert.notInclude(text, 'hush')
    assert.lengthOf(await Machine.all(), 0)
  })

  test('[S38] errors are next to their fields and in the summary, and the first field has the focus', async ({
    assert,
  }) => {
    const { text } = await send('Machine', { amount: 'x', website: 'y' })
    const form = formOf(text)
    assert.equal(form.errors.name, 'Name is required')
    assert.deepEqual(form.summary, ['#field-name', '#field-amount', '#field-website'])
    assert.include(form.tags.name, 'autofocus')
    assert.include(form.tags.name, 'aria-invalid="true"')
    assert.include(form.tags.name, 'aria-describedby="field-name-error"')
    assert.notInclude(form.tags.amount, 'autofocus')
    assert.include(form.tags.amount, 'aria-invalid="true"')
    assert.notInclude(form.tags.notes, 'aria-invalid')
  })

  test('[S38] invalid JSON is an error of its field', async ({ assert }) => {
    const { status, text } = await send('Machine', { ...REQUIRED, data: '{"a":' })
    assert.equal(status, 422)
    assert.deepEqual(formOf(text).errors, {
      data: 'Data must be valid JSON (line 1, column 6: expected a value)',
    })
    assert.equal(formOf(text).values.data, '{"a":')
  })

  test('[S39, A8] a duplicate value is a 422 with a message, also next to its field', async ({
    assert,
  }) => {
    await create({ nickname: 'Jo' })
    const { status, text } = await send('Machine', { name: 'Mill', nickname: 'Jo' })
    const form = formOf(text)
    assert.equal(status, 422)
    assert.equal(form.error, 'Value Jo is already registered')
    assert.deepEqual(Object.keys(form.errors), ['nickname'])
    assert.equal(form.values.name, 'Mill')
    assert.lengthOf(await Machine.all(), 1)
  })

  test('[S39] a reference to a missing record is a 422, with an error at its field', async ({
    assert,
  }) => {
    const { status, text } = await send('Machine', { ...REQUIRED, maker_id: '999' })
    assert.equal(status, 422)
    assert.include(formOf(text).error, 'does not exist')
    assert.deepEqual(Object.keys(formOf(text).errors), ['maker_id'])
  })

  test('[S39, B19] messages of hooks are shown, those of drivers are not', async ({ assert }) => {
    const hook = await send('Machine', { name: 'Perpetuum mobile' })
    assert.equal(hook.status, 422)
    assert.equal(formOf(hook.text).error, 'Such a machine does not exist')

    const driver = await send('Machine', { name: 'Broken driver' })
    assert.equal(driver.status, 422)
    assert.isNotEmpty(formOf(driver.text).error)
    assert.notInclude(driver.text, 'vault')
    assert.lengthOf(await Machine.all(), 0)
  })

  test('[P14, S39] a create that the policy refuses is a 403 that shows the form', async ({
    assert,
  }) => {
    const { status, text } = await send('Ruled', { title: 'sealed' })
    assert.equal(status, 403)
    assert.include(formOf(text).error, 'Not allowed. Your account does not have the permission')
    assert.equal(formOf(text).values.title, 'sealed')
    const part = await send('Ruled', { title: 'sealed' }, { 'hx-request': 'true' })
    assert.equal(part.status, 403)
    assert.include(
      formOf(part.text).error,
      'Not allowed. Your account does not have the permission'
    )
    assert.lengthOf(await Ruled.all(), 0)
  })

  test('[S38] htmx receives only the form of a refused create, with the same status', async ({
    assert,
  }) => {
    const { status, text, headers } = await send('Machine', {}, { 'hx-request': 'true' })
    assert.equal(status, 422)
    assert.match(text.trim(), /^<div id="form-content"/)
    assert.notInclude(text, '<html')
    assert.property(formOf(text).errors, 'name')
    assert.include(headers.get('vary')?.toLowerCase(), 'hx-request')
  })

  test('[B17] conditional fields are in the form, and required only if their condition is met', async ({
    assert,
  }) => {
    const { values, tags } = formOf(await its(page('Parting'), 'text'))
    assert.sameMembers(Object.keys(values), ['kind', 'phone', 'post'])
    assert.include(tags.kind, 'required')
    assert.notInclude(tags.phone, 'required')
    assert.equal(await its(send('Parting', { kind: 'call', phone: '1' }), 'status'), 303)
    const { status, text } = await send('Parting', { kind: 'call', post: '1' })
    assert.equal(status, 422)
    assert.deepEqual(Object.keys(formOf(text).errors), ['phone'])
  })

  test('[B17] label, help and widget of a field can be configured, and the widget can be a custom one', async ({
    assert,
  }) => {
    const { text } = await page('Review')
    assert.include(text, 'What you think')
    assert.include(text, '<p class="form-help" id="field-text-help">In a few words</p>')
    const { tags } = formOf(text)
    assert.match(tags.text, /^<input/)
    assert.include(tags.text, 'aria-describedby="field-text-help"')
    assert.include(tags.stars, 'class="input stars"')
    assert.equal(await its(send('Review', { text: 'Good', stars: ' ★★★ ' }), 'status'), 303)
    assert.equal(await its(Review.firstOrFail(), 'stars'), 3)
    const { status, text: html } = await send('Review', { text: 'Good', stars: 'three' })
    assert.equal(status, 422)
    assert.deepEqual(formOf(html).errors, { stars: 'Give stars' })
  })

  for (const text of [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    `' autofocus onfocus='alert(1)`,
    '{{ 7*7 }} @{{ x }}',
    '</textarea><script>alert(1)</script>',
    '" hx-get="/admin/logout" hx-trigger="load',
    '\u202Egnp.exe',
    '😀'.repeat(9),
  ]) {
    test(`[S38] submitted markup is escaped: ${JSON.stringify(text)}`, async ({ assert }) => {
      const plain = formOf(
        await its(send('Machine', { amount: 'x', name: 'x', notes: 'x' }), 'text')
      )
      const { text: html } = await send('Machine', {
        amount: text,
        name: text,
        notes: text,
        tags: text,
        data: text,
        status: text,
        maker_id: text,
        level: text,
      })
      const form = formOf(html)
      assert.equal(form.values.name, text)
      assert.equal(form.values.notes, text)
      assert.equal(form.values.tags, text)
      assert.equal(form.values.data, text)
      assert.equal(form.values.status, text)
      assert.equal(form.hxAttributes, plain.hxAttributes)
      assert.deepEqual(form.handlers, [])
      assert.notMatch(html, /<script>|<img/)
    })
  }

  test('[A8] NUL bytes are refused in every field', async ({ assert }) => {
    for (const body of [
      'name=Lo%00om',
      'name=Loom&tags=a%00',
      'name=Loom&data=%22%5Cu0000%22',
      'name=Loom&data=%00',
      'name=Loom&status=draft%00',
    ]) {
      const { status } = await send('Machine', body)
      assert.equal(status, 422, body)
    }
    assert.lengthOf(await Machine.all(), 0)
  })

  test('[A9] a natural key is a field and can contain path characters', async ({ assert }) => {
    const path = 'a/b?c=1 %20é'
    assert.equal(await its(send('Folder', { path, title: 'x' }), 'status'), 303)
    assert.equal(await its(Folder.firstOrFail(), 'path'), path)
    const { status, text } = await send('Folder', { path: '..', title: 'x' })
    assert.equal(status, 422)
    assert.deepEqual(Object.keys(formOf(text).errors), ['path'])
  })

  test('[S36] a body other than a form is treated as an empty form', async ({ assert }) => {
    for (const type of ['application/json', 'text/plain']) {
      const { status } = await send('Machine', '{"name":"Loom"}', { 'content-type': type })
      assert.equal(status, 422)
    }
    assert.lengthOf(await Machine.all(), 0)
  })
})
