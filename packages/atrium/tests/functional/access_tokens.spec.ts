import { test } from '@japa/runner'
import { Secret } from '@adonisjs/core/helpers'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'
import type { AdminUser } from '#admin'
import { useTokenAuthorizer } from '#crud'
import { OPERATIONS } from '#crud/operations/operation'
import { TokenAuthorizer } from '#admin/authentication/access_tokens/api_guard'
import { DOORS, Note } from '#tests/fixtures/crud'
import { adminSite, cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { captureLog } from '#tests/helpers/captured_log'
import { call, get, post, type HttpResponse } from '#tests/helpers/http'
import { queriesOf } from '#tests/helpers/queries'
import { issueToken } from '#tests/helpers/tokens'

const PATH = `/api${DOORS.token}`

type Headers = Record<string, string>

const REQUESTS: Record<string, (headers: Headers) => Promise<HttpResponse>> = {
  create: (headers) => post(PATH, { name: 'new' }, { headers }),
  read: (headers) => get(`${PATH}/1`, { headers }),
  read_multi: (headers) => get(PATH, { headers }),
  update: (headers) => call('PATCH', `${PATH}/1`, { headers, json: { name: 'changed' } }),
  delete: (headers) => call('DELETE', `${PATH}/1`, { headers }),
  db_delete: (headers) => call('DELETE', `${PATH}/db_delete/1`, { headers }),
}

async function emptyDoors() {
  await db.from('crud_doors').delete()
  await db.table('crud_doors').insert({ id: 1, name: 'front' })
}

function problemOf({ status, headers, body }: HttpResponse) {
  return {
    status,
    type: headers.get('content-type'),
    challenge: headers.get('www-authenticate'),
    detail: body.detail,
  }
}

test.group('Access tokens', (group) => {
  let jo: AdminUser
  let registered: unknown

  group.setup(async () => {
    const before = useTokenAuthorizer(new TokenAuthorizer())
    registered = before
    const restore = await fakeHashes()
    return () => {
      restore()
      useTokenAuthorizer(before)
    }
  })
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyDoors()
    jo = await makeUser('jo', { isSuperuser: false })
    return async () => {
      const { accessTokens } = await adminSite()
      await accessTokens.settle()
    }
  })

  test('[P10] the admin site registers its authorizer of access tokens', ({ assert }) => {
    assert.instanceOf(registered, TokenAuthorizer)
  })

  test('[P10] an ability allows only its own operation: {$self}')
    .with([...OPERATIONS])
    .run(async ({ assert }, operation) => {
      for (const ability of [`Door:${operation}`, `*:${operation}`]) {
        await emptyDoors()
        const { headers } = await issueToken(jo, [ability])
        for (const [requested, send] of Object.entries(REQUESTS)) {
          const response = await send(headers)
          if (requested === operation)
            assert.isBelow(response.status, 300, `${ability}, ${requested}`)
          else assert.equal(response.status, 403, `${ability}, ${requested}`)
        }
      }
    })

  test('[P10] the ability {$self} allows all operations of the model')
    .with(['*', 'Door:*', '*:*'])
    .run(async ({ assert }, ability) => {
      const { headers } = await issueToken(jo, ['Reel:read', ability])
      for (const [operation, send] of Object.entries(REQUESTS)) {
        await emptyDoors()
        const { status } = await send(headers)
        assert.isBelow(status, 300, operation)
      }
    })

  test('[P10.12] a token limits requests to a public endpoint to its abilities', async ({
    assert,
  }) => {
    const path = `/api${DOORS.isPublic}`
    const send = async (headers: Headers) => {
      const read = await get(`${path}/1`, { headers })
      const created = await post(path, { name: 'new' }, { headers })
      const updated = await call('PATCH', `${path}/1`, { headers, json: { name: 'x' } })
      return [read.status, created.status, updated.status]
    }
    const all = [200, 201, 200]
    const { headers: reader } = await issueToken(jo, ['Door:read'])
    assert.deepEqual(await send(reader), [200, 403, 403])
    const { headers: none } = await issueToken(jo, ['Reel:*'])
    assert.deepEqual(await send(none), [403, 403, 403])
    const { headers: writer } = await issueToken(jo, ['*'])
    assert.deepEqual(await send(writer), all)
    const { headers: readOnly } = await issueToken(jo, ['*'], { readOnly: true })
    assert.deepEqual(await send(readOnly), [200, 403, 403])
    /* A token that is not one of the site can be meant for the application. */
    for (const headers of [{}, { authorization: 'Bearer x' }] as Headers[]) {
      assert.deepEqual(await send(headers), all)
    }
  })

  test('[P10] abilities of another model, and an empty list of abilities, allow nothing', async ({
    assert,
  }) => {
    for (const abilities of [['Reel:*'], ['Doo:*', 'door:read', 'Door:', ':read', 'Door'], []]) {
      const { headers } = await issueToken(jo, abilities)
      for (const [operation, send] of Object.entries(REQUESTS)) {
        const { status } = await send(headers)
        assert.equal(status, 403, `${abilities}, ${operation}`)
      }
    }
    assert.deepEqual(await db.from('crud_doors'), [{ id: 1, name: 'front' }])
  })

  test('[P10, A4] a missing token is a 401, whose challenge contains no error code', async ({
    assert,
  }) => {
    for (const headers of [{}, { authorization: 'Basic am86c2VjcmV0' }] as Headers[]) {
      const response = await get(`${PATH}/1`, { headers })
      assert.deepEqual(problemOf(response), {
        status: 401,
        type: 'application/problem+json; charset=utf-8',
        challenge: 'Bearer realm="api"',
        detail: 'This needs an access token: Authorization: Bearer TOKEN',
      })
    }
  })

  test('[P10, A4] an invalid token is a 401, whose challenge states that the token is invalid', async ({
    assert,
  }) => {
    const { token } = await issueToken(jo)
    const [id, secret] = token.slice(4).split('.')
    const other = await issueToken(jo)
    const encoded = (text: string) => Buffer.from(text).toString('base64url')
    const wrong = [
      'x',
      'atr_',
      `atr_${id}`,
      `atr_${id}.`,
      `oat_${id}.${secret}`,
      `atr_${id}.${secret.slice(0, -2)}`,
      `atr_${other.token.slice(4).split('.')[0]}.${secret}`,
      `atr_${encoded('0')}.${secret}`,
      `atr_${encoded('1 or 1=1')}.${secret}`,
      `atr_${encoded('1e0')}.${secret}`,
      `atr_${encoded('99999999999999999999')}.${secret}`,
      `atr_${encoded('9999999999')}.${secret}`,
      `atr_${id}.${secret}${'A'.repeat(4000)}`,
      '',
    ]
    for (const value of wrong) {
      const response = await get(PATH, { headers: { authorization: `Bearer ${value}`.trim() } })
      assert.equal(response.status, 401, value)
      const { challenge, detail, type } = problemOf(response)
      assert.equal(type, 'application/problem+json; charset=utf-8')
      assert.match(challenge!, /^Bearer realm="api", error="invalid_token", error_description="/)
      assert.equal(detail, 'The access token is not known, has expired, or was revoked')
      if (secret && value.includes(secret)) assert.notInclude(response.text, secret)
    }
    const right = await get(PATH, { headers: { authorization: `bearer ${token}` } })
    assert.equal(right.status, 200)
  })

  test('[P10, A4] a missing ability is a 403 that names the ability', async ({ assert }) => {
    const { headers } = await issueToken(jo, ['Door:read'])
    assert.deepEqual(problemOf(await get(PATH, { headers })), {
      status: 403,
      type: 'application/problem+json; charset=utf-8',
      challenge:
        'Bearer realm="api", error="insufficient_scope", error_description="The access token lacks the ability Door:read_multi", scope="Door:read_multi"',
      detail: 'The access token lacks the ability Door:read_multi',
    })
  })

  test('[P10] responses to requests with a token are not cached for other clients', async ({
    assert,
  }) => {
    const { headers } = await issueToken(jo)
    for (const response of [
      await get(PATH, { headers }),
      await get(`${PATH}/0`, { headers }),
      await get(PATH),
      await get(PATH, { headers: { authorization: 'Bearer x' } }),
    ]) {
      assert.equal(response.headers.get('cache-control'), 'no-store', `${response.status}`)
      assert.match(response.headers.get('vary')!, /\bauthorization\b/i)
    }
    const open = await get(`/api${DOORS.isPublic}`)
    assert.equal(open.headers.get('cache-control'), 'no-cache')
  })

  test('[P10, B9] only the Authorization header is accepted: no cookie of the site, no query, no body', async ({
    assert,
  }) => {
    const root = await makeUser('root')
    const { token } = await issueToken(root)
    const cookie = await cookiesOf(root)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    for (const response of [
      await get(PATH, { headers: { cookie } }),
      await get(PATH, { headers: { cookie: `access_token=${token}; api=${token}` } }),
      await get(`${PATH}?access_token=${token}`),
      await call('POST', PATH, { body: `name=new&access_token=${token}`, headers: form }),
      await call('POST', PATH, { body: 'name=new', headers: { ...form, cookie } }),
      await get(PATH, { headers: { 'x-api-key': token } }),
    ]) {
      assert.equal(response.status, 401)
    }
    assert.deepEqual(await db.from('crud_doors'), [{ id: 1, name: 'front' }])
    /* A token gives no access to the admin site. */
    const admin = await get('/admin/AdminUser/crud', {
      headers: { authorization: `Bearer ${token}` },
    })
    assert.equal(admin.status, 401)
  })

  test('[P10] an expired token is refused', async ({ assert }) => {
    const expiresAt = DateTime.utc().plus({ hours: 1 }).startOf('second')
    const { id, headers } = await issueToken(jo, ['*'], { expiresAt })
    const before = await get(PATH, { headers })
    assert.equal(before.status, 200)
    const past = DateTime.utc().minus({ seconds: 1 }).toFormat('yyyy-MM-dd HH:mm:ss')
    await db.from('admin_access_tokens').where('id', id).update({ expires_at: past })
    const after = await get(PATH, { headers })
    assert.match(after.headers.get('www-authenticate')!, /error="invalid_token"/)
  })

  test('[P10] a revoked token and the tokens of a deleted user are refused immediately', async ({
    assert,
  }) => {
    const { accessTokens } = await adminSite()
    const al = await makeUser('al')
    const [first, second, third] = [
      await issueToken(jo),
      await issueToken(jo),
      await issueToken(al),
    ]
    const statuses = async () => {
      const responses = [first, second, third].map(({ headers }) => get(PATH, { headers }))
      const settled = await Promise.all(responses)
      return settled.map(({ status }) => status)
    }
    assert.deepEqual(await statuses(), [200, 200, 200])
    await accessTokens.revoke(jo, String(first.id))
    assert.deepEqual(await statuses(), [401, 200, 200])
    await accessTokens.settle()
    await jo.delete()
    assert.deepEqual(await statuses(), [401, 401, 200])
    assert.lengthOf(await db.from('admin_access_tokens'), 1)
  })

  test("[P10] a user can't revoke the token of another owner", async ({ assert }) => {
    const { accessTokens } = await adminSite()
    const { id, headers } = await issueToken(jo)
    const al = await makeUser('al')
    for (const [user, requested] of [
      [al, String(id)],
      [jo, `${id} `],
      [jo, ''],
    ] as const) {
      await assert.rejects(() => accessTokens.revoke(user, requested), /has no access token/)
    }
    const { status } = await get(PATH, { headers })
    assert.equal(status, 200)
  })

  test('[P10] a new password does not revoke access tokens', async ({ assert }) => {
    const { adminUserService } = await adminSite()
    const { headers } = await issueToken(jo)
    await adminUserService.setPassword(jo, 'another password')
    const { status } = await get(PATH, { headers })
    assert.equal(status, 200)
  })

  test('[P10] a request with a token runs one query more than a request to a public endpoint', async ({
    assert,
  }) => {
    const { accessTokens } = await adminSite()
    const { headers, token } = await issueToken(jo)
    await get(PATH, { headers })
    await accessTokens.settle()
    const open = await queriesOf(() => get(`/api${DOORS.isPublic}/1`))
    const closed = await queriesOf(() => get(`${PATH}/1`, { headers }))
    assert.lengthOf(closed, open.length + 1)
    assert.lengthOf(
      closed.filter((sql) => sql.includes('admin_access_tokens')),
      1
    )
    const refuse = (value: string) =>
      get(`${PATH}/1`, { headers: { authorization: `Bearer ${value}` } })
    /* The first one within a minute is an event. */
    await refuse('x')
    const { events } = await adminSite()
    await events.settle()
    const noId = Buffer.from('1 or 1=1').toString('base64url')
    for (const value of ['x', `atr_${noId}.${token.split('.')[1]}`, token + 'A'.repeat(255)]) {
      assert.isEmpty(await queriesOf(() => refuse(value)), value)
    }
  })

  test('[P10] the last use of a token is stored at most once a minute', async ({ assert }) => {
    const { accessTokens } = await adminSite()
    const { id, headers } = await issueToken(jo)
    const row = () => db.from('admin_access_tokens').where('id', id).firstOrFail()
    const use = async () => {
      const queries = await queriesOf(async () => {
        await get(PATH, { headers })
        await accessTokens.settle()
      })
      return queries.filter((sql) => /^update/.test(sql) && sql.includes('admin_access_tokens'))
    }
    const unused = await row()
    assert.isNull(unused.last_used_at)
    assert.lengthOf(await use(), 1)
    const used = await row()
    assert.match(used.last_used_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    assert.isEmpty(await use())

    const old = DateTime.utc().minus({ seconds: 61 }).toFormat('yyyy-MM-dd HH:mm:ss')
    await db.from('admin_access_tokens').where('id', id).update({ last_used_at: old })
    assert.lengthOf(await use(), 1)
    const again = await row()
    assert.isAbove(Date.parse(again.last_used_at), Date.parse(old))
    /* A refused token does not count as used. */
    await db.from('admin_access_tokens').where('id', id).update({ last_used_at: null })
    await get(PATH, { headers: { authorization: `${headers.authorization.slice(0, -4)}AAAA` } })
    await accessTokens.settle()
    const refused = await row()
    assert.isNull(refused.last_used_at)
  })

  test('[P10.4] concurrent uses of a token are stored by one statement', async ({ assert }) => {
    const { accessTokens } = await adminSite()
    const { token } = await issueToken(jo)
    const found = await accessTokens.find(new Secret(token))
    const queries = await queriesOf(async () => {
      for (let use = 0; use < 3; use++) accessTokens.noteUse(found!.record)
      await accessTokens.settle()
    })
    assert.lengthOf(queries, 1)
  })

  test('[P10.5] a token expires in 90 days and can write unless its issuer chooses otherwise', async ({
    assert,
  }) => {
    const { accessTokens } = await adminSite()
    const terms = { name: 'ci', abilities: ['*'] }
    const { value } = await accessTokens.issue(jo, terms)
    const headers = { authorization: `Bearer ${value.release()}` }
    const { status } = await post(PATH, { name: 'new' }, { headers })
    assert.equal(status, 201)
    const latest = await accessTokens.issue(jo, { ...terms, name: 'latest', expiresAt: null })
    const [last, first] = await accessTokens.ofUser(jo)
    assert.deepEqual([last.id, last.expiresAt], [latest.id, null])
    assert.closeTo(first.expiresAt!.diffNow('days').days, 90, 0.01)
  })

  test('[P14] policies and events receive the owner and the token, never its secret', async ({
    assert,
    cleanup,
  }) => {
    const log = captureLog(cleanup)
    Note.asked = []
    const { id, token, headers } = await issueToken(jo, ['Note:*'])
    await get('/api/crud-notes', { headers })
    const [{ actor }] = Note.asked
    assert.equal(actor.kind, 'token')
    assert.equal((actor.user as AdminUser).id, jo.id)
    assert.deepEqual(actor.token, { id, name: 'ci', abilities: ['Note:*'] })
    const { hash } = await db.from('admin_access_tokens').firstOrFail()
    assert.match(hash, /^[0-9a-f]{64}$/)

    const secret = token.split('.')[1]
    const told = JSON.stringify([log(), await db.from('admin_event_log'), actor.token])
    assert.notInclude(told, secret)
    assert.notInclude(told, Buffer.from(secret, 'base64url').toString())
    assert.notInclude(told, hash)
    const audits = JSON.stringify(await db.from('admin_audit_log'))
    assert.notInclude(audits, hash)
  })
})
