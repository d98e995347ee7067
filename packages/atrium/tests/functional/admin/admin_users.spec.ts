import { test } from '@japa/runner'
import { passwordHash as hash } from '#admin/authentication/passwords/password_hash'
import db from '@adonisjs/lucid/services/db'
import fc from 'fast-check'
import { AdminUser } from '#admin'
import {
  adminSite,
  cookieIn,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  isSignedIn,
  makeUser,
  PASSWORD,
} from '#tests/helpers/admin'
import { call, type HttpResponse } from '#tests/helpers/http'
import { runs } from '#tests/helpers/random_runs'

const CRUD = '/admin/AdminUser/crud'
const NEW = { username: 'new', password: 'battery staple' }

/** Ids of the tokens in a `Cookie` header. */
function jtiOf(cookie: string): string {
  const [, claims] = cookieIn(cookie, 'access_token').split('.')
  return JSON.parse(Buffer.from(claims, 'base64url').toString()).jti
}

async function isRevoked(cookie: string): Promise<boolean> {
  return (await db.from('admin_token_blacklist').where('token', jtiOf(cookie)).first()) !== null
}

async function usernames(): Promise<string[]> {
  const rows = await db.from('admin_users').orderBy('username')
  return rows.map(({ username }) => username)
}

test.group('Admin | users through /crud', (group) => {
  let jo: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    jo = await makeUser('jo')
    cookie = await cookiesOf(jo)
  })

  const send = (method: string, path = '', json?: unknown, as = cookie): Promise<HttpResponse> =>
    call(method, CRUD + path, { json, headers: { cookie: as } })

  test('[S20, B11] a create stores a hash of the password, responds without it, and can create a superuser', async ({
    assert,
  }) => {
    const { status, headers, body } = await send('POST', '', NEW)
    assert.equal(status, 201)
    const row = await db.from('admin_users').where('username', 'new').firstOrFail()
    assert.equal(headers.get('location'), `${CRUD}/${row.id}`)
    assert.sameMembers(Object.keys(body), [
      'id',
      'username',
      'email',
      'is_superuser',
      'attributes',
      'roles',
      'created_at',
      'updated_at',
    ])
    assert.deepInclude(body, { id: row.id, username: 'new', is_superuser: false })
    assert.match(body.created_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    assert.isTrue(await hash.verify(row.hashed_password, NEW.password))

    const superuser = await send('POST', '', { ...NEW, username: 'boss', is_superuser: true })
    assert.isTrue(superuser.body.is_superuser)
  })

  test('[S20, B11] user name and password are required and validated by field', async ({
    assert,
  }) => {
    for (const [body, ...fields] of [
      [{}, 'username', 'password'],
      [{ ...NEW, username: 'x' }, 'username'],
      [{ ...NEW, username: 'x'.repeat(33) }, 'username'],
      [{ ...NEW, username: 'jo jo' }, 'username'],
      [{ ...NEW, username: 'jö.jö' }, 'username'],
      [{ ...NEW, username: 'name\n' }, 'username'],
      [{ ...NEW, username: null }, 'username'],
      [{ ...NEW, username: ['new'] }, 'username'],
      [{ ...NEW, password: '1234567' }, 'password'],
      [{ ...NEW, password: '😀😀😀😀😀' }, 'password'],
      [{ ...NEW, password: ' 12345678' }, 'password'],
      [{ ...NEW, password: '1234\n5678' }, 'password'],
      [{ ...NEW, password: null }, 'password'],
      [{ ...NEW, password: 12345678 }, 'password'],
      [{ ...NEW, is_superuser: 'perhaps' }, 'is_superuser'],
      [{ username: '', password: '' }, 'username', 'password'],
    ] as Array<[Record<string, unknown>, ...string[]]>) {
      const response = await send('POST', '', body)
      assert.equal(response.status, 422, JSON.stringify(body))
      assert.deepEqual(
        response.body.errors.map(({ field }: any) => field),
        fields
      )
    }
    assert.deepEqual(await usernames(), ['jo'])
  })

  test('[B11] error messages are readable and never repeat the password', async ({ assert }) => {
    const { body, text } = await send('POST', '', { username: 'a b', password: ' my secret' })
    assert.deepEqual(
      body.errors.map(({ message }: any) => message),
      [
        `"a b" can't be a user name: it has 2 to 32 letters, digits and the characters . _ -`,
        'A password does not begin or end with a space',
      ]
    )
    assert.notInclude(text, 'my secret')
  })

  test('[B11, A8] a user name that differs only in upper and lower case is a 409 that names the field', async ({
    assert,
  }) => {
    const al = await makeUser('al')
    for (const username of ['jo', 'JO', 'Jo']) {
      for (const response of [
        await send('POST', '', { ...NEW, username }),
        await send('PATCH', `/${al.id}`, { username }),
      ]) {
        assert.equal(response.status, 409, username)
        assert.equal(response.body.detail, `Value ${username} is already registered`)
        assert.equal(response.body.errors[0].field, 'username')
      }
    }
    assert.deepEqual(await usernames(), ['al', 'jo'])
    /* A user may keep their own name. */
    const renamed = await send('PATCH', `/${al.id}`, { username: 'Al' })
    assert.equal(renamed.status, 200)
    assert.deepEqual(await usernames(), ['Al', 'jo'])
  })

  test('[B11] one of several concurrent creates with the same name succeeds', async ({
    assert,
  }) => {
    const names = ['new', 'NEW', 'New', 'nEw', 'neW']
    const responses = await Promise.all(
      names.map((username) => send('POST', '', { ...NEW, username }))
    )
    assert.deepEqual(responses.map(({ status }) => status).sort(), [201, 409, 409, 409, 409])
    for (const { status, body } of responses) {
      if (status === 409) assert.deepEqual(body.errors[0].field, 'username')
    }
    assert.lengthOf(await usernames(), 2)
  })

  test('[S45, S20] an update changes only the sent fields and the update time', async ({
    assert,
  }) => {
    const al = await makeUser('al', { isSuperuser: false })
    await db.from('admin_users').update({ updated_at: '2001-01-01 00:00:00' })
    const { status } = await send('PATCH', `/${al.id}`, { username: 'albert' })
    assert.equal(status, 200)
    const row = await db.from('admin_users').where('id', al.id).firstOrFail()
    assert.isFalse(Boolean(row.is_superuser))
    assert.deepInclude(row, {
      username: 'albert',
      hashed_password: al.hashedPassword,
    })
    assert.isAbove(Date.parse(row.updated_at), Date.parse('2001-01-02'))

    await send('PATCH', `/${al.id}`, { is_superuser: true })
    await send('PATCH', `/${al.id}`, { password: 'battery staple' })
    const changed = await db.from('admin_users').where('id', al.id).firstOrFail()
    assert.equal(changed.username, 'albert')
    assert.isTrue(Boolean(changed.is_superuser))
    assert.isTrue(await hash.verify(changed.hashed_password, 'battery staple'))
  })

  test('[B11, A23] an update without known fields changes nothing', async ({ assert }) => {
    const before = await db.from('admin_users')
    for (const body of [{}, { hashed_password: 'x' }, { unknown: 1 }]) {
      const { status } = await send('PATCH', `/${jo.id}`, body)
      assert.equal(status, 200)
    }
    assert.deepEqual(await db.from('admin_users'), before)
    assert.isTrue(await isSignedIn(cookie))
  })

  test('[B11, S57] no request returns a hash or password', async ({ assert }) => {
    const { hashedPassword } = jo
    const responses = [
      await send('GET'),
      await send('GET', `/${jo.id}`),
      await send('GET', '?page=1'),
      await send('POST', '', NEW),
      await call('PATCH', `${CRUD}/${jo.id}`, {
        json: { password: 'battery staple' },
        headers: { cookie, prefer: 'return=representation' },
      }),
      await send('GET', `?hashed_password=${hashedPassword}`),
      await send('GET', '?hashedPassword__contains=c'),
    ]
    for (const { status, text } of responses) {
      assert.isBelow(status, 300)
      assert.notMatch(text, /hashed|password|correct horse|battery staple/i)
    }
    /* Filtering by the hash would reveal it letter by letter. */
    assert.equal(responses[5].body.total_count, 2)
    for (const sort of ['hashed_password', 'hashedPassword', '-hashed_password', 'password']) {
      const { status } = await send('GET', `?sort=${sort}`)
      assert.equal(status, 422, sort)
    }
  })

  test('[B11] fields outside the schemas are not set by any request', async ({ assert }) => {
    const protectedNames = ['id', 'hashed_password', 'hashedPassword', 'created_at', 'createdAt']
    const others = [
      'updated_at',
      'updatedAt',
      '__proto__',
      'constructor',
      'prototype',
      '$attributes',
    ]
    const names = [...protectedNames, ...others, '$trx', '$isPersisted', 'password.hash']
    const value = fc.oneof(
      fc.constantFrom('mine', 999_999, true, null, '2001-01-01 00:00:00'),
      fc.dictionary(fc.constantFrom('is_superuser', 'isSuperuser', 'hashed_password'), fc.boolean())
    )
    const entries = fc.uniqueArray(fc.tuple(fc.constantFrom(...names), value), {
      selector: ([name]) => name,
      maxLength: 6,
    })
    const member = ([name, one]: [string, unknown]) =>
      `${JSON.stringify(name)}:${JSON.stringify(one)}`
    let count = 0
    await fc.assert(
      fc.asyncProperty(entries, entries, async (first, second) => {
        const username = `user-${count++}`
        /* Written by hand, as JSON.stringify leaves out an object's `__proto__`. */
        const created = await call('POST', CRUD, {
          body: `{${['"username":"' + username + '"', '"password":"battery staple"', ...first.map(member)].join()}}`,
          headers: { cookie, 'content-type': 'application/json' },
        })
        assert.equal(created.status, 201, created.text)
        const before = await db.from('admin_users').where('username', username).firstOrFail()
        assert.notEqual(before.id, 999_999)
        assert.equal(before.is_superuser, 0)
        assert.notMatch(before.created_at, /^2001/)
        assert.notMatch(before.updated_at, /^2001/)
        assert.isTrue(await hash.verify(before.hashed_password, 'battery staple'))

        const updated = await call('PATCH', `${CRUD}/${before.id}`, {
          body: `{${second.map(member).join()}}`,
          headers: { cookie, 'content-type': 'application/json' },
        })
        assert.equal(updated.status, 200, updated.text)
        assert.deepEqual(await db.from('admin_users').where('id', before.id).first(), before)
      }),
      { numRuns: runs(40) }
    )
    assert.isUndefined(({} as any).is_superuser)
  })

  test("[B13] users can't delete themselves", async ({ assert }) => {
    await makeUser('al')
    for (const path of [`/${jo.id}`, `/db_delete/${jo.id}`]) {
      const { status, body } = await send('DELETE', path)
      assert.equal(status, 409)
      assert.equal(body.detail, "You can't delete yourself.")
    }
    assert.deepEqual(await usernames(), ['al', 'jo'])
    assert.isTrue(await isSignedIn(cookie))
  })

  test("[B13] the last superuser can't be demoted", async ({ assert }) => {
    const last = await send('PATCH', `/${jo.id}`, { is_superuser: false, username: 'gone' })
    assert.equal(last.status, 409)
    assert.equal(
      last.body.detail,
      'jo is the last superuser and must stay one. Make another user a superuser first.'
    )
    const { username, isSuperuser } = await AdminUser.findOrFail(jo.id)
    assert.deepEqual([username, isSuperuser], ['jo', true])
    const same = await send('PATCH', `/${jo.id}`, { is_superuser: true })
    assert.equal(same.status, 200)

    await makeUser('al')
    const another = await send('PATCH', `/${jo.id}`, { is_superuser: false })
    assert.equal(another.status, 200)
    const shutOut = await send('GET')
    assert.equal(shutOut.status, 403)
  })

  test("[B13] the last superuser can't be deleted, even by a demoted user", async ({ assert }) => {
    const { models } = await adminSite()
    const { crud } = models.get('AdminUser')!
    const problem = await crud.delete(jo.id).catch((error) => error)
    assert.equal(problem.status, 409)
    assert.equal(
      problem.message,
      "jo is the last superuser and can't be deleted. Make another user a superuser first."
    )
    await makeUser('al')
    const all = await AdminUser.all()
    const many = await crud.deleteMany(all.map(({ id }) => id)).catch((error) => error)
    assert.equal(many.status, 409)
    assert.deepEqual(await usernames(), ['al', 'jo'])
  })

  test('[B13] superusers who remove each other concurrently leave one superuser')
    .with([
      ['DELETE', '/', undefined],
      ['DELETE', '/db_delete/', undefined],
      ['PATCH', '/', { is_superuser: false }],
    ] as const)
    .run(async ({ assert }, [method, path, body]) => {
      const al = await makeUser('al')
      const cookieOfAl = await cookiesOf(al)
      const responses = await Promise.all([
        send(method, path + al.id, body),
        send(method, path + jo.id, body, cookieOfAl),
      ])
      assert.lengthOf(await db.from('admin_users').where('is_superuser', true), 1)
      assert.lengthOf(
        responses.filter(({ status }) => status === 200),
        1
      )
    })

  test('[B13] a deleted user is logged out immediately', async ({ assert }) => {
    const al = await makeUser('al')
    const [first, second] = [await cookiesOf(al), await cookiesOf(al)]
    const { status } = await send('DELETE', `/${al.id}`)
    assert.equal(status, 200)
    for (const one of [first, second]) {
      assert.isFalse(await isSignedIn(one))
      assert.isTrue(await isRevoked(one))
    }
    assert.isEmpty(await db.from('admin_sessions').where('user_id', al.id))
    assert.isTrue(await isSignedIn(cookie))
  })

  test('[B7] changing one’s own password preserves the current session and ends all others', async ({
    assert,
  }) => {
    const elsewhere = await cookiesOf(jo)
    const { status } = await send('PATCH', `/${jo.id}`, { password: 'battery staple' })
    assert.equal(status, 200)
    assert.isTrue(await isSignedIn(cookie))
    assert.isFalse(await isSignedIn(elsewhere))
    assert.deepEqual([await isRevoked(cookie), await isRevoked(elsewhere)], [false, true])
  })

  test("[B7] changing another user's password ends all their sessions", async ({ assert }) => {
    const al = await makeUser('al')
    const [first, second] = [await cookiesOf(al), await cookiesOf(al)]
    await send('PATCH', `/${al.id}`, { username: 'albert', is_superuser: false })
    assert.isTrue(await isSignedIn(first))
    await send('PATCH', `/${al.id}`, { password: 'battery staple' })
    for (const one of [first, second]) {
      assert.isFalse(await isSignedIn(one))
      assert.isTrue(await isRevoked(one))
    }
    assert.isTrue(await isSignedIn(cookie))
  })

  test('[B7, S52] a refused change of a password ends no session', async ({ assert }) => {
    const elsewhere = await cookiesOf(jo)
    for (const body of [
      { password: 'battery staple', is_superuser: false },
      { password: 'short' },
      { password: 'battery staple', is_superuser: null },
    ]) {
      const { status } = await send('PATCH', `/${jo.id}`, body)
      assert.include([409, 422], status)
    }
    assert.isTrue(await isSignedIn(elsewhere))
    const { hashedPassword } = await AdminUser.findOrFail(jo.id)
    assert.isTrue(await hash.verify(hashedPassword, PASSWORD))
  })
})

test.group('Admin | common passwords', (group) => {
  group.setup(() => fakeHashes())
  group.each.setup(() => emptyAdminTables())

  test('[U13, B11] a common password, and the user name as the password, are refused through /crud', async ({
    assert,
  }) => {
    const jo = await makeUser('jo.the.first')
    const headers = { cookie: await cookiesOf(jo) }
    for (const password of ['password1', 'Trustno1', 'some.body', 'Some.Body', 'x'.repeat(129)]) {
      const json = { username: 'some.body', password }
      const { status, body } = await call('POST', CRUD, { json, headers })
      assert.equal(status, 422, password)
      assert.deepEqual(
        body.errors.map(({ field }: { field: string }) => field),
        ['password']
      )
      assert.match(body.errors[0].message, /most common|user name|at most/)
    }
    for (const json of [
      { password: 'Jo.The.First' },
      { password: 'password1' },
      { username: 'another.name', password: 'another.name' },
    ]) {
      const { status, body } = await call('PATCH', `${CRUD}/${jo.id}`, { json, headers })
      assert.equal(status, 422, json.password)
      assert.equal(body.errors[0].field, 'password')
    }
    const json = { username: 'another.name', password: 'jo.the.first' }
    const { status } = await call('PATCH', `${CRUD}/${jo.id}`, { json, headers })
    assert.equal(status, 200)
  })
})

test.group('Admin | password hashes', (group) => {
  group.each.setup(() => emptyAdminTables())

  test('[S57, S20] the stored hash of a password has the configured cost', async ({ assert }) => {
    const cookie = await cookiesOf(await makeUser('jo'))
    const { body } = await call('POST', CRUD, { json: NEW, headers: { cookie } })
    const created = await db.from('admin_users').where('id', body.id).firstOrFail()
    assert.match(created.hashed_password, /^\$scrypt\$n=1024,/)
    await call('PATCH', `${CRUD}/${body.id}`, {
      json: { password: 'another staple' },
      headers: { cookie },
    })
    const updated = await db.from('admin_users').where('id', body.id).firstOrFail()
    assert.match(updated.hashed_password, /^\$scrypt\$n=1024,/)
    assert.notEqual(updated.hashed_password, created.hashed_password)
    const { adminUserService: users } = await adminSite()
    assert.isNotNull(await users.verify('new', 'another staple'))
  })
})
