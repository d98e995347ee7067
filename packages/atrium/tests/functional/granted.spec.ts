import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { useTokenAuthorizer } from '#crud/endpoints/access'
import { crudConfig } from '#crud/settings'
import { usePermissions } from '#crud/resource/permissions'
import { bearerIsUser } from '#tests/fixtures/crud'
import {
  Folder,
  GivenPermissions,
  Memo,
  own,
  Paper,
  PaperCrud,
  shared,
} from '#tests/fixtures/granted'
import { strange } from '#tests/helpers/actors'
import { insertRow } from '#tests/helpers/databases'
import { type HttpResponse, call } from '#tests/helpers/http'

const PAPERS = '/api/granted-papers'
const BULK = '/api/granted-bulk'
const FOLDERS = '/api/granted-folders'
const MEMOS = '/api/granted-memos'

function callsOf(user: string) {
  const authorization = `Bearer ${user}`
  const of =
    (method: string) =>
    (path: string, json?: unknown, headers: object = {}) =>
      call(method, path, { json, headers: { authorization, ...headers } })
  return { get: of('GET'), post: of('POST'), patch: of('PATCH'), del: of('DELETE') }
}

/** For a response that is not checked otherwise. */
async function statusOf(response: Promise<HttpResponse>): Promise<number> {
  const { status } = await response
  return status
}

async function fieldOf(name: string, response: Promise<HttpResponse>): Promise<any> {
  const body = await bodyOf(response)
  return body[name]
}

async function bodyOf(response: Promise<HttpResponse>): Promise<any> {
  const { body } = await response
  return body
}

const titles = ({ body }: { body: any }): string[] => body.data.map(({ title }: any) => title)
const fieldsOf = ({ body }: { body: any }): string[] => body.errors.map(({ field }: any) => field)

test.group('Endpoints restricted by grants', (group) => {
  group.tap((one) => one.tags(['@database']))
  const given = new GivenPermissions()
  const anna = callsOf('anna')
  const root = callsOf('root')
  let folder: number
  let mine: number
  let shown: number
  let other: number

  const insert = (row: object) => insertRow('granted_papers', { owner: 'anna', ...row })
  const stored = async (id: number) => await db.from('granted_papers').where('id', id).first()
  const titleOf = async (id: number) => {
    const { title } = await stored(id)
    return title
  }
  const secretOf = async (id: number) => {
    const { secret } = await stored(id)
    return secret
  }
  const ownerOf = async (id: number) => {
    const { owner } = await stored(id)
    return owner
  }
  const tagOf = async (path: string) => {
    const { headers } = await anna.get(path)
    return headers.get('etag')!
  }

  group.setup(() => {
    const before = useTokenAuthorizer(bearerIsUser)
    const permissions = usePermissions(given)
    return () => {
      useTokenAuthorizer(before)
      usePermissions(permissions)
    }
  })
  group.each.setup(async () => {
    given.clear()
    PaperCrud.secret = undefined
    for (const table of ['granted_papers', 'granted_folders', 'granted_memos']) {
      await db.from(table).delete()
    }
    folder = await insertRow('granted_folders', { name: 'Post', owner: 'anna' })
    mine = await insert({ title: 'mine', secret: 'm', pay: 10, folder_id: folder })
    shown = await insert({ title: 'shown', owner: 'everyone', secret: 's', pay: 20 })
    other = await insert({ title: 'other', owner: 'bob', secret: 'o', pay: 30 })
  })

  test('[U2] a user whose grants restrict nothing can read and write everything', async ({
    assert,
  }) => {
    const list = await root.get(`${PAPERS}?include=folder`)
    assert.deepEqual(titles(list), ['mine', 'shown', 'other'])
    assert.equal(list.body.data[0].secret, 'm')
    assert.equal(list.body.data[0].folder.name, 'Post')
    const changed = await root.patch(`${PAPERS}/${other}`, { secret: 'x' })
    assert.equal(changed.status, 200)
  })

  test("[U2] a model for which the user has no grant can't be accessed", async ({ assert }) => {
    given.give('anna', Paper)
    for (const response of [
      await anna.get(PAPERS),
      await anna.get(`${PAPERS}/${mine}`),
      await anna.post(PAPERS, { title: 'new', owner: 'anna' }),
    ]) {
      assert.equal(response.status, 403)
    }
    for (const response of [
      await anna.patch(`${PAPERS}/${mine}`, { title: 'x' }),
      await anna.del(`${PAPERS}/${mine}`),
      await anna.del(`${PAPERS}/db_delete/${mine}`),
    ]) {
      assert.equal(response.status, 404)
    }
  })

  test('[U2] an operation for which the user has no grant is refused on visible records', async ({
    assert,
  }) => {
    given.give('anna', Paper, { on: ['read', 'read_multi'] })
    assert.equal(await statusOf(anna.get(`${PAPERS}/${mine}`)), 200)
    assert.equal(await statusOf(anna.patch(`${PAPERS}/${mine}`, { title: 'x' })), 403)
    assert.equal(await statusOf(anna.del(`${PAPERS}/${mine}`)), 403)
    assert.equal(await statusOf(anna.post(PAPERS, { title: 'n', owner: 'anna' })), 403)
    assert.equal(await titleOf(mine), 'mine')
  })

  test('[U2] records of any granted scope are accessible, and others do not exist', async ({
    assert,
  }) => {
    given.give('anna', Paper, { scopes: [own] }, { on: ['read', 'read_multi'], scopes: [shared] })
    const list = await anna.get(`${PAPERS}?sort=-title`)
    assert.deepEqual(titles(list), ['shown', 'mine'])
    assert.equal(list.body.total_count, 2)
    assert.equal(await statusOf(anna.get(`${PAPERS}/${other}`)), 404)
    assert.equal(await statusOf(anna.patch(`${PAPERS}/${other}`, { title: 'x' })), 404)
    assert.equal(await statusOf(anna.patch(`${PAPERS}/${mine}`, { title: 'x' })), 200)
  })

  test('[U2] a visible record can be written only within the scopes of the write grants', async ({
    assert,
  }) => {
    given.give(
      'anna',
      Paper,
      { on: ['read', 'read_multi'] },
      { on: ['update', 'delete', 'create'], scopes: [own] }
    )
    assert.equal(await statusOf(anna.patch(`${PAPERS}/${other}`, { title: 'x' })), 403)
    assert.equal(await statusOf(anna.del(`${PAPERS}/${other}`)), 403)
    assert.equal(await statusOf(anna.patch(`${PAPERS}/${mine}`, { title: 'x' })), 200)
    const moved = await anna.patch(`${PAPERS}/${mine}`, { owner: 'bob' })
    assert.equal(moved.status, 403)
    assert.equal(await ownerOf(mine), 'anna')
    assert.equal(await statusOf(anna.post(PAPERS, { title: 'n', owner: 'bob' })), 403)
    assert.equal(await statusOf(anna.post(PAPERS, { title: 'n', owner: 'anna' })), 201)
    assert.lengthOf(await db.from('granted_papers'), 4)
    assert.equal(await statusOf(anna.del(`${PAPERS}/${mine}`)), 200)
  })

  test('[U2] a user who can create but not read gets only the location of the item', async ({
    assert,
  }) => {
    given.give('anna', Paper, { on: ['create'], scopes: [own] })
    const created = await anna.post(PAPERS, { title: 'n', owner: 'anna' })
    assert.equal(created.status, 201)
    assert.equal(created.text, 'null')
    assert.match(created.headers.get('location')!, /granted-papers\/\d+$/)
    assert.isNull(created.headers.get('etag'))
    assert.equal(await statusOf(anna.post(PAPERS, { title: 'n', owner: 'bob' })), 403)
  })

  test('[U3] a hidden field is in no response, and can’t be filtered, sorted or selected', async ({
    assert,
  }) => {
    given.give('anna', Paper, { hidden: ['secret'] })
    const one = await anna.get(`${PAPERS}/${mine}`)
    assert.deepEqual(Object.keys(one.body), [
      'id',
      'title',
      'owner',
      'pay',
      'folder_id',
      'is_deleted',
    ])
    const list = await anna.get(`${PAPERS}?secret=m`)
    assert.lengthOf(list.body.data, 3)
    assert.notProperty(list.body.data[0], 'secret')
    for (const query of ['sort=secret', 'fields=id,secret']) {
      const refused = await anna.get(`${PAPERS}?${query}`)
      assert.equal(refused.status, 422)
      assert.notInclude(refused.body.detail, ', secret')
    }
  })

  test('[U3] a hidden field in a body is not written, and is an unknown field for strictBody', async ({
    assert,
  }) => {
    given.give('anna', Paper, { hidden: ['secret'] })
    const changed = await anna.patch(`${PAPERS}/${mine}`, { title: 'x', secret: 'stolen' })
    assert.equal(changed.status, 200)
    assert.equal(await secretOf(mine), 'm')
    const created = await anna.post(PAPERS, { title: 'n', owner: 'anna', secret: 'stolen' })
    assert.equal(created.status, 201)
    assert.notProperty(created.body, 'secret')
    assert.isNull(await secretOf(created.body.id))

    const config = crudConfig() as { strictBody: boolean }
    const before = config.strictBody
    config.strictBody = true
    try {
      const refused = await anna.patch(`${PAPERS}/${mine}`, { secret: 'stolen' })
      assert.equal(refused.status, 422)
      assert.deepEqual(fieldsOf(refused), ['secret'])
    } finally {
      config.strictBody = before
    }
  })

  test('[U3, W9] an upsert can’t find items by a hidden field', async ({ assert }) => {
    given.give('anna', Paper, { hidden: ['secret'] })
    const actor = strange({ kind: 'token', user: 'anna' })
    const values = { title: 'guess', owner: 'anna', secret: 'o' }
    const papers = new PaperCrud(Paper)
    await assert.rejects(
      () => papers.upsert(values, { on: ['secret'], actor }),
      'Paper: on is secret, and must name the columns of the primary key or of a unique index'
    )
    assert.equal(await titleOf(other), 'other')
  })

  test('[U2, W9] an upsert does not change records outside the scope', async ({ assert }) => {
    given.give('anna', Paper, { scopes: [own] })
    const actor = strange({ kind: 'token', user: 'anna' })
    const papers = new PaperCrud(Paper)
    for (const on of [['id'], ['secret']]) {
      const values = { id: other, title: 'taken', owner: 'anna', secret: 'o' }
      await assert.rejects(() => papers.upsert(values, { on, actor }))
    }
    assert.equal(await titleOf(other), 'other')
    assert.equal(await ownerOf(other), 'bob')
  })

  test('[U2, U3, W9] writes by filters find and change only what the grants cover', async ({
    assert,
  }) => {
    const prefer = { prefer: 'max-affected=5' }
    const change = (query: string, values: object = { title: 'x' }, headers = prefer) =>
      anna.patch(`${BULK}?${query}`, values, headers)
    given.give('anna', Paper, { hidden: ['secret'] })
    for (const filter of ['secret=o', 'title=other&secret=o', 'any.1.secret=o', 'unknown=o']) {
      assert.equal(await statusOf(change(filter)), 422, filter)
      assert.equal(await statusOf(anna.del(`${BULK}?${filter}`, undefined, prefer)), 422, filter)
    }

    given.give('anna', Paper, { scopes: [own] }, { hidden: ['secret', 'pay'] })
    assert.equal(await fieldOf('updated', change('secret=o')), 0)
    const most = { prefer: 'max-affected=0' }
    assert.match(await fieldOf('detail', change('pay__gte=1', {}, most)), /\b1 item matches/)

    given.give('anna', Paper, { on: ['read', 'read_multi'] }, { on: ['update'], scopes: [own] })
    assert.equal(await statusOf(change('pay__gte=1')), 403)
    assert.equal(await statusOf(change('title=mine', { owner: 'bob' })), 403)
    assert.equal(await statusOf(anna.del(`${BULK}?title=mine`, undefined, prefer)), 403)
    assert.equal(await titleOf(mine), 'mine')
    assert.equal(await ownerOf(mine), 'anna')
    assert.equal(await titleOf(other), 'other')
    assert.equal(await fieldOf('updated', change('title=mine')), 1)
    assert.equal(await titleOf(mine), 'x')
  })

  test(
    '[U3.8] a create without a required field that the user is not allowed to set is a 422 that names it: {$self}'
  )
    .with(['hidden', 'readonly'] as const)
    .run(async ({ assert }, kind) => {
      given.give('anna', Paper, { [kind]: ['title'] })
      const refused = await anna.post(PAPERS, { owner: 'anna' })
      assert.equal(refused.status, 422)
      assert.include(refused.body.detail, 'do not let you set title, which a new record must have')
      assert.deepEqual(fieldsOf(refused), ['title'])
    })

  test('[U2] several records are deleted only if the delete grants cover all of them', async ({
    assert,
  }) => {
    const reads = { on: ['read', 'read_multi'], scopes: [own, shared] } as const
    given.give('anna', Paper, { ...reads }, { on: ['delete', 'db_delete'], scopes: [own] })
    const actor = strange({ kind: 'token', user: 'anna' })
    const crud = new PaperCrud(Paper)
    const refused = await crud
      .deleteMany([mine, shown], { actor, hard: true })
      .catch((error) => error)
    assert.equal(refused.status, 403)
    assert.isNotNull(await stored(mine))
    await crud.deleteMany([mine], { actor, hard: true })
    assert.isNull(await stored(mine))
    assert.isNotNull(await stored(shown))
  })

  test('[U3] application code writes fields that the user cannot write', async ({ assert }) => {
    given.give('anna', Paper, { hidden: ['secret'], readonly: ['pay'] })
    PaperCrud.secret = 'by code'
    assert.equal(await statusOf(anna.patch(`${PAPERS}/${mine}`, { title: 'x' })), 200)
    assert.equal(await secretOf(mine), 'by code')
    PaperCrud.secret = 's'
    const refused = await anna.patch(`${PAPERS}/${mine}`, { title: 'y' })
    assert.equal(refused.status, 409)
    assert.deepEqual(refused.body.errors, [])
    assert.equal(refused.body.detail, 'Value is already registered')
  })

  test('[U3] a read-only field is returned, and its unchanged value does not count as a write', async ({
    assert,
  }) => {
    given.give('anna', Paper, { readonly: ['pay', 'secret'] })
    const refused = await anna.patch(`${PAPERS}/${mine}`, { title: 'x', pay: 11, secret: 'm' })
    assert.equal(refused.status, 403)
    assert.deepEqual(
      refused.body.errors.map(({ field, rule }: any) => [field, rule]),
      [['pay', 'readonly']]
    )
    assert.equal(await titleOf(mine), 'mine')
    const same = await anna.patch(`${PAPERS}/${mine}`, { title: 'x', pay: 10, secret: 'm' })
    assert.equal(same.status, 200)
    assert.equal(await titleOf(mine), 'x')
    assert.equal(await fieldOf('pay', anna.get(`${PAPERS}/${mine}`)), 10)
    const created = await anna.post(PAPERS, { title: 'n', owner: 'anna', pay: 1 })
    assert.equal(created.status, 403)
    assert.equal(await statusOf(anna.post(PAPERS, { title: 'n', owner: 'anna' })), 201)
  })

  test('[U3] a custom schema does not require fields that the user cannot write', async ({
    assert,
  }) => {
    given.give('anna', Folder, { readonly: ['owner'] })
    const changed = await anna.patch(`${FOLDERS}/${folder}`, { name: 'Mail' })
    assert.equal(changed.status, 200)
    assert.equal(await fieldOf('name', anna.get(`${FOLDERS}/${folder}`)), 'Mail')
    given.give('anna', Folder, { hidden: ['owner'] })
    assert.equal(await statusOf(anna.patch(`${FOLDERS}/${folder}`, { name: 'M' })), 200)
    assert.equal(await statusOf(anna.patch(`${FOLDERS}/${folder}`, {})), 422)
  })

  test('[U3] a computed property is hidden if any field of the model is hidden', async ({
    assert,
  }) => {
    assert.equal(await fieldOf('label', anna.get(`${FOLDERS}/${folder}`)), 'Post of anna')
    given.give('anna', Folder, { hidden: ['owner'] })
    assert.deepEqual(await bodyOf(anna.get(`${FOLDERS}/${folder}`)), { id: folder, name: 'Post' })
  })

  test('[U3] the entity tag covers the visible fields, and preconditions accept it', async ({
    assert,
  }) => {
    given.give('anna', Paper, { hidden: ['secret'] })
    const tag = await tagOf(`${PAPERS}/${mine}`)
    await root.patch(`${PAPERS}/${mine}`, { secret: 'else' })
    assert.equal(await tagOf(`${PAPERS}/${mine}`), tag)
    const matching = { 'if-match': tag }
    assert.equal(await statusOf(anna.patch(`${PAPERS}/${mine}`, { title: 'x' }, matching)), 200)
    assert.equal(await statusOf(anna.patch(`${PAPERS}/${mine}`, { title: 'y' }, matching)), 412)
  })

  test('[U3] a repeated response to an Idempotency-Key contains only what the caller can see now', async ({
    assert,
  }) => {
    const key = { 'idempotency-key': '"paper"' }
    const body = { title: 'n', owner: 'anna', secret: 'first' }
    const first = await anna.post(PAPERS, body, key)
    assert.equal(first.body.secret, 'first')
    given.give('anna', Paper, { hidden: ['secret'] })
    const again = await anna.post(PAPERS, body, key)
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    assert.equal(again.body.id, first.body.id)
    assert.notProperty(again.body, 'secret')
    assert.notEqual(again.headers.get('etag'), first.headers.get('etag'))
    given.give('anna', Paper, { on: ['read'] })
    assert.equal(await statusOf(anna.post(PAPERS, body, key)), 403)
  })

  test('[G5] aggregates include only the columns and records that the grants show', async ({
    assert,
  }) => {
    const path = `${PAPERS}/aggregate?`
    const aggregate = (query: string) => fieldOf('data', anna.get(path + query))
    given.give('anna', Paper, { scopes: [own], hidden: ['pay'] })
    assert.deepEqual(await aggregate('group_by=owner'), [{ owner: 'anna', count: 1 }])
    for (const query of ['select=sum:pay', 'group_by=pay', 'select=max:pay', 'sort=pay']) {
      assert.equal(await statusOf(anna.get(path + query)), 422, query)
    }
    assert.deepEqual(await aggregate('pay=30'), [{ count: 1 }], 'no filter by a hidden column')

    given.give('anna', Paper, { scopes: [own] }, { scopes: null, hidden: ['pay', 'secret'] })
    assert.deepEqual(await aggregate('select=count,sum:pay,max:pay'), [
      { 'count': 3, 'sum:pay': 10, 'max:pay': 10 },
    ])
    assert.deepEqual(await aggregate('group_by=secret'), [
      { secret: null, count: 2 },
      { secret: 'm', count: 1 },
    ])
    given.give('anna', Paper, { on: ['read'] })
    assert.equal(await statusOf(anna.get(path)), 403)
  })

  test('[U3] a field that only some grants show is null in records where it is hidden', async ({
    assert,
  }) => {
    given.give(
      'anna',
      Paper,
      { scopes: [own] },
      { on: ['read', 'read_multi', 'update'], hidden: ['secret', 'pay'] }
    )
    const list = await anna.get(`${PAPERS}?sort=-pay`)
    assert.deepEqual(
      list.body.data.map(({ title, secret, pay }: any) => [title, secret, pay]),
      [
        ['mine', 'm', 10],
        ['shown', null, null],
        ['other', null, null],
      ]
    )
    assert.deepEqual(titles(await anna.get(`${PAPERS}?pay__gte=1`)), ['mine'])
    assert.deepEqual(titles(await anna.get(`${PAPERS}?secret=o`)), [])
    assert.isNull(await fieldOf('secret', anna.get(`${PAPERS}/${other}`)))

    const first = await anna.get(`${PAPERS}?cursor=&sort=-pay&limit=2`)
    const next = encodeURIComponent(first.body.next_cursor)
    assert.deepEqual(titles(first), ['mine', 'shown'])
    assert.deepEqual(titles(await anna.get(`${PAPERS}?cursor=${next}&sort=-pay&limit=2`)), [
      'other',
    ])

    const tag = await tagOf(`${PAPERS}/${other}`)
    const wanted = { 'if-match': tag, 'prefer': 'return=representation' }
    const changed = await anna.patch(`${PAPERS}/${other}`, { title: 'x', secret: 'no' }, wanted)
    assert.equal(changed.status, 200)
    assert.isNull(changed.body.secret)
    assert.equal(await secretOf(other), 'o')
    assert.equal(await statusOf(anna.patch(`${PAPERS}/${mine}`, { secret: 'yes' })), 200)
    assert.equal(await secretOf(mine), 'yes')
  })

  test('[U3] a field that is read-only on some records can be written on the others', async ({
    assert,
  }) => {
    given.give('anna', Paper, { scopes: [own] }, { readonly: ['pay'] })
    assert.equal(await statusOf(anna.patch(`${PAPERS}/${mine}`, { pay: 1 })), 200)
    assert.equal(await statusOf(anna.patch(`${PAPERS}/${other}`, { pay: 1 })), 403)
    assert.equal(await statusOf(anna.patch(`${PAPERS}/${other}`, { pay: 30, title: 'x' })), 200)
    const before = await db.from('granted_papers')
    assert.equal(await statusOf(anna.post(PAPERS, { title: 'n', owner: 'bob', pay: 1 })), 403)
    assert.lengthOf(await db.from('granted_papers'), before.length)
    assert.equal(await statusOf(anna.post(PAPERS, { title: 'n', owner: 'anna', pay: 1 })), 201)
  })

  test('[U3] only visible related items and fields are included', async ({ assert }) => {
    given.give('anna', Paper, { hidden: ['secret'], scopes: [own] })
    await db.from('granted_papers').update({ folder_id: folder })
    const one = await anna.get(`${FOLDERS}/${folder}?include=papers`)
    assert.deepEqual(
      one.body.papers.map(({ title }: any) => title),
      ['mine']
    )
    assert.notProperty(one.body.papers[0], 'secret')

    given.give('anna', Paper, { hidden: ['folder_id'] })
    assert.equal(await statusOf(anna.get(`${FOLDERS}/${folder}?include=papers`)), 422)
    assert.equal(await statusOf(anna.get(`${PAPERS}?include=folder`)), 422)
    given.give('anna', Paper, {})
    given.give('anna', Folder)
    const refused = await anna.get(`${PAPERS}?include=folder`)
    assert.equal(refused.status, 422)
    assert.notInclude(refused.text, 'names are')
    assert.equal(await statusOf(root.get(`${PAPERS}?include=folder`)), 200)
  })

  test('[U3] only visible records can be set as references', async ({ assert }) => {
    const theirs = await insertRow('granted_folders', { name: 'Theirs', owner: 'bob' })
    given.give('anna', Folder, { scopes: [own] })
    const refused = await anna.patch(`${PAPERS}/${mine}`, { folder_id: theirs })
    assert.equal(refused.status, 409)
    const missing = await anna.patch(`${PAPERS}/${mine}`, { folder_id: theirs + 1000 })
    assert.deepEqual(refused.body, missing.body)
    assert.equal(await statusOf(anna.patch(`${PAPERS}/${shown}`, { folder_id: folder })), 200)
    given.give('anna', Folder)
    assert.equal(await statusOf(anna.patch(`${PAPERS}/${other}`, { folder_id: folder })), 409)
    assert.equal(await statusOf(anna.patch(`${PAPERS}/${mine}`, { folder_id: folder })), 200)
  })

  test('[U3, P14] the policy receives the complete record, whatever fields are visible', async ({
    assert,
  }) => {
    const sealed = await insertRow('granted_memos', { owner: 'bob', secret: 'sealed' })
    const plain = await insertRow('granted_memos', { owner: 'bob', secret: 'plain' })
    given.give('anna', Memo, { scopes: [own] }, { hidden: ['secret'] })
    const list = await anna.get(MEMOS)
    assert.deepEqual(list.body.data, [{ id: plain, owner: 'bob', secret: null }])
    assert.equal(await statusOf(anna.get(`${MEMOS}/${sealed}`)), 403)
    assert.isNull(await fieldOf('secret', anna.get(`${MEMOS}/${plain}`)))
  })
})
