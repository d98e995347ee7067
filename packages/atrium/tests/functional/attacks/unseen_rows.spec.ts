/*
 * Rows that a scope hides, or that are deleted, must not influence responses: with and without them
 * each request has exactly the same response. [P14, A22, Q3, B23]
 */
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { NO, YES } from '#tests/helpers/databases'
import { emptyEventTables } from '#tests/helpers/events'
import { call, type HttpResponse } from '#tests/helpers/http'

const MOMENT = '2020-02-02 00:00:00'
const TABLES = [
  'inc_album_tag',
  'inc_tags',
  'inc_songs',
  'inc_albums',
  'inc_labels',
  'logged_diaries',
]

type Request = [method: string, path: string, body?: object]

/** Visible rows. */
const SEEN: Array<[table: string, row: Record<string, unknown>]> = [
  ['inc_labels', { id: 1, code: 'a', name: 'A' }],
  ['inc_albums', { id: 1, title: 'one', label_code: 'a', next_id: 2 }],
  ['inc_albums', { id: 2, title: 'two', label_code: 'gone', next_id: 3 }],
  ['inc_songs', { album_id: 1, position: 1, id: 1, title: 'LOUD', is_public: YES }],
  ['inc_tags', { id: 1, name: 'seen' }],
  ['inc_album_tag', { album_id: 1, tag_id: 1 }],
  ['inc_album_tag', { album_id: 1, tag_id: 2 }],
  ['logged_diaries', { id: 1, owner: 'nobody' }],
]

/** Hidden and deleted rows. */
const UNSEEN: Array<[table: string, row: Record<string, unknown>]> = [
  ['inc_labels', { id: 2, code: 'gone', name: 'B', deleted_at: MOMENT }],
  ['inc_albums', { id: 3, title: 'three', label_code: 'a', deleted_at: MOMENT }],
  ['inc_songs', { album_id: 1, position: 2, id: 2, title: 'LOUDER', is_public: NO }],
  ['inc_songs', { album_id: 2, position: 1, id: 3, title: 'LOUD', is_public: NO }],
  ['inc_tags', { id: 2, name: 'unseen' }],
  ['logged_diaries', { id: 2, owner: 'jo' }],
]

const LISTS = ['/api/inc-labels', '/api/inc-albums', '/api/inc-songs', '/api/inc-tags']
const INCLUDES = ['label', 'songs', 'loud_songs', 'tags', 'next']

const READS: Request[] = [
  ...[...LISTS, '/admin/LoggedDiary/crud'].flatMap((path) => [
    path,
    `${path}?limit=1`,
    `${path}?limit=0`,
    `${path}?page=1&itemsPerPage=1`,
    `${path}?page=2&itemsPerPage=1`,
    `${path}?page=1&itemsPerPage=1&count=false`,
    `${path}?limit=1&count=false`,
  ]),
  ...INCLUDES.flatMap((name) => [
    `/api/inc-albums?include=${name}`,
    `/api/inc-albums/1?include=${name}`,
    `/api/inc-albums/2?include=${name}`,
  ]),
  ...['/api/inc-albums?title=three', '/api/inc-albums?id__in=1,2,3'],
  ...['/api/inc-labels/1?include=albums,songs', '/api/inc-songs/1/1?include=album'],
  ...['/api/inc-labels/2', '/api/inc-albums/3', '/api/inc-songs/1/2', '/api/inc-tags/2'],
  ...['/admin/LoggedDiary/crud/2', '/admin/LoggedDiary/update/2', '/admin/LoggedDiary/'],
  ...['/admin/LoggedDiary/?column-to-search=owner&search-input=jo'],
  ...['/admin/LoggedDiary/table-content?column-to-search=id&search=2'],
  ...['/admin/LoggedDiary/table-content?page=2&rows-per-page-select=1', '/admin/dashboard-content'],
].map((path): Request => ['GET', path])

const WRITES: Request[] = [
  ...['/api/inc-songs/1/2', '/api/inc-tags/2', '/api/inc-albums/3', '/api/inc-labels/2'].flatMap(
    (path): Request[] => [
      ['PATCH', path, { title: 'x', name: 'x' }],
      ['PATCH', path, { position: 'no number' }],
      ['DELETE', path],
    ]
  ),
  ['PATCH', '/admin/LoggedDiary/crud/2', { owner: 'nobody' }],
  ['DELETE', '/admin/LoggedDiary/crud/2'],
  ['DELETE', '/admin/LoggedDiary/crud/db_delete/2'],
  ['DELETE', '/admin/LoggedDiary/bulk-delete', { ids: [2] }],
  ['DELETE', '/admin/LoggedDiary/bulk-delete', { ids: [2, 4711] }],
]

test.group('Attacks | rows that the actor cannot see', (group) => {
  group.tap((one) => one.tags(['@database']))
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    /* The dashboard shows the age of each event. */
    await emptyEventTables()
    cookie = await cookiesOf(await makeUser('jo', { isSuperuser: false }))
    return empty
  })

  async function empty() {
    for (const table of TABLES) await db.from(table).delete()
  }

  async function fill(rows: typeof SEEN) {
    await empty()
    for (const [table, row] of rows) await db.table(table).insert(row)
  }

  /** The visible parts of a response, without those that always differ. */
  function seen({ status, headers, text }: HttpResponse): string {
    const names = ['etag', 'location', 'content-type', 'allow', 'link']
    return JSON.stringify([status, names.map((name) => headers.get(name)), text])
  }

  async function tellingOf(requests: Request[], withoutThem: typeof SEEN, withThem: typeof SEEN) {
    const ask = async (rows: typeof SEEN) => {
      const responses: string[] = []
      for (const [method, path, json] of requests) {
        await fill(rows)
        const response = await call(method, path, { json, headers: { cookie } })
        if (response.status >= 500) throw new Error(`${method} ${path}: ${response.status}`)
        responses.push(seen(response))
      }
      return responses
    }
    const [one, other] = [await ask(withoutThem), await ask(withThem)]
    return requests
      .filter((_, index) => one[index] !== other[index])
      .map((request) => request.join(' '))
  }

  test('[P14, A22, Q3] reads do not reveal rows that the actor cannot see', async ({ assert }) => {
    assert.deepEqual(await tellingOf(READS, SEEN, [...SEEN, ...UNSEEN]), [])
  }).timeout(60_000)

  test('[P14, A5, A22] writes do not reveal or change rows that the actor cannot see', async ({
    assert,
  }) => {
    assert.deepEqual(await tellingOf(WRITES, SEEN, [...SEEN, ...UNSEEN]), [])
    await fill([...SEEN, ...UNSEEN])
    const dump = () => Promise.all(TABLES.map(async (table) => db.from(table)))
    const before = await dump()
    for (const [method, path, json] of WRITES) {
      await call(method, path, { json, headers: { cookie } })
    }
    assert.deepEqual(await dump(), before)
  })

  test('a visible row changes the response, so that the comparisons above can fail', async ({
    assert,
  }) => {
    const lists = READS.filter(([, path]) => LISTS.includes(path))
    const more: typeof SEEN = [
      ...SEEN,
      ['inc_labels', { id: 3, code: 'c', name: 'C' }],
      ['inc_albums', { id: 4, title: 'four' }],
      ['inc_songs', { album_id: 2, position: 2, id: 4, title: 'x', is_public: YES }],
      ['inc_tags', { id: 3, name: 'also seen' }],
    ]
    assert.lengthOf(await tellingOf(lists, SEEN, more), 4)
  })
})
