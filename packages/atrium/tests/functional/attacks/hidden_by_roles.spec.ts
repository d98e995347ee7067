import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import type { AdminUser } from '#admin'
import { Play, Stage } from '#tests/fixtures/stages'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { call, type HttpResponse } from '#tests/helpers/http'
import { giveRoles, makeRole, restoreRoles } from '#tests/helpers/roles'
import { issueToken } from '#tests/helpers/tokens'

const SECRET = 'Zanzibar'

/** Pages tell a time and the name of the request. */
function told({ status, text, headers }: HttpResponse) {
  const plain = text
    .replace(/request[_-]id[^,<]*/gi, '')
    .replace(/name="_version" value="[^"]*"/g, '')
    .replace(/name="_opened" value="([^"]*)"/g, (_, sealed) => `opened ${sealed.length}`)
    .replace(/name="_by" value="([^"]*)"/g, (_, sealed) => `by ${sealed.length}`)
    .replace(/data-(idle|limit)="\d+"/g, '')
    .replace(/(in )?\d+ (seconds?|minutes?)( ago)?/g, '')
  return { status, text: plain, tag: headers.get('etag') }
}

const both = (name: string) => ({ title: 'Lear', town: 'east', [name]: 'Mine' })
const texts = (values: object) =>
  Object.fromEntries(Object.entries(values).map(([k, v]) => [k, String(v)]))

test.group('Attacks | a field that a role hides', (group) => {
  let kim: AdminUser
  let cookie: string
  let bearer: string
  let play: Play

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await restoreRoles()
    for (const table of ['play_tickets', 'plays', 'stages']) await db.from(table).delete()
    await makeRole('Clerk', {
      Play: { actions: ['*'], hidden: ['secret'], readonly: ['note'], scopes: ['east'] },
      Stage: { actions: ['*'] },
    })
    kim = await makeUser('kim', { isSuperuser: false, roles: ['Clerk'] })
    cookie = await cookiesOf(kim)
    const { token } = await issueToken(kim)
    bearer = `Bearer ${token}`
    const stage = await Stage.create({ name: 'Globe', town: 'east' })
    const values = { town: 'east', note: 'n', stageId: stage.id }
    play = await Play.create({ ...values, title: 'Hamlet', secret: SECRET })
    await Play.create({ ...values, title: 'Othello', secret: 'Other' })
    return () => restoreRoles()
  })

  const ask = (method: string, path: string, json?: unknown, more: object = {}) =>
    call(method, path, {
      json,
      headers: { ...(path.startsWith('/api') ? { authorization: bearer } : { cookie }), ...more },
    })

  /** The responses of every route; the secret of the play is another one in the second round. */
  const READS = (id: number) => [
    '/admin/Play/?sort_by=secret&sort_order=desc',
    `/admin/Play/?column-to-search=secret&search-input=${SECRET}`,
    `/admin/Play/get_model_list?column-to-search=secret&search-input=${SECRET}`,
    '/admin/Play/table-content?sort_by=secret&sort_order=asc',
    `/admin/Play/update/${id}`,
    `/admin/Play/crud/${id}`,
    `/admin/Play/crud/${id}?fields=id,secret`,
    '/admin/Play/crud?sort=secret',
    `/admin/Play/crud?secret=${SECRET}`,
    `/admin/Play/crud?secret__like=${SECRET}%25`,
    `/admin/Play/crud?title__or=secret&secret=${SECRET}`,
    '/admin/Play/crud?cursor=&limit=1&sort=title',
    '/admin/Play/crud?fields=secret',
    '/admin/Stage/crud?include=plays',
    `/api/plays/${id}`,
    `/api/plays/${id}?include=stage`,
    '/api/plays?sort=-secret',
    `/api/plays?secret=${SECRET}`,
    `/api/plays?secret__like=${SECRET.slice(0, 3)}%25`,
    '/api/plays?cursor=&limit=1&sort=-title',
    '/api/stages?include=plays',
    '/api/stages?include=plays.secret',
    '/admin/dashboard-content',
  ]

  test('[U4] no response reveals or depends on a hidden value', async ({ assert }) => {
    const round = async () => {
      const responses: Record<string, ReturnType<typeof told>> = {}
      for (const path of READS(play.id)) responses[path] = told(await ask('GET', path))
      return responses
    }
    const before = await round()
    for (const [path, { status, text }] of Object.entries(before)) {
      assert.isBelow(status, 500, path)
      assert.notInclude(text.replaceAll(path, '').replace(/value="[^"]*"/g, ''), 'Other', path)
    }
    await db.from('plays').where('id', play.id).update({ secret: 'Aardvark' })
    const after = await round()
    for (const path of READS(play.id)) {
      assert.deepEqual(after[path], before[path], path)
      assert.notInclude(after[path].text, 'Aardvark', path)
    }
  })

  test('[U4] no write reveals or changes a hidden value', async ({ assert }) => {
    const before = await ask('GET', `/api/plays/${play.id}`)
    const tag = before.headers.get('etag')!
    const writes: Array<() => Promise<HttpResponse>> = [
      () => ask('PATCH', `/api/plays/${play.id}`, { secret: 'Mine' }),
      () => ask('PATCH', `/admin/Play/crud/${play.id}`, { secret: SECRET }),
      () =>
        ask('PATCH', `/api/plays/${play.id}`, { secret: 5 }, { prefer: 'return=representation' }),
      () => ask('PATCH', `/api/plays/${play.id}`, { title: 'Hamlet' }, { 'if-match': tag }),
      () =>
        sendForm(
          `/admin/Play/form_update/${play.id}`,
          { title: 'Hamlet', secret: 'Mine' },
          { cookie }
        ),
      () => ask('POST', '/admin/Play/action/stamp', { ids: [play.id] }),
      () => ask('DELETE', '/admin/Play/bulk-delete', { ids: [play.id], secret: SECRET }),
    ]
    for (const [index, write] of writes.entries()) {
      const { status, text } = await write()
      assert.isBelow(status, 500, String(index))
      assert.notInclude(text, SECRET, String(index))
      const { secret } = await Play.findOrFail(play.id)
      assert.equal(secret, SECRET, String(index))
    }
  })

  test('[U3, U4] a response repeated for an Idempotency-Key omits values that have been hidden since', async ({
    assert,
  }) => {
    const more = await makeRole('More', { Play: { actions: ['*'] } })
    await giveRoles(kim, ['Clerk', 'More'])
    const headers = { 'idempotency-key': '"replayed"' }
    const json = { title: 'Lear', town: 'east', secret: 'Cordelia' }
    const first = await ask('POST', '/api/plays', json, headers)
    assert.equal(first.body.secret, 'Cordelia')
    await more.delete()
    const again = await ask('POST', '/api/plays', json, headers)
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    assert.notInclude(again.text, 'Cordelia')
    assert.notEqual(again.headers.get('etag'), first.headers.get('etag'))
  })

  test('[A7, U3] writing a hidden field has the result of writing an unknown one: {name}')
    .with([
      {
        name: 'update',
        status: 200,
        strict: 422,
        send: (name: string, id: number) => ask('PATCH', `/api/plays/${id}`, both(name)),
      },
      {
        name: 'create',
        status: 201,
        strict: 422,
        send: (name: string) => ask('POST', '/api/plays', both(name)),
      },
      {
        name: 'batch update',
        status: 200,
        strict: 422,
        send: (name: string, id: number) =>
          ask('POST', '/api/plays/batch', { update: [{ id, ...both(name) }] }),
      },
      {
        name: 'batch create',
        status: 200,
        strict: 422,
        send: (name: string) => ask('POST', '/api/plays/batch', { create: [both(name)] }),
      },
      {
        name: 'mounted update',
        status: 200,
        strict: 422,
        send: (name: string, id: number) => ask('PATCH', `/admin/Play/crud/${id}`, both(name)),
      },
      {
        name: 'mounted create',
        status: 201,
        strict: 422,
        send: (name: string) => ask('POST', '/admin/Play/crud', both(name)),
      },
      {
        name: 'form of an update',
        status: 303,
        send: (name: string, id: number) =>
          sendForm(`/admin/Play/form_update/${id}`, texts(both(name)), { cookie }),
      },
      {
        name: 'emptied in the form of an update',
        status: 303,
        send: (name: string, id: number) => {
          const fields = { title: 'x', [`${name}__clear`]: '1' }
          return sendForm(`/admin/Play/form_update/${id}`, fields, { cookie })
        },
      },
      {
        name: 'form of a create',
        status: 303,
        send: (name: string) => sendForm('/admin/Play/form_create', texts(both(name)), { cookie }),
      },
      {
        name: 'form of a create that begins with it',
        status: 200,
        send: (name: string) => ask('GET', `/admin/Play/create_page?${name}=Mine`),
      },
      {
        name: 'bulk edit',
        status: 422,
        send: (name: string, id: number) =>
          ask('POST', '/admin/Play/bulk-edit', { ids: [id], values: both(name) }),
      },
      {
        name: 'form of a bulk edit',
        status: 303,
        send: (name: string, id: number) => {
          const fields = { _edit: '1', _ids: String(id), [name]: 'Mine', [`${name}__change`]: '1' }
          return sendForm('/admin/Play/bulk-edit', fields, { cookie })
        },
      },
      {
        name: 'cell of a list',
        status: 404,
        send: (name: string, id: number) =>
          call('POST', `/admin/Play/cell/${id}?field=${name}`, {
            body: `${name}=Mine`,
            headers: {
              cookie,
              'content-type': 'application/x-www-form-urlencoded',
              'if-match': '"any"',
            },
          }),
      },
    ])
    .run(async ({ assert, cleanup }, { send, status, strict = status }) => {
      cleanup(() => app.config.set('crud.strictBody', false))
      for (const [isStrict, expected] of [
        [false, status],
        [true, strict],
      ] as const) {
        app.config.set('crud.strictBody', isStrict)
        const [hidden, unknown] = [await send('secret', play.id), await send('sucret', play.id)]
        assert.deepEqual([hidden.status, unknown.status], [expected, expected], hidden.text)
        if (expected === 422) {
          assert.equal(hidden.text.replaceAll('secret', 'sucret'), unknown.text)
        }
        const rows = await db.from('plays').orderBy('id')
        const [own, , ...created] = rows.map(({ secret }) => secret)
        assert.equal(own, SECRET)
        assert.isTrue(created.every((secret) => secret === null))
      }
    })
})
