import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from '@japa/runner'
import { its } from '#tests/helpers/its'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import {
  callRaw,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { call, get, urlOf, type Answer } from '#tests/helpers/http'
import { LucidCrud } from '#crud'
import { Certificate, Portrait, Poster } from '#tests/fixtures/files'

const name = (digit: string | number, extension = '.png') => String(digit).repeat(32) + extension

const pathOf = (model: string, key: string) =>
  join(app.config.get<string>('admin.storageDirectory'), model, key)

async function put(model: string, key: string, content: string | Uint8Array = 'content') {
  await mkdir(dirname(pathOf(model, key)), { recursive: true })
  await writeFile(pathOf(model, key), content)
  return key
}

test.group('Admin | stored files', (group) => {
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await Portrait.query().delete()
    await Certificate.query().delete()
    cookie = await cookiesOf(await makeUser('jo', { isSuperuser: false }))
    return () =>
      rm(app.config.get<string>('admin.storageDirectory'), { recursive: true, force: true })
  })

  const statusOf = (answer: Promise<Answer>) => answer.then(({ status }) => status)
  const fetchFile = (key: string, model = 'Portrait', headers = {}) =>
    get(`/admin/${model}/files/${key}`, { headers: { cookie, ...headers } })

  test('[B17, B10] a file is sent as something to save, and as nothing else', async ({
    assert,
  }) => {
    await put('Portrait', name(1, '.html'), '<script>alert(1)</script>')
    await Portrait.create({ title: 'Ada', image: name(1, '.html') })
    const answer = await fetchFile(name(1, '.html'))
    assert.equal(answer.status, 200)
    assert.equal(answer.text, '<script>alert(1)</script>')
    assert.equal(answer.headers.get('content-type'), 'application/octet-stream')
    assert.equal(answer.headers.get('content-length'), '25')
    assert.equal(
      answer.headers.get('content-disposition'),
      'attachment; filename="Ada - Image.html"'
    )
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.include(answer.headers.get('content-security-policy'), "default-src 'self'")
  })

  test('[B17] megabytes come whole', async ({ assert }) => {
    const bytes = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * 7) % 256))
    await put('Portrait', name(1), bytes)
    await Portrait.create({ title: 'Ada', image: name(1) })
    const answer = await fetch(urlOf(`/admin/Portrait/files/${name(1)}`), { headers: { cookie } })
    assert.isTrue(bytes.equals(Buffer.from(await answer.arrayBuffer())))
  })

  test('[B17] HEAD says the same, without the file', async ({ assert }) => {
    await put('Portrait', name(1), 'twelve bytes')
    await Portrait.create({ title: 'Ada', image: name(1) })
    const { status, headers, text } = await callRaw('HEAD', `/admin/Portrait/files/${name(1)}`, {
      cookie,
    })
    assert.equal(status, 200)
    assert.equal(headers['content-length'], '12')
    assert.equal(text, '')
  })

  test('[B17] it is called by its record, whatever that is called')
    .with([
      [
        'Ärger 5 €',
        'attachment; filename="Ärger 5 ? - Image.png"; filename*=UTF-8\'\'%C3%84rger%205%20%E2%82%AC%20-%20Image.png',
      ],
      ['a/b\\c"d:e*f?g<h>i|j', 'attachment; filename="a b c d e f g h i j - Image.png"'],
      ['../../x', 'attachment; filename=".. .. x - Image.png"'],
      ['gnp.exe\u202E', 'attachment; filename="gnp.exe - Image.png"'],
      ['a\r\nset-cookie: b=c', 'attachment; filename="a set-cookie  b=c - Image.png"'],
      ['x'.repeat(200), `attachment; filename="${'x'.repeat(80)} - Image.png"`],
    ])
    .run(async ({ assert }, [title, disposition]) => {
      await put('Portrait', name(1))
      await Portrait.create({ title, image: name(1) })
      const answer = await fetchFile(name(1))
      const sent = Buffer.from(answer.headers.get('content-disposition')!, 'latin1').toString(
        'latin1'
      )
      assert.equal(sent, disposition)
      assert.isNull(answer.headers.get('set-cookie'))
    })

  test('[B17] a column whose widget takes files holds files, another does not', async ({
    assert,
  }) => {
    await put('Portrait', name(1))
    await put('Portrait', name(2))
    await Portrait.create({ title: 'Ada', scan: name(1), note: name(2) })
    const scan = await fetchFile(name(1))
    assert.equal(scan.headers.get('content-disposition'), 'attachment; filename="Ada - Scan.png"')
    assert.equal(await statusOf(fetchFile(name(2))), 404)
  })

  test('[B17] without a record that holds it, a file is nobody’s', async ({ assert }) => {
    await put('Portrait', name(1))
    const answer = await fetchFile(name(1))
    assert.equal(answer.status, 404)
    assert.include(answer.text, 'No such page')
  })

  test('[B17] a record whose file is gone is a 404, too', async ({ assert }) => {
    await Portrait.create({ title: 'Ada', image: name(1) })
    assert.equal(await statusOf(fetchFile(name(1))), 404)
  })

  test('[B17] a deleted record’s file can still be looked at', async ({ assert }) => {
    await put('Portrait', name(1))
    await Portrait.create({ title: 'Ada', image: name(1), isDeleted: true })
    assert.equal(await statusOf(fetchFile(name(1))), 200)
  })

  test('[P14, B17] what the scope hides has no file', async ({ assert }) => {
    await put('Portrait', name(1))
    await put('Portrait', name(2))
    await Portrait.create({ title: 'Ada', image: name(1), owner: 'eve' })
    await Portrait.create({ title: 'Ada', image: name(2), owner: 'jo' })
    assert.equal(await statusOf(fetchFile(name(1))), 404)
    assert.equal(await statusOf(fetchFile(name(2))), 200)
  })

  test('[P14, B17] what the policy refuses has none to give', async ({ assert }) => {
    await put('Portrait', name(1))
    await Portrait.create({ title: 'Sealed', image: name(1) })
    const answer = await fetchFile(name(1))
    assert.equal(answer.status, 404)
    assert.isNull(answer.headers.get('content-disposition'))
  })

  test('[B17] another model’s file is not reached, even by a record that names it', async ({
    assert,
  }) => {
    await put('Diploma', name(1), 'secret')
    await Portrait.create({ title: 'Ada', image: name(1) })
    assert.equal(await statusOf(fetchFile(name(1))), 404)

    await Certificate.create({ paper: name(1) })
    const own = await fetchFile(name(1), 'Diploma')
    assert.equal(own.text, 'secret')
  })

  test('[B14] files go with view', async ({ assert }) => {
    await put('Certificate', name(1))
    await Certificate.create({ paper: name(1) })
    assert.equal(await statusOf(fetchFile(name(1), 'Certificate')), 404)
  })

  test('[B6, B17] nobody gets a file who is not signed in', async ({ assert }) => {
    await put('Portrait', name(1))
    await Portrait.create({ title: 'Ada', image: name(1) })
    const answer = await get(`/admin/Portrait/files/${name(1)}`)
    assert.equal(answer.status, 303)
    assert.match(answer.headers.get('location')!, /^\/admin\/login\?/)
  })

  test('[B17] no path leads out of the folder')
    .with([
      '..%2f..%2f.env',
      '..%2F..%2F.env',
      '%2e%2e%2f%2e%2e%2f.env',
      '../../../.env',
      '%2e%2e/%2e%2e/.env',
      '..%5c..%5c.env',
      '%2fetc%2fpasswd',
      '/etc/passwd',
      `${name(1)}%00.png`,
      `${name(1)}%00`,
      `${name(1)}%2f..%2f..%2f.env`,
      `..%2fPortrait%2f${name(1)}`,
      `%2e%2fx`,
      `${name(1).toUpperCase()}`,
      'x'.repeat(5000),
      '%c0%ae%c0%ae%c0%af',
      '%ff',
      '%',
      '.',
      '..',
      '',
    ])
    .run(async ({ assert }, path) => {
      await put('Portrait', name('a'))
      await Portrait.create({ title: 'Ada', image: name('a') })
      /* Even if a column names it, it is none of ours. */
      await Portrait.create({ title: 'Eve', image: '../../.env', scan: '/etc/passwd' })
      const { status, headers } = await callRaw('GET', `/admin/Portrait/files/${path}`, { cookie })
      assert.isAtLeast(status, 300, path)
      assert.isBelow(status, 500, path)
      assert.isUndefined(headers['content-disposition'], path)
    })
})

const BOUNDARY = 'boundary'

/* Written by hand, as attackers do. */
const part = (disposition: string, content: string) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`
const file = (filename: string, content = 'content') =>
  part(`name="image"; filename="${filename}"`, content)
const field = (fieldName: string, value: string) => part(`name="${fieldName}"`, value)
const END = `--${BOUNDARY}--\r\n`

test.group('Admin | bodies with files', (group) => {
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    cookie = await cookiesOf(await makeUser('jo', { isSuperuser: false }))
  })

  const send = (body: string | Uint8Array, { query = '', headers = {} } = {}) =>
    call('POST', `/admin/body-probe${query}`, {
      body,
      headers: { cookie, 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, ...headers },
    })

  const leftovers = async () => {
    const found = await readdir(tmpdir())
    return found.filter((one) => one.startsWith(`atrium-upload-${process.pid}-`))
  }

  test('[B17] files are read to the disk, and gone when the request ends', async ({ assert }) => {
    const before = await leftovers()
    const { body } = await send(file('a.txt', 'one') + file('b.txt', 'two') + END)
    assert.deepEqual(
      body.files.map(({ clientName, size }: any) => [clientName, size]),
      [
        ['a.txt', 3],
        ['b.txt', 3],
      ]
    )
    for (const { tmpPath } of body.files) {
      assert.match(tmpPath, /atrium-upload-/)
      assert.isFalse(
        await readdir(dirname(tmpPath)).then(
          () => true,
          () => false
        )
      )
    }
    assert.deepEqual(await leftovers(), before)
  })

  test('[B17] they are gone, too, when the handler fails', async ({ assert }) => {
    const before = await leftovers()
    const { status } = await send(file('a.txt') + END, { query: '?fail=1' })
    assert.equal(status, 500)
    assert.deepEqual(await leftovers(), before)
  })

  test('[B17] a broken body is the sender’s fault, and leaves nothing')
    .with([
      ['cut off in a file', file('a.txt') + file('b.txt').slice(0, -20)],
      ['without an end', file('a.txt')],
      ['empty', ''],
      ['no parts', 'just text'],
      ['cut off in a part without a name', part('filename="a.txt"', 'x').slice(0, -1)],
      ['a part without a name, and another', part('filename="a.txt"', 'x') + END.slice(0, 5)],
      ['more fields than any form', field('x', '1').repeat(1001) + END],
      ['a field of 3 MB', field('name', 'x'.repeat(3_000_000)) + END],
      ['a header that never ends', `--${BOUNDARY}\r\n${'x'.repeat(100_000)}`],
    ])
    .run(async ({ assert }, [, body]) => {
      const before = await leftovers()
      const { status } = await send(body)
      assert.isAtLeast(status, 400)
      assert.isBelow(status, 500)
      assert.deepEqual(await leftovers(), before)
    })

  test('[B17] a body over the limit is refused, and nothing of it is kept', async ({ assert }) => {
    const before = await leftovers()
    const body = Buffer.concat([
      Buffer.from(file('small.txt') + file('big.txt', 'x').slice(0, -3)),
      Buffer.alloc(21 * 1024 * 1024, 120),
      Buffer.from(`\r\n${END}`),
    ])
    const { status } = await send(body)
    assert.equal(status, 413)
    assert.deepEqual(await leftovers(), before)
  })

  test('[B17] a content type without a boundary is refused', async ({ assert }) => {
    const { status } = await send(file('a.txt') + END, {
      headers: { 'content-type': 'multipart/form-data' },
    })
    assert.isAtLeast(status, 400)
    assert.isBelow(status, 500)
  })

  test('[B6, B17] a stranger’s files are not read', async ({ assert }) => {
    const before = await leftovers()
    const { status } = await send(file('a.txt') + END, { headers: { cookie: '' } })
    assert.equal(status, 303)
    assert.deepEqual(await leftovers(), before)
  })

  test('[B17] plain fields and lists arrive as they are', async ({ assert }) => {
    const { body } = await send(
      field('name', 'Ada') + field('list', '1') + field('list', '2') + file('a.txt') + END
    )
    assert.deepEqual(body.body, { name: 'Ada', list: ['1', '2'] })
  })

  test('[B17] names that would grow into trees are left out')
    .with([
      ['an index beyond memory', 'a[4000000000]'],
      ['an index beyond patience', 'a[50000000]'],
      ['a thousand levels', `a${'.a'.repeat(1000)}`],
      ['levels beyond the stack', `a${'.a'.repeat(30_000)}`],
      ['a prototype', '__proto__[polluted]'],
      ['a prototype by another way', 'constructor.prototype.polluted'],
    ])
    .run(async ({ assert }, [, tree]) => {
      const { status, body } = await send(field('name', 'Ada') + field(tree, 'x') + END)
      assert.equal(status, 200)
      assert.deepEqual(body.names, ['name'])
      assert.isUndefined(({} as any).polluted)
    })

  test('[B17] a file under such a name is left out, too', async ({ assert }) => {
    const { status, body } = await send(
      field('name', 'Ada') + part('name="a[4000000000]"; filename="a.txt"', 'x') + END
    )
    assert.equal(status, 200)
    assert.deepEqual(body.names, ['name'])
    assert.deepEqual(body.files, [])
  })

  test('[B17] who goes away in the middle leaves nothing', async ({ assert }) => {
    const countLeft = () => leftovers().then(({ length }) => length)
    const [length, sent] = ['content-length: 100000', file('a.txt', 'x'.repeat(50_000))]
    const { HOST: host, PORT: port } = process.env
    const socket = connect({ host: host!, port: Number(port) })
    socket.write(
      `POST /admin/body-probe HTTP/1.1\r\nhost: ${host}\r\ncookie: ${cookie}\r\n${length}\r\n` +
        `content-type: multipart/form-data; boundary=${BOUNDARY}\r\n\r\n${sent.slice(0, -30)}`
    )
    await until(async () => (await countLeft()) === 1)
    socket.destroy()
    await until(async () => (await countLeft()) === 0)
    assert.equal(await countLeft(), 0)
  })
})

async function until(isSo: () => Promise<boolean>) {
  while (!(await isSo())) await setTimeout(5)
}

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64'
)

test.group('Admin | files in forms', (group) => {
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await Portrait.query().delete()
    cookie = await cookiesOf(await makeUser('jo', { isSuperuser: false }))
    return () =>
      rm(app.config.get<string>('admin.storageDirectory'), { recursive: true, force: true })
  })

  async function send(path: string, fields: Record<string, string | File>) {
    const form = new FormData()
    for (const [key, value] of Object.entries(fields)) form.set(key, value)
    const request = new Request(urlOf(path), { method: 'POST', body: form })
    const body = new Uint8Array(await request.arrayBuffer())
    const type = request.headers.get('content-type')!
    return await call('POST', path, { body, headers: { cookie, 'content-type': type } })
  }

  const create = (image: File, title = 'Ada') =>
    send('/admin/Portrait/form_create', { title, image })
  const png = (filename = 'ada.png') => new File([PNG], filename, { type: 'image/png' })
  const stored = () =>
    readdir(join(app.config.get<string>('admin.storageDirectory'), 'Portrait')).catch(() => [])

  test('[B17, S42] an uploaded file is stored by a name of ours, and comes back', async ({
    assert,
  }) => {
    const { status } = await create(png('../../my face.png'))
    assert.equal(status, 303)
    const { image } = await Portrait.firstOrFail()
    assert.match(image!, /^[0-9a-f]{32}\.png$/)
    assert.deepEqual(await stored(), [image])
    const answer = await fetch(urlOf(`/admin/Portrait/files/${image}`), { headers: { cookie } })
    assert.isTrue(PNG.equals(Buffer.from(await answer.arrayBuffer())))
  })

  test('[B17] what the schema does not take is not kept')
    .with([
      ['too large', 'a.txt', 'x'.repeat(2000), 'image/png'],
      ['of another kind', 'a.html', '<script>alert(1)</script>', 'text/html'],
      ['a page that says that it is an image', 'a.png', '<html><script>1</script>', 'image/png'],
      ['an image by its header only', 'a.exe', 'MZ', 'image/png'],
      ['an SVG', 'a.svg', '<svg xmlns="http://www.w3.org/2000/svg" onload="1"/>', 'image/png'],
      ['two endings', 'a.png.html', '<p>', 'image/png'],
    ])
    .run(async ({ assert }, [, filename, content, type]) => {
      const answer = await create(new File([content], filename, { type }))
      assert.equal(answer.status, 422)
      assert.include(answer.text, 'Please correct the errors below.')
      assert.deepEqual(await stored(), [])
      assert.lengthOf(await Portrait.all(), 0)
    })

  test('[B17] when the record can’t be stored, neither is the file', async ({ assert }) => {
    const { status } = await create(png(), '')
    assert.equal(status, 422)
    assert.deepEqual(await stored(), [])
  })

  test('[B17] a file that was stored before the record failed is dropped: {$self}')
    .with(['the schema refuses', 'the model refuses'])
    .run(async ({ assert }, who) => {
      /* A field whose schema takes the key has its file stored before the schema looks at anything. */
      const [title, column] = who === 'the schema refuses' ? ['', 'scan'] : ['Nobody', 'image']
      const created = await send('/admin/Portrait/form_create', { title, [column]: png() })
      assert.equal(created.status, 422)
      assert.deepEqual(await stored(), [])

      await create(png())
      const { id, image } = await Portrait.firstOrFail()
      const path = `/admin/Portrait/form_update/${id}`
      /* An empty one would be left out. */
      const updated = await send(path, { title: title || 'x'.repeat(300), scan: png() })
      assert.equal(updated.status, 400)
      assert.deepEqual(await stored(), [image])
    })

  test('[B17] a text in the place of a file is no key', async ({ assert }) => {
    const { id } = await Portrait.create({ title: 'Ada', image: name(1) })
    await send(`/admin/Portrait/form_update/${id}`, { title: 'Eve', image: name(2) })
    const { image } = await Portrait.findOrFail(id)
    assert.equal(image, name(1))
  })

  test('[B17] a new file takes the place of the old one', async ({ assert }) => {
    await send('/admin/Portrait/form_create', { title: 'Ada', scan: png() })
    const { id, scan: first } = await Portrait.firstOrFail()
    const { status } = await send(`/admin/Portrait/form_update/${id}`, { scan: png() })
    assert.equal(status, 303)
    const { scan: second } = await Portrait.firstOrFail()
    assert.notEqual(second, first)
    assert.deepEqual(await stored(), [second])
  })

  test('[B17] a file that is cleared is gone, others stay', async ({ assert }) => {
    await send('/admin/Portrait/form_create', { title: 'Ada', image: png(), scan: png() })
    const { id, image } = await Portrait.firstOrFail()
    assert.lengthOf(await stored(), 2)
    const { status } = await send(`/admin/Portrait/form_update/${id}`, { scan__clear: '1' })
    assert.equal(status, 303)
    const { scan } = await Portrait.findOrFail(id)
    assert.isNull(scan)
    assert.deepEqual(await stored(), [image])
  })

  test('[B17, B16] files stay with what is deleted softly, and go with what goes for good', async ({
    assert,
  }) => {
    await create(png())
    const { id, image } = await Portrait.firstOrFail()
    const remove = (query = '') =>
      call('DELETE', `/admin/Portrait/bulk-delete${query}`, {
        json: { ids: [id] },
        headers: { cookie },
      })
    await remove()
    assert.deepEqual(await stored(), [image])
    const { status } = await remove('?hard=true')
    assert.equal(status, 200)
    assert.deepEqual(await stored(), [])
  })
})

test.group('Admin | a file belongs to its record', (group) => {
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await Portrait.query().delete()
    await Poster.query().delete()
    cookie = await cookiesOf(await makeUser('jo', { isSuperuser: false }))
    return () =>
      rm(app.config.get<string>('admin.storageDirectory'), { recursive: true, force: true })
  })

  const statusOf = (key: string | null, model = 'Portrait') =>
    get(`/admin/${model}/files/${key}`, { headers: { cookie } }).then(({ status }) => status)

  async function upload(path: string, fields: Record<string, string | File>) {
    const form = new FormData()
    for (const [key, value] of Object.entries(fields)) form.set(key, value)
    const request = new Request(urlOf(path), { method: 'POST', body: form })
    const body = new Uint8Array(await request.arrayBuffer())
    const type = request.headers.get('content-type')!
    return await call('POST', path, { body, headers: { cookie, 'content-type': type } })
  }

  const png = () => new File([PNG], 'ada.png', { type: 'image/png' })

  test('[B17] a column of files takes no text, whatever schema it has: {0}')
    .with([
      ['/api/posters', 'image', Poster],
      ['/api/posters', 'scan', Poster],
      ['/admin/Portrait/crud', 'scan', Portrait],
      ['/admin/Portrait/crud', 'image', Portrait],
    ] as const)
    .run(async ({ assert }, [path, wire, model]) => {
      const headers = { cookie }
      for (const text of [name(1), 'anything', '']) {
        const made = await call('POST', path, { json: { title: 'Eve', [wire]: text }, headers })
        assert.equal(made.status, 422, text)
        assert.deepEqual(
          made.body.errors.map((error: any) => error.field),
          [wire]
        )
      }
      assert.lengthOf(await model.all(), 0)

      const { id } = await model.create({ title: 'Eve', [wire]: name(2) })
      const change = (json: object) => call('PATCH', `${path}/${id}`, { json, headers })
      const changed = await change({ title: 'Ada', [wire]: name(1) })
      assert.equal(changed.status, 422)
      assert.equal(changed.body.errors[0].message, `The ${wire} field must be a file`)
      assert.equal(await its(model.findOrFail(id), 'title'), 'Eve')
      assert.equal(await its(change({ title: 'Ada', [wire]: name(2) }), 'status'), 200)
      assert.equal(await its(change({ [wire]: null }), 'status'), 200)
      assert.isNull(await its(model.findOrFail(id), wire))
    })

  test('[B17] nor through a model of the table that names the connection', async ({
    assert,
    cleanup,
  }) => {
    /* Whose own `connection` is undefined is stored in the same database. */
    Poster.connection = db.primaryConnectionName
    cleanup(() => {
      Poster.connection = undefined
    })
    for (const wire of ['image', 'scan']) {
      const made = await call('POST', '/api/posters', { json: { title: 'Eve', [wire]: name(1) } })
      assert.equal(made.status, 422)
    }
    assert.lengthOf(await Poster.all(), 0)
  })

  test('[B17] a form’s text is none, even where an option makes the field one of text', async ({
    assert,
  }) => {
    const { id } = await Poster.create({ title: 'Eve' })
    const path = `/admin/Poster/form_update/${id}`
    const answer = await sendForm(path, { title: 'Ada', image: name(1) }, { cookie })
    assert.equal(answer.status, 400)
    assert.include(answer.text, 'must be a file')
    assert.isNull(await its(Poster.findOrFail(id), 'image'))
  })

  test('[B17] own code that says that it is the system writes what it wants', async ({
    assert,
  }) => {
    const crud = new LucidCrud(Poster)
    const actor = { kind: 'system', name: 'import' } as any
    await crud.create({ title: 'Ada', image: name(1) }, { actor })
    assert.equal(await its(Poster.firstOrFail(), 'image'), name(1))
    await assert.rejects(() => crud.create({ title: 'Ada', image: name(1) }), /not valid/)
  })

  test('[B17] what was stored for one record is given out for no other', async ({ assert }) => {
    /* Before it by its key, and after it, as own code may have written them. */
    const before = await Portrait.create({ title: 'Eve' })
    await upload('/admin/Portrait/form_create', { title: 'Ada', image: png(), scan: png() })
    const ada = await Portrait.query().where('title', 'Ada').firstOrFail()
    assert.deepEqual([await statusOf(ada.image), await statusOf(ada.scan)], [200, 200])

    await before.merge({ image: ada.image }).save()
    await Portrait.create({ title: 'Eve', scan: ada.image })
    assert.equal(await statusOf(ada.image), 200)
    await Portrait.query().where('id', ada.id).update({ owner: 'somebody' })
    assert.equal(await statusOf(ada.image), 404)

    /* Of one column, not of another. */
    await Portrait.query().where('id', ada.id).update({ owner: null, image: null, scan: ada.image })
    assert.equal(await statusOf(ada.image), 404)
    assert.equal(await statusOf(ada.scan), 404)
  })

  test('[B17] what an update stores is that record’s, too, and what is dropped is nobody’s', async ({
    assert,
  }) => {
    const { id } = await Portrait.create({ title: 'Ada' })
    const path = `/admin/Portrait/form_update/${id}`
    await upload(path, { scan: png() })
    const { scan } = await Portrait.findOrFail(id)
    assert.equal(await statusOf(scan), 200)
    await Portrait.create({ title: 'Eve', scan })
    await Portrait.query().where('id', id).update({ owner: 'somebody' })
    assert.equal(await statusOf(scan), 404)
    await Portrait.query().delete()

    const folder = app.config.get<string>('admin.storageDirectory')
    const { id: other } = await Portrait.create({ title: 'Ada' })
    await upload(`/admin/Portrait/form_update/${other}`, { scan: png() })
    const { scan: gone } = await Portrait.findOrFail(other)
    assert.include(await readdir(join(folder, '.owners', 'Portrait')), gone!)
    await upload(`/admin/Portrait/form_update/${other}`, { scan__clear: '1' })
    assert.notInclude(await readdir(join(folder, '.owners', 'Portrait')), gone!)
  })

  test('[B17] a file from before owners were noted is the first record’s that holds it', async ({
    assert,
  }) => {
    await put('Portrait', name(1))
    const first = await Portrait.create({ title: 'Ada', image: name(1) })
    await Portrait.create({ title: 'Eve', image: name(1) })
    assert.equal(await statusOf(name(1)), 200)
    await Portrait.query().where('id', first.id).update({ owner: 'somebody' })
    assert.equal(await statusOf(name(1)), 404)
  })
})
