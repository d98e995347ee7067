import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { YES } from '#tests/helpers/databases'
import { call, type HttpResponse } from '#tests/helpers/http'

const MARK = 'stolen'
const PAST = '2001-01-01 00:00:00'

/** Columns outside the schemas, by names that an attacker would try. */
const UNASKED: Record<string, unknown> = {
  'id': 4711,
  'ID': 4711,
  'is_deleted': true,
  'isDeleted': true,
  'deleted_at': PAST,
  'deletedAt': PAST,
  'created_at': PAST,
  'createdAt': PAST,
  'updated_at': PAST,
  'updatedAt': PAST,
  'pin': MARK,
  'hashed_password': MARK,
  'hashedPassword': MARK,
  'tier': 99,
  'Tier': 99,
  'attacked_patrons.tier': 99,
  'club_id': 1,
  'clubId': 1,
  'club': { id: 1, name: MARK },
  'patrons': [{ id: 1, tier: 99 }],
  '$attributes': { tier: 99, pin: MARK },
  '$original': { id: 4711 },
  '$dirty': { tier: 99 },
  '$extras': { tier: 99 },
  '$sideloaded': { tier: 99 },
  '$isPersisted': false,
  '$primaryKeyValue': 4711,
  '$trx': null,
  '$options': { connection: MARK },
  'constructor': { prototype: { tier: 99 } },
  'prototype': { tier: 99 },
  'toJSON': MARK,
  'save': MARK,
  'fill': { tier: 99 },
  '_version': undefined,
  '_method': 'DELETE',
}

/** `__proto__` written by hand, as JSON.stringify leaves out an object's own. */
const PROTO = '"__proto__":{"tier":99,"pin":"stolen","name":"stolen"}'

type Fields = Record<string, unknown>

/** Nested values in the notation of forms. */
function flat(fields: Fields): Array<[string, string]> {
  return Object.entries(fields).flatMap(([name, value]): Array<[string, string]> => {
    if (value === undefined) return []
    if (typeof value !== 'object' || value === null) return [[name, String(value)]]
    return Object.entries(value).flatMap(([inner, one]) => [
      [`${name}[${inner}]`, String(one)],
      [`${name}.${inner}`, String(one)],
    ])
  })
}

const FORM_EXTRAS: Array<[string, string]> = [
  ...flat(UNASKED),
  ...['tier', 'pin', 'club_id', 'is_deleted', 'id'].flatMap((name): Array<[string, string]> => [
    [`${name}[]`, '99'],
    [`${name}__clear`, '1'],
    [`__proto__[${name}]`, '99'],
    [`constructor[prototype][${name}]`, '99'],
  ]),
]

/** Each format of a body: without the extra fields, and with them. */
const NOTATIONS = {
  json(fields: Fields, hostile: boolean) {
    const text = JSON.stringify(hostile ? { ...UNASKED, ...fields } : fields)
    return {
      type: 'application/json',
      body: hostile ? text.replace(/\}$/, `,${PROTO}}`) : text,
    }
  },
  form(fields: Fields, hostile: boolean) {
    const pairs = [...(hostile ? FORM_EXTRAS : []), ...flat(fields)]
    return {
      type: 'application/x-www-form-urlencoded',
      body: new URLSearchParams(pairs).toString(),
    }
  },
  multipart(fields: Fields, hostile: boolean) {
    const pairs = [...(hostile ? FORM_EXTRAS : []), ...flat(fields)]
    const parts = pairs.map(
      ([name, value]) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
    )
    return { type: 'multipart/form-data; boundary=x', body: `${parts.join('')}--x--\r\n` }
  },
}

/** Endpoints that create and update patrons. */
const DOORS: Array<{
  name: string
  create: [method: string, path: string]
  update: [method: string, path: string]
  notation: keyof typeof NOTATIONS
}> = [
  ...(['json', 'form'] as const).flatMap((notation) => [
    {
      name: `the API, ${notation}`,
      create: ['POST', '/api/attacked-patrons'] as [string, string],
      update: ['PATCH', '/api/attacked-patrons/7'] as [string, string],
      notation,
    },
    {
      name: `the site's endpoints, ${notation}`,
      create: ['POST', '/admin/Patron/crud'] as [string, string],
      update: ['PATCH', '/admin/Patron/crud/7'] as [string, string],
      notation,
    },
  ]),
  ...(['form', 'multipart'] as const).map((notation) => ({
    name: `the site's form, ${notation}`,
    create: ['POST', '/admin/Patron/form_create'] as [string, string],
    update: ['POST', '/admin/Patron/form_update/7'] as [string, string],
    notation,
  })),
]

const QUERY = new URLSearchParams(flat(UNASKED)).toString()

test.group('Attacks | mass assignment', (group) => {
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    cookie = await cookiesOf(await makeUser('jo'))
    await db.from('attacked_patrons').delete()
    await db.from('attacked_clubs').delete()
    await db.table('attacked_clubs').insert({ id: 1, name: 'North' })
    await db.table('attacked_patrons').insert({
      id: 7,
      name: 'before',
      pin: '1234',
      hashed_password: 'hash',
      created_at: '2020-02-02 00:00:00',
    })
  })

  async function send(
    [method, path]: [string, string],
    notation: keyof typeof NOTATIONS,
    fields: Fields,
    hostile: boolean
  ): Promise<HttpResponse> {
    const { type, body } = NOTATIONS[notation](fields, hostile)
    return await call(method, hostile ? `${path}?${QUERY}` : path, {
      body,
      headers: { 'content-type': type, cookie },
    })
  }

  test('[A7, P6] a create by {name} ignores fields outside the schema')
    .with(DOORS)
    .run(async ({ assert }, { create, notation }) => {
      const fields = { name: 'new', note: 'a note', password: 'swordfish' }
      const rows = []
      for (const hostile of [false, true]) {
        const { status, text } = await send(create, notation, fields, hostile)
        assert.oneOf(status, [201, 303], text)
        const row = await db.from('attacked_patrons').where('name', 'new').firstOrFail()
        const { id, created_at: createdAt, ...rest } = row
        assert.notEqual(id, 4711)
        assert.notInclude(JSON.stringify(createdAt), '2001')
        rows.push(rest)
        await db.from('attacked_patrons').where('id', id).delete()
      }
      assert.deepEqual(rows[1], rows[0])
      assert.equal(rows[0].hashed_password, 'hash of swordfish')
      assert.lengthOf(await db.from('attacked_patrons'), 1)
    })

  test('[A7, P6] an update by {name} ignores fields outside the schema')
    .with(DOORS)
    .run(async ({ assert }, { update, notation }) => {
      const before = await db.from('attacked_patrons').firstOrFail()
      /* A create accepts a password, an update does not. */
      const { status, text } = await send(
        update,
        notation,
        { name: 'after', password: 'mine' },
        true
      )
      assert.oneOf(status, [200, 303], text)
      const after = await db.from('attacked_patrons')
      assert.lengthOf(after, 1)
      assert.deepEqual(
        { ...after[0], updated_at: null },
        { ...before, name: 'after', updated_at: null }
      )
      assert.notInclude(JSON.stringify(after[0].updated_at), '2001')
    })

  test(
    '[A7, A23, S43] an update by {name} with only fields outside the schema changes nothing, not even the update time'
  )
    .with(DOORS)
    .run(async ({ assert }, { update, notation }) => {
      const before = await db.from('attacked_patrons')
      const { status } = await send(update, notation, {}, true)
      assert.oneOf(status, [200, 400])
      assert.deepEqual(await db.from('attacked_patrons'), before)
    })

  test("[A22, A7] a deleted record can't be restored by {name}")
    .with(DOORS)
    .run(async ({ assert }, { update, notation }) => {
      await db.from('attacked_patrons').update({ is_deleted: YES, deleted_at: PAST })
      const before = await db.from('attacked_patrons')
      for (const fields of [
        { name: 'after', is_deleted: false, deleted_at: null },
        { name: 'after', is_deleted__clear: '1', deleted_at__clear: '1', $isDeleted: false },
      ]) {
        const { status } = await send(update, notation, fields, false)
        assert.equal(status, 404)
      }
      assert.deepEqual(await db.from('attacked_patrons'), before)
    })

  test('[A6] the API refuses multipart forms', async ({ assert }) => {
    const before = await db.from('attacked_patrons')
    for (const [door] of [[DOORS[0].create], [DOORS[0].update], [DOORS[1].create]]) {
      const { status } = await send(door, 'multipart', { name: 'new' }, true)
      assert.equal(status, 415)
    }
    assert.deepEqual(await db.from('attacked_patrons'), before)
  })

  test('[S20, B11, B13] no other spelling of is_superuser creates a superuser', async ({
    assert,
  }) => {
    const al = await makeUser('al', { isSuperuser: false })
    const own = await cookiesOf(al)
    for (const path of [
      `/admin/AdminUser/form_update/${al.id}`,
      `/admin/AdminUser/crud/${al.id}`,
    ]) {
      const isForm = path.includes('form')
      const { status } = await call(isForm ? 'POST' : 'PATCH', path, {
        body: isForm ? 'is_superuser=true' : '{"is_superuser":true}',
        headers: {
          'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
          'cookie': own,
        },
      })
      assert.equal(status, 403)
    }
    const form = new URLSearchParams([
      ['username', 'bo'],
      ['password', 'battery staple'],
      ['is_superuser', 'false'],
      ['isSuperuser', 'true'],
      ['$attributes[isSuperuser]', 'true'],
      ['hashed_password', MARK],
      ['hashedPassword', MARK],
      ['created_at', PAST],
      ['id', '4711'],
    ])
    const { status } = await call('POST', '/admin/AdminUser/form_create', {
      body: form.toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', cookie },
    })
    assert.equal(status, 303)
    const bo = await db.from('admin_users').where('username', 'bo').firstOrFail()
    assert.notEqual(bo.id, 4711)
    assert.isFalse(Boolean(bo.is_superuser))
    assert.notEqual(bo.hashed_password, MARK)
    assert.notInclude(JSON.stringify(bo.created_at), '2001')
    const stored = await db.from('admin_users').where('id', al.id).firstOrFail()
    assert.isFalse(Boolean(stored.is_superuser))
  })
})
