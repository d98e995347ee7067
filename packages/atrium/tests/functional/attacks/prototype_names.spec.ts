/*
 * Names of Object.prototype's members, wherever a client may send a name: they are treated like any
 * unknown name, and the prototypes stay unchanged.
 */
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import {
  callRaw,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { call, get } from '#tests/helpers/http'
import { someOf } from '#tests/helpers/random_runs'

const NAMES = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty'],
  ...['isPrototypeOf', '__defineGetter__', '__lookupGetter__', 'toJSON', 'then', 'length'],
  ...['constructor.prototype', '__proto__.polluted', '__proto__[polluted]', '[__proto__]'],
]

/** An unknown name without special meaning */
const UNKNOWN = 'no-such-thing'

const SHARED = [Object, Array, Function, String, Number, Map, Promise].map(
  (one) => one.prototype as object
)

/** Property descriptors of the built-in prototypes. */
function shared(): Array<Record<PropertyKey, PropertyDescriptor>> {
  return SHARED.map((prototype) => Object.getOwnPropertyDescriptors(prototype) as never)
}

const JSON_TYPE = { 'content-type': 'application/json' }
const MOMENT = '2020-02-02 00:00:00'

test.group("Attacks | names of Object.prototype's members", (group) => {
  let cookie: string
  const before = shared()

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    cookie = await cookiesOf(await makeUser('jo'))
    await db.from('attacked_patrons').delete()
    await db.from('samples').delete()
    await db.table('attacked_patrons').insert({ id: 1, name: 'Ann', tier: 2, created_at: MOMENT })
  })
  group.each.teardown(() => {
    const after = shared()
    for (const [index, one] of before.entries()) {
      for (const key of Reflect.ownKeys(after[index])) {
        if (after[index][key].value !== one[key]?.value) {
          throw new Error(`${String(key)} of what all objects share was written`)
        }
      }
    }
  })

  /** Status and text of the response to a name, without the name itself. */
  async function responseTo(name: string, path: (encodedName: string) => string) {
    const { status, text } = await callRaw('GET', path(encodeURIComponent(name)), { cookie })
    const encodedName = encodeURIComponent(name)
    const bare = text
      .replaceAll('maxlength=', '')
      .replaceAll(JSON.stringify(name).slice(1, -1), '*')
      .replaceAll(name, '*')
      .replaceAll(encodedName, '*')
      .replaceAll(encodeURIComponent(encodedName), '*')
    return { status, text: bare }
  }

  test('[A15, Q2, Q3] the name of a member of Object.prototype is unknown like any other name: {0}')
    .with([
      ['sort', (name: string) => `/api/attacked-patrons?sort=${name}`],
      ['sort downwards', (name: string) => `/api/attacked-patrons?sort=-${name}`],
      ['fields', (name: string) => `/api/attacked-patrons?fields=id,${name}`],
      ['fields of an item', (name: string) => `/api/attacked-patrons/1?fields=${name}`],
      ['include', (name: string) => `/api/attacked-patrons?include=${name}`],
      ['include of an item', (name: string) => `/api/attacked-patrons/1?include=${name}`],
      ['deleted', (name: string) => `/api/attacked-patrons?deleted=${name}`],
      ['cursor', (name: string) => `/api/attacked-patrons?cursor=${name}`],
      ['count', (name: string) => `/api/attacked-patrons?count=${name}`],
      ['page', (name: string) => `/api/attacked-patrons?page=${name}`],
      ['a parameter', (name: string) => `/api/attacked-patrons?${name}=1`],
      ['a parameter twice', (name: string) => `/api/attacked-patrons?${name}=1&${name}=2`],
      ['a filter', (name: string) => `/api/attacked-patrons?${name}__eq=1`],
      ['an operator', (name: string) => `/api/attacked-patrons?name__${name}=1`],
      ['a value', (name: string) => `/api/attacked-patrons?name=${name}`],
      ['a key of a model', (name: string) => `/api/attacked-patrons/${name}`],
      ['a path', (name: string) => `/api/${name}`],
      ['a path with a key', (name: string) => `/api/${name}/1`],
      ['a file of the page', (name: string) => `/docs/${name}`],
      ['a page', (name: string) => `/${name}`],
      ['health', (name: string) => `/health/${name}`],
      ['a model of the site', (name: string) => `/admin/${name}/`],
      ['endpoints of the site', (name: string) => `/admin/${name}/crud`],
      ['a page of a model', (name: string) => `/admin/Patron/${name}`],
      ['a record', (name: string) => `/admin/Patron/update/${name}`],
      ['choices', (name: string) => `/admin/Patron/choices/${name}?q=a`],
      ['a file', (name: string) => `/admin/Patron/files/${name}`],
      ['an asset', (name: string) => `/admin/assets/${name}`],
      ['management', (name: string) => `/admin/management/${name}`],
      ['an event', (name: string) => `/admin/management/events/${name}`],
      ['a history', (name: string) => `/admin/${name}/history/1`],
      ['a history’s key', (name: string) => `/admin/Patron/history/${name}`],
      ['a login’s reason', (name: string) => `/admin/login?error=${name}`],
    ] as Array<[string, (name: string) => string]>)
    .run(async ({ assert }, [kind, path]) => {
      const usual = await responseTo(UNKNOWN, path)
      for (const name of someOf(NAMES, 4, kind.length)) {
        const { status, text } = await responseTo(name, path)
        assert.equal(status, usual.status, name)
        /* Pages are compared by their content; the markup may depend on the length of the name. */
        if (!text.startsWith('<!')) assert.equal(text, usual.text, name)
      }
    })

  test("[S27, S28, S29] a list of the site ignores parameters with names or values of Object.prototype's members", async ({
    assert,
  }) => {
    const plain = await get('/admin/Patron/table-content', { headers: { cookie } })
    for (const name of NAMES.slice(0, 6).map(encodeURIComponent)) {
      for (const query of [
        `sort_by=${name}&sort_order=desc`,
        `sort_order=${name}`,
        `column-to-search=${name}&search=Ann`,
        `page=${name}`,
        `rows-per-page-select=${name}`,
        `deleted=${name}`,
        `${name}=1`,
      ]) {
        const { status, text } = await get(`/admin/Patron/table-content?${query}`, {
          headers: { cookie },
        })
        assert.equal(status, 200, query)
        assert.equal(text, plain.text, query)
      }
      for (const parameter of ['event_type', 'status', 'resource_type', 'username', 'page']) {
        const { status } = await get(`/admin/management/events?${parameter}=${name}`, {
          headers: { cookie },
        })
        assert.equal(status, 200, parameter)
      }
    }
  })

  test("[A7, A29] a body with field names of Object.prototype's members is accepted, however large its values are", async ({
    assert,
  }) => {
    const list = `[${'0,'.repeat(200_000)}0]`
    const values = ['1', 'null', '{"polluted":1}', '{"__proto__":{"polluted":1}}', '[[],{}]', list]
    for (const name of NAMES.map((one) => JSON.stringify(one))) {
      const members = values.map((value) => `${name}:${value}`).join()
      const created = await call('POST', '/api/attacked-patrons', {
        body: `{${members},"name":"Bo",${name}:1}`,
        headers: JSON_TYPE,
      })
      assert.equal(created.status, 201, name)
      const updated = await call('PATCH', '/api/attacked-patrons/1', {
        body: `{${members}}`,
        headers: JSON_TYPE,
      })
      assert.equal(updated.status, 200, name)
      const bulk = await call('DELETE', '/admin/Patron/bulk-delete', {
        body: `{${members}}`,
        headers: { ...JSON_TYPE, cookie },
      })
      assert.equal(bulk.status, 400, name)
    }
    const rows = await db.from('attacked_patrons').where('name', 'Ann')
    assert.deepInclude(rows[0], { id: 1, tier: 2, updated_at: null })
  }).timeout(30_000)

  test('[A6, A29] an object or a list in place of a text causes one error, whatever its keys and size', async ({
    assert,
  }) => {
    const list = `[${'{},'.repeat(200_000)}{}]`
    for (const value of ['{"__proto__":"x"}', '{"toString":1}', '{"constructor":{}}', list]) {
      const { status, body } = await call('POST', '/api/attacked-patrons', {
        body: `{"name":${value}}`,
        headers: JSON_TYPE,
      })
      assert.equal(status, 422)
      assert.lengthOf(body.errors, 1)
      assert.equal(body.errors[0].field, 'name')
    }
    for (const name of NAMES) {
      const { status, body } = await call('POST', '/api/attacked-patrons', { json: { name } })
      assert.equal(status, name.length > 20 ? 422 : 201)
      if (status === 201) assert.equal(body.name, name)
    }
  })

  test("[A20, A29] a JSON document with keys of Object.prototype's members is returned as it was sent", async ({
    assert,
  }) => {
    const data =
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":"x","a":[{"__proto__":null}],"big":12345678901234567890}'
    const created = await call('POST', '/api/samples', {
      body: `{"name":"a","data":${data}}`,
      headers: JSON_TYPE,
    })
    assert.equal(created.status, 201)
    const read = await get(`/api/samples/${created.body.id}`)
    const wanted = data.replace('12345678901234567890', '"12345678901234567890"')
    assert.deepEqual(membersOf(read.text), membersOf(`{"data":${wanted}}`))
  })

  test("[S36, S42, B17] form fields with names of Object.prototype's members are ignored", async ({
    assert,
  }) => {
    const pairs = NAMES.flatMap((name): Array<[string, string]> => [
      [name, 'x'],
      [name, 'y'],
      [`${name}[polluted]`, 'x'],
      [`${name}.polluted`, 'x'],
      [`${name}__clear`, '1'],
    ])
    const form = new URLSearchParams([...pairs, ['name', 'Cy']]).toString()
    const parts = [...pairs, ['name', 'Di']].map(
      ([name, value]) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
    )
    for (const path of ['form_create', 'form_update/1']) {
      const { status } = await sendForm(`/admin/Patron/${path}`, form, { cookie })
      assert.equal(status, 303, path)
      const multipart = await call('POST', `/admin/Patron/${path}`, {
        body: `${parts.join('')}--x--\r\n`,
        headers: { 'content-type': 'multipart/form-data; boundary=x', cookie },
      })
      assert.equal(multipart.status, 303, path)
    }
    const names: Array<{ name: string }> = await db.from('attacked_patrons').orderBy('id')
    assert.deepEqual(
      names.map(({ name }) => name),
      ['Di', 'Cy', 'Di']
    )
    for (const name of NAMES) {
      const theme = await sendForm('/admin/theme', { theme: name, next: name })
      assert.isBelow(theme.status, 500)
      const bulk = await sendForm(
        '/admin/Patron/form_bulk_delete',
        { ids: name, action: name, confirmed: '1' },
        { cookie }
      )
      assert.isBelow(bulk.status, 500)
    }
    assert.lengthOf(await db.from('attacked_patrons'), 3)
  })

  test("headers and cookies with names of Object.prototype's members are ignored", async ({
    assert,
  }) => {
    const cases = NAMES.slice(0, 3).flatMap((name) =>
      [
        { [name]: 'x' },
        { cookie: `${name}=x; ${cookie}` },
        { cookie: `theme=${name}; flash=${name}; ${cookie}` },
        { 'accept-language': name, cookie },
        { prefer: `${name}=${name}`, cookie },
        { accept: `${name}/${name}`, cookie },
        { 'accept-encoding': name, cookie },
        { 'if-match': name, cookie },
        { 'x-request-id': name, cookie },
      ].flatMap((headers) =>
        ['/admin', '/admin/Patron/', '/api/attacked-patrons/1', '/docs'].map((path) => ({
          path,
          headers: headers as Record<string, string>,
        }))
      )
    )
    for (const { path, headers } of someOf(cases, 5)) {
      const { status } = await callRaw('GET', path, headers)
      assert.isBelow(status, 500, `${path} ${JSON.stringify(headers)}`)
    }
  })
})

/** Own members of a JSON text's `data`. */
function membersOf(text: string): unknown {
  const entries = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(entries)
    if (typeof value !== 'object' || value === null) return value
    return Object.entries(value).map(([key, inner]) => [key, entries(inner)])
  }
  return entries((JSON.parse(text) as { data: unknown }).data)
}
