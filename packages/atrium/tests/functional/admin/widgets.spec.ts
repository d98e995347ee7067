import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { formOf } from '#tests/helpers/forms'
import { call, get } from '#tests/helpers/http'
import { its } from '#tests/helpers/its'
import { giveRoles, makeRole, restoreRoles } from '#tests/helpers/roles'
import { Souvenir } from '#tests/fixtures/widgets'

const PHOTO = `${'1'.repeat(32)}.png`
const DRAWING = `${'2'.repeat(32)}.svg`

test.group('Admin | further widgets', (group) => {
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await Souvenir.query().delete()
    cookie = await cookiesOf(await makeUser('jo'))
  })

  const page = (path: string) =>
    its(get(`/admin/Souvenir/${path}`, { headers: { cookie } }), 'text')
  const send = (path: string, fields: Record<string, string>) =>
    sendForm(`/admin/Souvenir/${path}`, fields, { cookie })
  const create = (fields: Record<string, string>) => send('form_create', fields)
  const update = ({ id }: Souvenir, fields: Record<string, string>) =>
    send(`form_update/${id}`, fields)
  const make = (values: Record<string, unknown> = {}) =>
    Souvenir.create({ title: 'Mug', slug: 'mug', ...values } as Partial<Souvenir>)
  const read = async ({ id }: Souvenir) => Souvenir.findOrFail(id)
  const first = () => Souvenir.firstOrFail()
  /** Lists differ in their form between databases, and objects do not. */
  const parsed = (value: unknown) => (typeof value === 'string' ? JSON.parse(value) : value)

  test('[R13] money is typed as a number, stored in the format of the column, and shown with its symbol', async ({
    assert,
  }) => {
    const { status } = await create({ title: 'Mug', price: '1,234.5', postage: '0.305' })
    assert.equal(status, 303)
    const mug = await first()
    assert.equal(Number(mug.price), 1234.5)
    assert.equal(Number(mug.postage), 305)

    const list = await page('?columns=title,price,postage')
    assert.match(list, /<td class="number number"[^>]*>€1,234\.50<\/td>/)
    assert.match(list, /<td class="number number"[^>]*>KWD\s0\.305<\/td>/)
    const text = await page(`update/${mug.id}`)
    assert.equal(formOf(text).values.price, '1234.50')
    assert.equal(formOf(text).values.postage, '0.305')

    await mug.merge({ price: 1234567.5 }).save()
    const large = await page(`update/${mug.id}`)
    assert.equal(formOf(large).values.price, '1,234,567.50')
    await mug.merge({ price: 1234.5 }).save()
    assert.include(text, '<span class="form-affix" id="field-price-prefix" dir="auto">€</span>')
    assert.include(await page(`view/${mug.id}`), '€1,234.50')
  })

  test('[R13] more decimals than the currency has are an error, also in a cell')
    .with([
      ['price', '1.234', 'Price must have at most 2 decimals (EUR)'],
      ['postage', '1.2345', 'Postage must have at most 3 decimals (KWD)'],
      ['price', '12 euros', 'Price must be an amount such as 1234.50'],
    ])
    .run(async ({ assert }, [field, typed, message]) => {
      const mug = await make({ price: 5 })
      const { status, text } = await update(mug, { [field]: typed })
      assert.equal(status, 400)
      assert.equal(formOf(text).errors[field], message)
      assert.equal(formOf(text).values[field], typed)

      const cell = await sendForm(
        `/admin/Souvenir/cell/${mug.id}?field=${field}`,
        { [field]: typed },
        { cookie, 'if-match': '*' }
      )
      assert.equal(cell.status, 422)
      assert.include(cell.text, message)
    })

  test('[R13, L9] Edit selected writes an amount of money to the selected records', async ({
    assert,
  }) => {
    const mug = await make()
    const fields = { _edit: '1', _ids: String(mug.id), price: '7.5', price__change: '1' }
    assert.equal(await its(send('bulk-edit', fields), 'status'), 303)
    assert.equal(Number(await its(read(mug), 'price')), 7.5)
  })

  test('[R13] tags are typed one per line, blank lines and duplicates are dropped, and no tags are an empty list', async ({
    assert,
  }) => {
    await create({ title: 'Mug', tags: 'red\n\n blue, light \nred', words: 'one\ntwo' })
    const mug = await first()
    assert.deepEqual(parsed(mug.tags), ['red', 'blue, light'])
    assert.equal(mug.words, '["one","two"]')

    const { values } = formOf(await page(`update/${mug.id}`))
    assert.equal(values.tags, 'red\nblue, light')
    assert.equal(values.words, 'one\ntwo')
    await update(mug, { ...values, tags: '', words: 'two' })
    const changed = await read(mug)
    assert.deepEqual(parsed(changed.tags), [])
    assert.equal(changed.words, '["two"]')
    /* An empty field stays so. */
    const empty = await make({ slug: 'other' })
    const shown = formOf(await page(`update/${empty.id}`)).values
    await update(empty, { ...shown, title: 'Cup' })
    assert.isNull(await its(read(empty), 'tags'))
  })

  test('[R13] lists show some of the tags, and the record page all', async ({ assert }) => {
    const tags = ['one', 'two', '<three>', 'four', 'five']
    const { id } = await make({ tags: JSON.stringify(tags) })
    const list = await page('?columns=title,tags')
    assert.include(list, '<span class="value-badge" dir="auto">&lt;three&gt;</span> +2')
    assert.notInclude(list, '>four</span>')
    assert.include(await page(`view/${id}`), '>five</span>')
  })

  test('[R13] an empty slug is generated from the title on create, and unchanged on update', async ({
    assert,
  }) => {
    assert.equal(await its(create({ title: 'Größe & Łódź' }), 'status'), 303)
    const mug = await first()
    assert.equal(mug.slug, 'grosse-and-lodz')
    await update(mug, { title: 'Other', slug: '' })
    assert.equal(await its(read(mug), 'slug'), 'grosse-and-lodz')
    await create({ title: 'Whatever', slug: 'by-hand' })
    assert.isNotNull(await Souvenir.findBy('slug', 'by-hand'))
    /* As long as the column, cut between words */
    await create({ title: 'A very long title for a mug' })
    assert.isNotNull(await Souvenir.findBy('slug', 'a-very-long-title'))

    const { status, text } = await create({ title: 'By hand' })
    assert.equal(status, 422)
    assert.match(formOf(text).errors.slug, /already registered/)
    assert.equal(formOf(text).values.slug, 'by-hand')
    assert.notInclude(formOf(text).tags.slug, 'required')
  })

  test('[R13] a colour is stored as #rrggbb, and shown without inline styles', async ({
    assert,
  }) => {
    const mug = await make()
    await update(mug, { colour: '#1A7' })
    assert.equal(await its(read(mug), 'colour'), '#11aa77')
    const { status, text } = await update(mug, { colour: 'red' })
    assert.equal(status, 400)
    assert.equal(formOf(text).errors.colour, 'Colour must be a colour such as #1a7f37')
    const list = await page('?columns=title,colour')
    assert.include(list, '<rect width="1" height="1" fill="#11aa77"/></svg> #11aa77')
    assert.notMatch(list, /\sstyle=/)
    await update(mug, { colour__clear: '1' })
    assert.isNull(await its(read(mug), 'colour'))
  })

  test('[R13] Markdown is rendered on the record page, and shown as plain text in lists', async ({
    assert,
  }) => {
    const body =
      '# Hello\n\n**Bold** & <a href="javascript:alert(1)">x</a> <img src=x onerror=alert(1)>'
    const { id } = await make({ body })
    const list = await page('?columns=title,body')
    assert.match(list, /<td class="text"[^>]*>Hello Bold &amp; x<\/td>/)
    const record = await page(`view/${id}`)
    assert.include(record, '<h2>Hello</h2>')
    assert.include(record, '<strong>Bold</strong>')
    assert.notInclude(record, 'onerror')
    assert.notInclude(record, 'javascript:')
    assert.equal(formOf(await page(`update/${id}`)).values.body, body)
  })

  test('[R13] without JavaScript a preview is shown with the form, and nothing is stored', async ({
    assert,
  }) => {
    const mug = await make({ body: 'old' })
    const { status, text } = await update(mug, {
      title: 'Typed',
      body: '*new* <script>1</script>',
      body__preview: '1',
    })
    assert.equal(status, 200)
    assert.match(text, /class="markdown markdown-preview"[^>]*><p><em>new<\/em> <\/p>/)
    assert.equal(formOf(text).values.title, 'Typed')
    assert.equal(await its(read(mug), 'body'), 'old')
    /* Enter in an input must not ask for the preview. */
    assert.match(
      text,
      /<form id="record-form"[^>]*>(?:(?!<button(?![^>]*type="button")).)*<button class="sr-only" type="submit"/s
    )
  })

  test('[R13, U4] the server renders a preview for users who can write the field', async ({
    assert,
    cleanup,
  }) => {
    const preview = (field: string, text: string) => send(`preview/${field}`, { text })
    const response = await preview('body', '**x** <a href="data:text/html,1" hx-get="/">y</a>')
    assert.equal(response.status, 200)
    assert.match(response.headers.get('content-type')!, /^text\/html/)
    assert.match(response.text, /^<p><strong>x<\/strong> <a [^>]*>y<\/a><\/p>\s*$/)
    assert.notMatch(response.text, /data:|hx-/)
    const slug = await preview('slug', 'Ein Becher')
    assert.equal(slug.text, 'ein-becher')
    assert.match(slug.headers.get('content-type')!, /^text\/plain/)
    assert.equal(await its(preview('title', 'x'), 'status'), 404)
    assert.equal(await its(preview('nothing', 'x'), 'status'), 404)

    cleanup(() => restoreRoles())
    await makeRole('Blind', { Souvenir: { actions: ['*'], hidden: ['body'] } })
    await makeRole('Reader', { Souvenir: { actions: ['view'] } })
    const user = await makeUser('clerk', { isSuperuser: false })
    cookie = await cookiesOf(user)
    await giveRoles(user, ['Blind'])
    assert.equal(await its(preview('body', 'x'), 'status'), 404)
    await giveRoles(user, ['Reader'])
    assert.equal(await its(preview('slug', 'x'), 'status'), 403)
  })

  test('[R13] invalid JSON is reported with its position, and stored JSON is preserved', async ({
    assert,
  }) => {
    const stored = '{ "b": 12345678901234567890,\n "a": [1 ] }'
    const mug = await make({ data: stored })
    const { values } = formOf(await page(`update/${mug.id}`))
    assert.include(values.data, '\n  "a": [')
    const before = await its(read(mug), 'data')
    await update(mug, { ...values, title: 'Changed' })
    const after = await read(mug)
    assert.equal(after.title, 'Changed')
    assert.deepEqual(after.data, before)

    const { text } = await update(mug, { data: '{\n  "a": 1\n  "b": 2\n}' })
    assert.equal(
      formOf(text).errors.data,
      'Data must be valid JSON (line 3, column 3: expected a comma)'
    )
  })

  test("[R13, L10] cells are edited in place by text inputs, and cells of tags and images can't be edited", async ({
    assert,
  }) => {
    const mug = await make({ body: '# One', colour: '#000000' })
    const editor = (field: string) =>
      get(`/admin/Souvenir/cell/${mug.id}?field=${field}`, { headers: { cookie } })
    const body = await editor('body')
    assert.match(body.text, /data-control="textarea"[^]*<textarea [^>]*>\n# One<\/textarea>/)
    assert.notInclude(body.text, 'Preview')
    for (const field of ['colour', 'slug', 'price']) {
      const { text } = await editor(field)
      assert.match(text, new RegExp(`data-control="input"[^]*<input class="input" [^>]*"${field}"`))
    }
    for (const field of ['tags', 'photo']) assert.equal(await its(editor(field), 'status'), 404)
  })

  test('[R13] an image column shows only raster formats as images', async ({ assert, cleanup }) => {
    const folder = join(app.config.get<string>('admin.storageDirectory'), 'Souvenir')
    cleanup(() => rm(folder, { recursive: true, force: true }))
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, PHOTO), 'pixels')
    await writeFile(join(folder, DRAWING), '<svg/>')
    const mug = await make({ photo: PHOTO })
    await make({ slug: 'drawn', photo: DRAWING })
    const file = async (path: string) => {
      const { headers } = await get(`/admin/Souvenir/files/${path}`, { headers: { cookie } })
      return [headers.get('content-type'), headers.get('content-disposition')!.split(';')[0]]
    }
    assert.deepEqual(await file(`${PHOTO}?inline`), ['image/png', 'inline'])
    assert.deepEqual(await file(PHOTO), ['application/octet-stream', 'attachment'])
    assert.deepEqual(await file(`${DRAWING}?inline`), ['application/octet-stream', 'attachment'])

    const list = await page('?columns=title,photo')
    assert.include(
      list,
      `src="/admin/Souvenir/files/${PHOTO}?thumbnail" alt="Image: Photo" loading="lazy"`
    )
    assert.notInclude(list, `${DRAWING}?inline`)
    const form = await page(`update/${mug.id}`)
    assert.include(form, `<img src="/admin/Souvenir/files/${PHOTO}?inline"`)
    assert.include(formOf(form).tags.photo, 'accept="image/png,image/jpeg,')
    assert.include(form, 'enctype="multipart/form-data"')
  })

  test(
    '[R13] only a file with the name and content of an image is accepted, any other is an error at its field'
  )
    .with([
      ['x.png', '\x89PNG\r\n\x1a\n', 303],
      ['x.svg', '<svg/>', 422],
      ['x.png', '%PDF-1.7\n', 422],
    ] as const)
    .run(async ({ assert, cleanup }, [name, content, status]) => {
      const folder = join(app.config.get<string>('admin.storageDirectory'), 'Souvenir')
      cleanup(() => rm(folder, { recursive: true, force: true }))
      const form = new FormData()
      form.set('title', 'Mug')
      form.set('photo', new Blob([Buffer.from(content, 'latin1')]), name)
      const request = new Request('http://localhost', { method: 'POST', body: form })
      const response = await call('POST', '/admin/Souvenir/form_create', {
        body: new Uint8Array(await request.arrayBuffer()),
        headers: { cookie, 'content-type': request.headers.get('content-type')! },
      })
      assert.equal(response.status, status)
      if (status === 303) return
      const message = 'Photo must be an image: png, jpeg, gif, webp or avif'
      assert.equal(formOf(response.text).errors.photo, message)
    })

  test('[R13] a form loads the stylesheets and scripts of its widgets, and other pages do not', async ({
    assert,
  }) => {
    const form = await page('create_page')
    for (const widget of ['tags', 'markdown', 'slug', 'colour', 'image']) {
      assert.match(form, new RegExp(`${widget}_field[^"]*\\.css"`))
      assert.match(form, new RegExp(`${widget}_field[^"]*\\.js"`))
    }
    assert.notInclude(await page(''), '_field')
  })
})
