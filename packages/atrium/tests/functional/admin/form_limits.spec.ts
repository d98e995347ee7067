import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import type { AdminConfig } from '#admin/config/define_config'
import { formOf } from '#tests/helpers/forms'
import { call, get } from '#tests/helpers/http'
import { exchange } from '#tests/helpers/raw_http'
import { Machine } from '#tests/fixtures/forms'
import { onMysql, onSqlite } from '#tests/helpers/databases'

/* Deeper than any recursion can go */
/** MariaDB accepts one level less. */
const DEEPEST = onMysql ? 31 : 32
const DEEP = `${'['.repeat(20_000)}${']'.repeat(20_000)}`

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

test.group('Admin | forms | limits', (group) => {
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await Machine.query().delete()
    cookie = await cookiesOf(await makeUser('jo', { isSuperuser: false }))
  })

  const page = (path: string) => get(`/admin/${path}`, { headers: { cookie } })
  const send = (
    path: string,
    fields: Record<string, string> | string,
    headers: Record<string, string> = {}
  ) => sendForm(`/admin/${path}`, fields, { cookie, ...headers })

  async function deepMachine() {
    const { id } = await Machine.create({ name: 'Loom', active: true })
    await db.from('form_machines').where('id', id).update({ data: DEEP })
    return { id, path: `Machine/form_update/${id}`, page: `Machine/update/${id}` }
  }

  async function storedName() {
    const { name } = await Machine.firstOrFail()
    return name
  }

  test('[S36, S42] more than 1,000 values of a field or 10,000 fields are a 413, and nothing is stored', async ({
    assert,
  }) => {
    const { id } = await Machine.create({ name: 'Loom', active: true })
    const manyFields = Array.from({ length: 10_001 }, (_, index) => `f${index}=x`).join('&')
    for (const body of [
      `name=Mill${'&tags=x'.repeat(1001)}`,
      `name=Mill${'&other=x'.repeat(40_000)}`,
      manyFields,
    ]) {
      for (const path of ['Machine/form_create', `Machine/form_update/${id}`]) {
        const response = await send(path, body)
        assert.equal(response.status, 413, path)
        assert.include(response.text, 'It contains more than the server accepts in one request')
        const problem = await send(path, body, { accept: 'application/json' })
        assert.equal(problem.status, 413)
        assert.equal(problem.body.status, 413)
      }
    }
    assert.lengthOf(await Machine.all(), 1)
    assert.equal(await storedName(), 'Loom')
  })

  test('[S36] a multipart form of more than 1,000 values of a field, or 10,000 in all, is refused', async ({
    assert,
  }) => {
    const part = (name: string) =>
      `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\na\r\n`
    for (const parts of [
      part('tags').repeat(1001),
      Array.from({ length: 10_001 }, (_, index) => part(`f${index}`)).join(''),
    ]) {
      const { status, text } = await call('POST', '/admin/Machine/form_create', {
        body: `${part('name')}${parts}--x--\r\n`,
        headers: { cookie, 'content-type': 'multipart/form-data; boundary=x' },
      })
      assert.equal(status, 413)
      assert.include(text, 'It contains more than the server accepts in one request')
    }
    assert.isEmpty(await Machine.all())
  })

  test('[S36] a field with a thousand values is accepted', async ({ assert }) => {
    const { status, text } = await send('Machine/form_create', `name=Mill${'&data=1'.repeat(1000)}`)
    assert.equal(status, 303, text)
    const { data } = await Machine.firstOrFail()
    assert.lengthOf(JSON.parse(data), 1000)
  })

  test('[A29, B17] JSON in a form can have 32 levels, as in a JSON body', async ({ assert }) => {
    const response = await send('Machine/form_create', { name: 'Mill', data: nested(33) })
    assert.equal(response.status, 422)
    assert.include(response.text, 'must not nest more than 32 levels deep')
    assert.isEmpty(await Machine.all())
    const made = await send('Machine/form_create', { name: 'Mill', data: nested(DEEPEST) })
    assert.equal(made.status, 303)

    const { id } = await Machine.firstOrFail()
    for (const data of [nested(33), DEEP]) {
      const changed = await send(`Machine/form_update/${id}`, { name: 'Plough', data })
      assert.equal(changed.status, 400)
      assert.include(changed.text, 'must not nest more than 32 levels deep')
    }
    assert.equal(await storedName(), 'Mill')
  })

  test('[A29, B17] an integer in the JSON of a form can have 1,000 digits, as in a JSON body', async ({
    assert,
  }) => {
    const longest = '9'.repeat(1000)
    const response = await send('Machine/form_create', { name: 'Loom', data: `[${longest}9]` })
    assert.equal(response.status, 422)
    assert.include(response.text, 'must not have an integer of more than 1000 digits')
    const taken = await send('Machine/form_create', { name: 'Loom', data: `[${longest}]` })
    assert.equal(taken.status, 303)
  })

  test('[B17] a record with JSON deeper than the limit can be opened, and the JSON is preserved if it is not edited', async ({
    assert,
  }) => {
    const deep = await deepMachine()
    const list = await page('Machine/')
    assert.equal(list.status, 200)
    assert.include(list.text, '[[[[[[')
    const opened = await page(deep.page)
    assert.equal(opened.status, 200)
    const { values } = formOf(opened.text)
    assert.equal(values.data, DEEP)

    const saved = await send(deep.path, {
      name: 'Mule',
      data: DEEP,
      _version: String(values._version),
    })
    assert.equal(saved.status, 303, saved.text.slice(0, 500))
    const { name, data } = await Machine.findOrFail(deep.id)
    assert.equal(name, 'Mule')
    assert.equal(data, DEEP)

    const emptied = await send(deep.path, { data: '', data__clear: '1' })
    assert.equal(emptied.status, 303)
  }).skip(!onSqlite, 'such a value can only be in a SQLite file')

  test('[A20] an endpoint returns stored JSON deeper than the limit of bodies unchanged', async ({
    assert,
  }) => {
    const { id } = await deepMachine()
    const { status, text } = await page(`Machine/crud/${id}`)
    assert.equal(status, 200)
    assert.isTrue(text.includes(`"data":${DEEP}`))
  }).skip(!onSqlite, 'such a value can only be in a SQLite file')

  test('[B25] a conflict page shows both versions of JSON that is deeper than the limit', async ({
    assert,
  }) => {
    const deep = await deepMachine()
    const response = await send(deep.path, { name: 'Mule', data: DEEP, _version: 'x' })
    assert.equal(response.status, 409)
    assert.equal(await storedName(), 'Loom')
  }).skip(!onSqlite, 'such a value can only be in a SQLite file')

  test('[B17] indentation does not make a page much longer than the JSON that it shows', async ({
    assert,
  }) => {
    const wide = `${'['.repeat(30)}${'[1],'.repeat(10_000)}[1]${']'.repeat(30)}`
    const { id } = await Machine.create({ name: 'Loom', active: true, data: wide })
    const { text } = await page(`Machine/update/${id}`)
    assert.isBelow(text.length, 3 * wide.length)
    assert.include(text, '[1],[1]')
  })

  test('[K5.5] the body parser of the application has no effect on forms of the site', async ({
    assert,
    cleanup,
  }) => {
    const config = app.config.get<object>('bodyparser')
    cleanup(() => app.config.set('bodyparser', config))
    app.config.set('bodyparser', {})
    const multipart = await call('POST', '/admin/Machine/form_create', {
      body: '--x\r\ncontent-disposition: form-data; name="name"\r\n\r\nMill\r\n--x--\r\n',
      headers: { cookie, 'content-type': 'multipart/form-data; boundary=x' },
    })
    const urlencoded = await send('Machine/form_create', 'name=Mill')
    for (const { status, text } of [multipart, urlencoded]) assert.equal(status, 303, text)
    assert.lengthOf(await Machine.query().where({ name: 'Mill' }), 2)
  })

  test('[K5.5, B17] the size of a form without files is limited by forms.textMegabytes', async ({
    assert,
  }) => {
    const { forms } = app.config.get<AdminConfig>('admin')
    assert.equal(forms.textMegabytes, 1)
    const fields = (length: number) => `name=Mill&other=${'x'.repeat(length)}`
    const large = await send('Machine/form_create', fields(2 ** 20))
    assert.equal(large.status, 413)
    const fitting = await send('Machine/form_create', fields(2 ** 20 - 100))
    assert.equal(fitting.status, 303)
  })

  test('[B17] an upload larger than the limit of a form is not read to its end', async ({
    assert,
    cleanup,
  }) => {
    const { forms } = app.config.get<AdminConfig>('admin')
    const { filesMegabytes } = forms
    cleanup(() => {
      forms.filesMegabytes = filesMegabytes
    })
    forms.filesMegabytes = 1 / 1024
    const head = [
      'POST /admin/Utensil/form_create HTTP/1.1',
      'Host: localhost',
      `Cookie: ${cookie}`,
      'Accept: application/json',
      'Content-Type: multipart/form-data; boundary=b',
    ]
    const announced = await exchange(...head, 'Content-Length: 1100000')
    assert.equal(announced.status, 413)

    /* None of it is in a part, which is all that the parser limits. */
    const garbage = 'x'.repeat(1_100_000)
    const chunk = [(2 * garbage.length).toString(16), garbage]
    const chunked = await exchange(...head, 'Transfer-Encoding: chunked', '', ...chunk)
    assert.equal(chunked.status, 413)
    assert.equal(chunked.headers.connection, 'close')
  })
})
