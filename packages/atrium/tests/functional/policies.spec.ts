import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { useTokenAuthorizer } from '#crud/endpoints/access'
import { bearerIsUser, Note } from '#tests/fixtures/crud'
import { call, type HttpResponse } from '#tests/helpers/http'
import { insertRow } from '#tests/helpers/databases'

const PATH = '/api/crud-notes'

/** Calls by the actor of this name. */
function callsOf(user: string) {
  const headers = { authorization: `Bearer ${user}` }
  return {
    get: (path = '') => call('GET', PATH + path, { headers }),
    head: (path = '') => call('HEAD', PATH + path, { headers }),
    post: (json: unknown) => call('POST', PATH, { headers, json }),
    patch: (path: string, json: unknown) => call('PATCH', PATH + path, { headers, json }),
    del: (path: string) => call('DELETE', PATH + path, { headers }),
  }
}

async function insertNote(note: Record<string, unknown>): Promise<number> {
  const id = await insertRow('crud_notes', { title: 'a note', ...note })
  return id
}

test.group('Policies and scopes over HTTP', (group) => {
  group.tap((one) => one.tags(['@database']))
  const anna = callsOf('anna')
  const banned = callsOf('banned')

  group.setup(() => {
    const before = useTokenAuthorizer(bearerIsUser)
    return () => void useTokenAuthorizer(before)
  })
  group.each.setup(async () => {
    Note.asked = []
    await db.from('crud_notes').delete()
  })

  test('[P14] every operation checks the policy with the actor of the request', async ({
    assert,
  }) => {
    const id = await insertNote({ owner: 'anna' })
    const actor = { kind: 'token', user: 'anna', token: 'anna' }
    const requests: Array<[() => Promise<HttpResponse>, Array<[string, string?]>]> = [
      [
        () => anna.post({ owner: 'anna', title: 'new' }),
        [
          ['create', 'new'],
          ['read', 'new'],
        ],
      ],
      [() => anna.get(`/${id}`), [['read', 'a note']]],
      [() => anna.head(`/${id}`), [['read', 'a note']]],
      [() => anna.get('?title=a note'), [['read_multi'], ['read', 'a note']]],
      [() => anna.get('?title=a note&page=1'), [['read_multi'], ['read', 'a note']]],
      [
        () => anna.patch(`/${id}`, { title: 'b note' }),
        [
          ['update', 'a note'],
          ['update', 'b note'],
          ['read', 'b note'],
        ],
      ],
      [() => anna.del(`/${id}`), [['delete', 'b note']]],
      [() => anna.del(`/db_delete/${id}`), [['db_delete', 'b note']]],
    ]
    for (const [request, questions] of requests) {
      Note.asked = []
      const response = await request()
      assert.isBelow(response.status, 300)
      assert.deepEqual(
        Note.asked as unknown[],
        questions.map(([action, title]) => ({ actor, action, resource: 'Note', title }))
      )
    }
  })

  test('[P14] an operation that the policy refuses is a 403 and changes nothing', async ({
    assert,
  }) => {
    const id = await insertNote({ owner: 'banned' })
    const before = await db.from('crud_notes')
    const requests = [
      () => banned.post({ owner: 'banned', title: 'new' }),
      () => banned.get(`/${id}`),
      () => banned.get(),
      () => banned.get('?limit=0'),
      () => banned.patch(`/${id}`, { title: 'changed' }),
      () => banned.patch(`/${id}`, {}),
      () => banned.del(`/${id}`),
      () => banned.del(`/db_delete/${id}`),
    ]
    for (const request of requests) {
      const response = await request()
      assert.equal(response.status, 403)
      assert.equal(response.headers.get('content-type'), 'application/problem+json; charset=utf-8')
      assert.equal(response.body.status, 403)
    }
    assert.deepEqual(await db.from('crud_notes'), before)
  })

  test('[P14] an item that the scope hides is a 404 and stays unchanged', async ({ assert }) => {
    const id = await insertNote({ owner: 'bert' })
    const requests = [
      () => anna.get(`/${id}`),
      () => anna.get(`/${id}?deleted=include`),
      () => anna.patch(`/${id}`, { title: 'changed' }),
      () => anna.patch(`/${id}`, { owner: 'anna' }),
      () => anna.del(`/${id}`),
      () => anna.del(`/db_delete/${id}`),
    ]
    for (const request of requests) {
      const response = await request()
      assert.equal(response.status, 404)
      assert.equal(response.body.detail, 'Item not found')
    }
    const rows = await db
      .from('crud_notes')
      .select('id', 'owner', 'title')
      .where('is_deleted', false)
    assert.deepEqual(rows, [{ id, owner: 'bert', title: 'a note' }])
  })

  test('[P14] items that the scope hides are not listed and not counted', async ({ assert }) => {
    await insertNote({ owner: 'bert', title: 'x' })
    await insertNote({ owner: 'anna', title: 'x' })
    await insertNote({ owner: 'everyone', title: 'y' })
    await insertNote({ owner: 'everyone', title: 'x', is_deleted: true })
    const titles = async (query: string) => {
      const { body } = await anna.get(query)
      return [body.total_count, body.data.map((item: any) => `${item.owner} ${item.title}`)]
    }
    assert.deepEqual(await titles(''), [2, ['anna x', 'everyone y']])
    assert.deepEqual(await titles('?title=x'), [1, ['anna x']])
    assert.deepEqual(await titles('?page=2&itemsPerPage=1'), [2, ['everyone y']])
    assert.deepEqual(await titles('?deleted=only'), [1, ['everyone x']])
    assert.deepEqual(await titles('?limit=0'), [2, []])
  })

  test("[P14] an actor can't write an item out of their scope, or to a refused state", async ({
    assert,
  }) => {
    const created = await anna.post({ owner: 'bert', title: 'a present' })
    assert.equal(created.status, 403)
    assert.isNull(created.headers.get('location'))
    assert.isEmpty(await db.from('crud_notes'))

    const id = await insertNote({ owner: 'anna' })
    const renamed = await anna.patch(`/${id}`, { title: 'no update' })
    assert.equal(renamed.status, 403)
    const moved = await anna.patch(`/${id}`, { owner: 'bert' })
    assert.equal(moved.status, 403)
    const rows = await db
      .from('crud_notes')
      .select('id', 'owner', 'title')
      .where('is_deleted', false)
    assert.deepEqual(rows, [{ id, owner: 'anna', title: 'a note' }])
  })

  test('[P14] the policy is not called if the access option refuses the request', async ({
    assert,
  }) => {
    const response = await call('GET', PATH)
    assert.equal(response.status, 401)
    assert.isEmpty(Note.asked)
  })
})
