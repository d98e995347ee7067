import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from '@japa/runner'
import { its } from '#tests/helpers/its'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { loggedEvents } from '#tests/helpers/model_events'
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
import { call, get, urlOf, type HttpResponse } from '#tests/helpers/http'
import { LucidCrud } from '#crud'
import type { ScannedFile } from '#admin/config/scan_file'
import { PNG } from '#tests/helpers/images'
import { makeRole, restoreRoles } from '#tests/helpers/roles'
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

  const statusOf = (response: Promise<HttpResponse>) => response.then(({ status }) => status)
  const fetchFile = (key: string, model = 'Portrait', headers = {}) =>
    get(`/admin/${model}/files/${key}`, { headers: { cookie, ...headers } })

  test('[B17, B10] a file is always sent as an attachment', async ({ assert }) => {
    await put('Portrait', name(1, '.html'), '<script>alert(1)</script>')
    await Portrait.create({ title: 'Ada', image: name(1, '.html') })
    const response = await fetchFile(name(1, '.html'))
    assert.equal(response.status, 200)
    assert.equal(response.text, '<script>alert(1)</script>')
    assert.equal(response.headers.get('content-type'), 'application/octet-stream')
    assert.equal(response.headers.get('content-length'), '25')
    assert.equal(
      response.headers.get('content-disposition'),
      'attachment; filename="Ada - Image.html"'
    )
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.include(response.headers.get('content-security-policy'), "default-src 'self'")
  })

  test('[B17] a file of several megabytes is sent completely', async ({ assert }) => {
    const bytes = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * 7) % 256))
    await put('Portrait', name(1), bytes)
    await Portrait.create({ title: 'Ada', image: name(1) })
    const response = await fetch(urlOf(`/admin/Portrait/files/${name(1)}`), { headers: { cookie } })
    assert.isTrue(bytes.equals(Buffer.from(await response.arrayBuffer())))
  })

  test('[B17] HEAD of a stored file returns its length without its content', async ({ assert }) => {
    await put('Portrait', name(1), 'twelve bytes')
    await Portrait.create({ title: 'Ada', image: name(1) })
    const { status, headers, text } = await callRaw('HEAD', `/admin/Portrait/files/${name(1)}`, {
      cookie,
    })
    assert.equal(status, 200)
    assert.equal(headers['content-length'], '12')
    assert.equal(text, '')
  })

  test('[B17] the file name is the title of the record, whatever characters that contains')
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
      const response = await fetchFile(name(1))
      const sent = Buffer.from(response.headers.get('content-disposition')!, 'latin1').toString(
        'latin1'
      )
      assert.equal(sent, disposition)
      assert.isNull(response.headers.get('set-cookie'))
    })

  test('[B17, U4] a file that a user clears stays stored if a record names it in a column hidden from this user', async ({
    assert,
  }) => {
    await put('Portrait', name(1))
    const { id } = await Portrait.create({ title: 'Ada', image: name(1), scan: name(1) })
    await makeRole('Clerk', { Portrait: { actions: ['*'], hidden: ['scan'] } })
    const clerk = await makeUser('kim', { isSuperuser: false, roles: ['Clerk'] })
    const fields = { title: 'Ada', image__clear: '1' }
    const path = `/admin/Portrait/form_update/${id}`
    const { status } = await sendForm(path, fields, { cookie: await cookiesOf(clerk) })
    assert.equal(status, 303)
    const portrait = await Portrait.findOrFail(id)
    assert.deepEqual([portrait.image, portrait.scan], [null, name(1)])
    assert.equal(await statusOf(fetchFile(name(1))), 200)
    await restoreRoles()
  })

  test('[B17] only columns with a file widget are served as files', async ({ assert }) => {
    await put('Portrait', name(1))
    await put('Portrait', name(2))
    await Portrait.create({ title: 'Ada', scan: name(1), note: name(2) })
    const scan = await fetchFile(name(1))
    assert.equal(scan.headers.get('content-disposition'), 'attachment; filename="Ada - Scan.png"')
    assert.equal(await statusOf(fetchFile(name(2))), 404)
  })

  test('[B17] a file that no record refers to is not served', async ({ assert }) => {
    await put('Portrait', name(1))
    const response = await fetchFile(name(1))
    assert.equal(response.status, 404)
    assert.include(response.text, 'Page not found')
  })

  test('[B17] the URL of a file that a record refers to but that is missing is a 404', async ({
    assert,
  }) => {
    await Portrait.create({ title: 'Ada', image: name(1) })
    assert.equal(await statusOf(fetchFile(name(1))), 404)
  })

  test('[B17] a soft-deleted record’s file is still served', async ({ assert }) => {
    await put('Portrait', name(1))
    await Portrait.create({ title: 'Ada', image: name(1), isDeleted: true })
    assert.equal(await statusOf(fetchFile(name(1))), 200)
  })

  test('[P14, B17] the file of a record that the scope hides is not served', async ({ assert }) => {
    await put('Portrait', name(1))
    await put('Portrait', name(2))
    await Portrait.create({ title: 'Ada', image: name(1), owner: 'eve' })
    await Portrait.create({ title: 'Ada', image: name(2), owner: 'jo' })
    await emptyEventTables()
    assert.equal(await statusOf(fetchFile(name(1))), 404)
    assert.equal(await statusOf(fetchFile(name(2))), 200)
    assert.equal(await statusOf(fetchFile(name(3))), 404)
    const [{ details }, ...others] = await loggedEvents('REFUSED')
    assert.deepInclude(details, { status: 404, route: '/admin/Portrait/files/:file' })
    assert.isEmpty(others)
  })

  test('[P14, B17] the file of a record that the policy refuses is not served', async ({
    assert,
  }) => {
    await put('Portrait', name(1))
    await Portrait.create({ title: 'Sealed', image: name(1) })
    const response = await fetchFile(name(1))
    assert.equal(response.status, 404)
    assert.isNull(response.headers.get('content-disposition'))
  })

  test('[B17] another model’s file is not served, even if a record names it', async ({
    assert,
  }) => {
    await put('Diploma', name(1), 'secret')
    await Portrait.create({ title: 'Ada', image: name(1) })
    assert.equal(await statusOf(fetchFile(name(1))), 404)

    await Certificate.create({ paper: name(1) })
    const own = await fetchFile(name(1), 'Diploma')
    assert.equal(own.text, 'secret')
  })

  test('[B14] serving a file requires the view action', async ({ assert }) => {
    await put('Certificate', name(1))
    await Certificate.create({ paper: name(1) })
    assert.equal(await statusOf(fetchFile(name(1), 'Certificate')), 404)
  })

  test('[B6, B17] an anonymous request gets no stored file', async ({ assert }) => {
    await put('Portrait', name(1))
    await Portrait.create({ title: 'Ada', image: name(1) })
    const response = await get(`/admin/Portrait/files/${name(1)}`)
    assert.equal(response.status, 303)
    assert.match(response.headers.get('location')!, /^\/admin\/login\?/)
  })

  test('[B17] no path leads out of the directory of files')
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
      /* A name that a column contains but the site has not generated is not served. */
      await Portrait.create({ title: 'Eve', image: '../../.env', scan: '/etc/passwd' })
      const { status, headers } = await callRaw('GET', `/admin/Portrait/files/${path}`, { cookie })
      assert.isAtLeast(status, 300, path)
      assert.isBelow(status, 500, path)
      assert.isUndefined(headers['content-disposition'], path)
    })
})

const BOUNDARY = 'boundary'

/* Written by hand, as an attacker would. */
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

  test('[B17] files are written to the disk and removed at the end of the request', async ({
    assert,
  }) => {
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

  test('[B17] uploaded files are removed if the handler fails', async ({ assert }) => {
    const before = await leftovers()
    const { status } = await send(file('a.txt') + END, { query: '?fail=1' })
    assert.equal(status, 500)
    assert.deepEqual(await leftovers(), before)
  })

  test('[B17] a malformed body with files is a 400 and leaves no files')
    .with([
      ['cut off in a file', file('a.txt') + file('b.txt').slice(0, -20)],
      ['without an end', file('a.txt')],
      ['empty', ''],
      ['no parts', 'just text'],
      ['cut off in a part without a name', part('filename="a.txt"', 'x').slice(0, -1)],
      ['a part without a name, and another', part('filename="a.txt"', 'x') + END.slice(0, 5)],
      ['more fields than any form', field('x', '1').repeat(10_001) + END],
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

  test('[B17] a body over the limit is refused and leaves no files', async ({ assert }) => {
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

  test('[B6, B17] files of unauthenticated requests are not read', async ({ assert }) => {
    const before = await leftovers()
    const { status } = await send(file('a.txt') + END, { headers: { cookie: '' } })
    assert.equal(status, 303)
    assert.deepEqual(await leftovers(), before)
  })

  test('[B17] fields and lists in a multipart body without files are parsed', async ({
    assert,
  }) => {
    const { body } = await send(
      field('name', 'Ada') + field('list', '1') + field('list', '2') + file('a.txt') + END
    )
    assert.deepEqual(body.body, { name: 'Ada', list: ['1', '2'] })
  })

  test('[B17] a field name that would be parsed to a nested object is ignored')
    .with([
      ['an index beyond memory', 'a[4000000000]'],
      ['a very large index', 'a[50000000]'],
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

  test('[B17] a file with a field name that would be parsed to a nested object is ignored', async ({
    assert,
  }) => {
    const { status, body } = await send(
      field('name', 'Ada') + part('name="a[4000000000]"; filename="a.txt"', 'x') + END
    )
    assert.equal(status, 200)
    assert.deepEqual(body.names, ['name'])
    assert.deepEqual(body.files, [])
  })

  test('[B17] a client that disconnects leaves no files', async ({ assert }) => {
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

  test('[B17, S42] an uploaded file is stored under a generated name and served', async ({
    assert,
  }) => {
    const { status } = await create(png('../../my face.png'))
    assert.equal(status, 303)
    const { image } = await Portrait.firstOrFail()
    assert.match(image!, /^[0-9a-f]{32}\.png$/)
    assert.deepEqual(await stored(), [image])
    const response = await fetch(urlOf(`/admin/Portrait/files/${image}`), { headers: { cookie } })
    assert.isTrue(PNG.equals(Buffer.from(await response.arrayBuffer())))
  })

  test('[B17] the original file name is shown only in the form of the record that the file was uploaded for', async ({
    assert,
  }) => {
    await create(png('my <b>face</b>.png'))
    const { id, image } = await Portrait.firstOrFail()
    const shown = (path: string) => get(path, { headers: { cookie } }).then(({ text }) => text)
    const link = `/admin/Portrait/files/${image}">`
    assert.include(
      await shown(`/admin/Portrait/update/${id}`),
      `${link}<bdi>my &lt;b&gt;face&lt;/b&gt;.png</bdi></a>`
    )
    assert.include(await shown('/admin/Portrait/'), `${link}Image.png</a>`)
    const other = await Portrait.create({ title: 'Bo', image })
    const page = await shown(`/admin/Portrait/update/${other.id}`)
    assert.include(page, `${link}<bdi>Image.png</bdi></a>`)
    assert.notInclude(page, 'face')
  })

  test('[B17] a file that the schema refuses is not stored')
    .with([
      ['too large', 'a.txt', 'x'.repeat(2000), 'image/png'],
      ['of another kind', 'a.html', '<script>alert(1)</script>', 'text/html'],
      ['a page that says that it is an image', 'a.png', '<html><script>1</script>', 'image/png'],
      ['an image by its header only', 'a.exe', 'MZ', 'image/png'],
      ['an SVG', 'a.svg', '<svg xmlns="http://www.w3.org/2000/svg" onload="1"/>', 'image/png'],
      ['two endings', 'a.png.html', '<p>', 'image/png'],
    ])
    .run(async ({ assert }, [, filename, content, type]) => {
      const response = await create(new File([content], filename, { type }))
      assert.equal(response.status, 422)
      assert.include(response.text, 'Please correct the errors below.')
      assert.deepEqual(await stored(), [])
      assert.lengthOf(await Portrait.all(), 0)
    })

  test(
    '[B17] accepts only files of the default types by name and content if no types are configured: {$self}'
  )
    .with([
      ['page.html', '<p>'],
      ['drawing.svg', '<svg/>'],
      ['script.js', 'x'],
      ['program.exe', 'MZ'],
      ['nothing', 'x'],
      ['page.png', '<html><script>1</script>'],
      ['text.pdf', 'not a PDF'],
      ['program.txt', 'MZ\0\0'],
      ['list.docx', 'a,b'],
    ])
    .run(async ({ assert }, [filename, content]) => {
      const scan = new File([content], filename, { type: 'image/png' })
      const response = await send('/admin/Portrait/form_create', { title: 'Ada', scan })
      assert.equal(response.status, 422)
      assert.match(
        response.text,
        /must be a file of an allowed type|its content is of another type/
      )
      assert.deepEqual(await stored(), [])
      assert.lengthOf(await Portrait.all(), 0)
    })

  test(
    '[B17] accepts files of the default types, and other types if they are configured: {filename}'
  )
    .with([
      { field: 'scan', filename: 'a.pdf', content: '%PDF-1.7' },
      { field: 'scan', filename: 'a.txt', content: 'plain' },
      { field: 'scan', filename: 'a.csv', content: 'a,b' },
      { field: 'scan', filename: 'a.xlsx', content: 'PK\u0003\u0004' },
      { field: 'scan', filename: 'A.PNG', content: PNG },
      { field: 'drawing', filename: 'a.svg', content: '<svg/>' },
    ])
    .run(async ({ assert }, { field: column, filename, content }) => {
      const upload = new File([content], filename)
      const fields = { title: 'Ada', [column]: upload }
      const { status } = await send('/admin/Portrait/form_create', fields)
      assert.equal(status, 303)
      assert.lengthOf(await stored(), 1)
    })

  test('[B17] scanFile checks each file before it is stored, and refuses it by a returned reason or an exception', async ({
    assert,
    cleanup,
  }) => {
    cleanup(() => app.config.set('admin.scanFile', undefined))
    const seen: unknown[] = []
    app.config.set('admin.scanFile', async ({ path, ...scanned }: ScannedFile) => {
      const { length } = await readFile(path)
      seen.push({ ...scanned, content: length })
      if (scanned.field === 'image') return 'contains malware'
      throw new Error('The scanner is down')
    })
    const refused = await create(png())
    const failed = await send('/admin/Portrait/form_create', { title: 'Ada', scan: png() })

    assert.deepEqual([refused.status, failed.status], [422, 422])
    assert.include(refused.text, 'contains malware')
    assert.include(failed.text, 'could not be scanned')
    const common = { name: 'ada.png', size: PNG.length, model: 'Portrait', content: PNG.length }
    assert.deepEqual(seen, [
      { ...common, field: 'image' },
      { ...common, field: 'scan' },
    ])
    assert.deepEqual(await stored(), [])
    assert.lengthOf(await Portrait.all(), 0)
  })

  test('[B17] a file is deleted if its record can’t be stored', async ({ assert }) => {
    const { status } = await create(png(), '')
    assert.equal(status, 422)
    assert.deepEqual(await stored(), [])
  })

  test('[B17] a file that was stored before the write of its record failed is removed: {$self}')
    .with(['the schema refuses', 'the model refuses'])
    .run(async ({ assert }, who) => {
      /* A field whose schema takes the key has its file stored before validation. */
      const [title, column] = who === 'the schema refuses' ? ['', 'scan'] : ['Nobody', 'image']
      const created = await send('/admin/Portrait/form_create', { title, [column]: png() })
      assert.equal(created.status, 422)
      assert.deepEqual(await stored(), [])

      await create(png())
      const { id, image } = await Portrait.firstOrFail()
      const path = `/admin/Portrait/form_update/${id}`
      /* An empty field would be left out. */
      const updated = await send(path, { title: title || 'x'.repeat(300), scan: png() })
      assert.equal(updated.status, 400)
      assert.deepEqual(await stored(), [image])
    })

  test('[B17] a text in place of a file is not accepted as the key of a file', async ({
    assert,
  }) => {
    const { id } = await Portrait.create({ title: 'Ada', image: name(1) })
    await send(`/admin/Portrait/form_update/${id}`, { title: 'Eve', image: name(2) })
    const { image } = await Portrait.findOrFail(id)
    assert.equal(image, name(1))
  })

  test('[B17] an uploaded file replaces the old one, which is removed', async ({ assert }) => {
    await send('/admin/Portrait/form_create', { title: 'Ada', scan: png() })
    const { id, scan: first } = await Portrait.firstOrFail()
    const { status } = await send(`/admin/Portrait/form_update/${id}`, { scan: png() })
    assert.equal(status, 303)
    const { scan: second } = await Portrait.firstOrFail()
    assert.notEqual(second, first)
    assert.deepEqual(await stored(), [second])
  })

  test('[B17] a file of a cleared field is removed, and the other files stay', async ({
    assert,
  }) => {
    await send('/admin/Portrait/form_create', { title: 'Ada', image: png(), scan: png() })
    const { id, image } = await Portrait.firstOrFail()
    assert.lengthOf(await stored(), 2)
    const { status } = await send(`/admin/Portrait/form_update/${id}`, { scan__clear: '1' })
    assert.equal(status, 303)
    const { scan } = await Portrait.findOrFail(id)
    assert.isNull(scan)
    assert.deepEqual(await stored(), [image])
  })

  test('[B17, B16] soft deletion preserves the files, and purging removes them', async ({
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

test.group('Admin | owners of files', (group) => {
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

  test('[B17] a file column accepts no text, whatever its schema allows: {0}')
    .with([
      ['/api/posters', 'image', Poster],
      ['/api/posters', 'scan', Poster],
      ['/admin/Portrait/crud', 'scan', Portrait],
      ['/admin/Portrait/crud', 'image', Portrait],
    ] as const)
    .run(async ({ assert }, [path, apiName, model]) => {
      const headers = { cookie }
      for (const text of [name(1), 'anything', '']) {
        const made = await call('POST', path, { json: { title: 'Eve', [apiName]: text }, headers })
        assert.equal(made.status, 422, text)
        assert.deepEqual(
          made.body.errors.map((error: any) => error.field),
          [apiName]
        )
      }
      assert.lengthOf(await model.all(), 0)

      const { id } = await model.create({ title: 'Eve', [apiName]: name(2) })
      const change = (json: object) => call('PATCH', `${path}/${id}`, { json, headers })
      const changed = await change({ title: 'Ada', [apiName]: name(1) })
      assert.equal(changed.status, 422)
      assert.equal(changed.body.errors[0].message, `The ${apiName} field must be a file`)
      assert.equal(await its(model.findOrFail(id), 'title'), 'Eve')
      assert.equal(await its(change({ title: 'Ada', [apiName]: name(2) }), 'status'), 200)
      assert.equal(await its(change({ [apiName]: null }), 'status'), 200)
      assert.isNull(await its(model.findOrFail(id), apiName))
    })

  test('[B17] a model of the same table with an explicit connection accepts no text as a file either', async ({
    assert,
    cleanup,
  }) => {
    /* A model without `connection` is stored in the same database. */
    Poster.connection = db.primaryConnectionName
    cleanup(() => {
      Poster.connection = undefined
    })
    for (const apiName of ['image', 'scan']) {
      const made = await call('POST', '/api/posters', {
        json: { title: 'Eve', [apiName]: name(1) },
      })
      assert.equal(made.status, 422)
    }
    assert.lengthOf(await Poster.all(), 0)
  })

  test('[B17] a form accepts no text for a file column, even if an option makes the field a text field', async ({
    assert,
  }) => {
    const { id } = await Poster.create({ title: 'Eve' })
    const path = `/admin/Poster/form_update/${id}`
    const response = await sendForm(path, { title: 'Ada', image: name(1) }, { cookie })
    assert.equal(response.status, 400)
    assert.include(response.text, 'must be a file')
    assert.isNull(await its(Poster.findOrFail(id), 'image'))
  })

  test('[B17] application code that runs as the system can write any file key', async ({
    assert,
  }) => {
    const crud = new LucidCrud(Poster)
    const actor = { kind: 'system', name: 'import' } as any
    await crud.create({ title: 'Ada', image: name(1) }, { actor })
    assert.equal(await its(Poster.firstOrFail(), 'image'), name(1))
    await assert.rejects(() => crud.create({ title: 'Ada', image: name(1) }), /not valid/)
  })

  test('[B17] a file is served only for the record that it was stored for', async ({ assert }) => {
    /* One record with a lower key and one with a higher key, as own code may have written them. */
    const before = await Portrait.create({ title: 'Eve' })
    await upload('/admin/Portrait/form_create', { title: 'Ada', image: png(), scan: png() })
    const ada = await Portrait.query().where('title', 'Ada').firstOrFail()
    assert.deepEqual([await statusOf(ada.image), await statusOf(ada.scan)], [200, 200])

    await before.merge({ image: ada.image }).save()
    await Portrait.create({ title: 'Eve', scan: ada.image })
    assert.equal(await statusOf(ada.image), 200)
    await Portrait.query().where('id', ada.id).update({ owner: 'somebody' })
    assert.equal(await statusOf(ada.image), 404)

    /* The owner is a column too. */
    await Portrait.query().where('id', ada.id).update({ owner: null, image: null, scan: ada.image })
    assert.equal(await statusOf(ada.image), 404)
    assert.equal(await statusOf(ada.scan), 404)
  })

  test('[B17] a file that an update stores belongs to the updated record, and a removed file to no record', async ({
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

  test('[B17] a file without a stored owner belongs to the first record that refers to it', async ({
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
