/*
 * Hidden values must not influence responses: in two worlds whose rows differ in hidden columns
 * only, each request has exactly the same response. Any leak, be it by order, count, tag, conflict
 * or length, tells the worlds apart.
 */
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { NO, YES } from '#tests/helpers/databases'
import { emptyEventTables } from '#tests/helpers/events'
import { call, get, type HttpResponse } from '#tests/helpers/http'
import { partOf } from '#tests/helpers/random_runs'

const MOMENT = '2020-02-02 00:00:00'

/** By id: pin and hash of a patron, and the secret of a club. */
const WORLDS = [
  {
    pins: ['a', 'bb', null, 'd4d4d4d4d4d4'],
    hashes: ['h1', null, 'h3', 'h4'],
    secrets: ['north', null],
  },
  {
    pins: ['zzzzzzzz', 'y', 'x', null],
    hashes: [null, 'g2', 'g1', 'g0'.repeat(20)],
    secrets: [null, 'a much longer one'],
  },
]

/** Names of hidden columns that an attacker may know from the model, the table or a relation. */
const HIDDEN = [
  ...['pin', 'hashed_password', 'hashedPassword', 'attacked_patrons.pin', '"pin"', '`pin`', 'PIN'],
  ...[
    'club.secret',
    'club.pin',
    'patrons.pin',
    'secret',
    'pin asc',
    'lower(pin)',
    '$attributes.pin',
  ],
]

const OPERATORS = [
  ...['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'is', 'is_not', 'like', 'ilike', 'startswith'],
  ...['endswith', 'contains', 'in', 'not_in', 'between', 'or'],
]

const VALUES = ['a', 'a%', 'zzzzzzzz', 'null', 'a,zzzzzzzz', 'startswith:a,endswith:z']

const encoded = encodeURIComponent

/** Query strings of lists that could reveal a column. */
function listQueries(name: string): string[] {
  const column = encoded(name)
  return [
    `sort=${column}`,
    `sort=-${column}`,
    `sort=name,-${column}`,
    `cursor=&limit=2&sort=${column}`,
    `fields=id,${column}`,
    `include=${column}`,
    `include=club.${column}`,
    `deleted=include&sort=-${column}`,
    ...VALUES.map((value) => `${column}=${encoded(value)}`),
    ...VALUES.slice(0, 2).map((value) => `filter[${column}]=${encoded(value)}`),
    ...OPERATORS.flatMap((operator) =>
      VALUES.slice(0, 2).map((value) => `${column}__${operator}=${encoded(value)}`)
    ),
  ]
}

/** Query strings of admin pages that could reveal a column. */
function pageQueries(name: string): string[] {
  const column = encoded(name)
  return [
    `sort_by=${column}&sort_order=asc`,
    `sort_by=${column}&sort_order=desc`,
    `sort_by=name,${column}&sort_order=asc,desc`,
    ...VALUES.map((value) => `column-to-search=${column}&search-input=${encoded(value)}`),
    ...VALUES.map((value) => `filter.${column}=${encoded(value)}`),
    ...VALUES.map((value) => `filter.${column}__or=eq:${encoded(value)},is:null`),
    ...VALUES.map((value) => `q=${encoded(value)}`),
    `filter.${column}__is=null&filter.${column}__title=a`,
  ]
}

function reads(): string[] {
  const api = HIDDEN.flatMap((name) => [
    ...listQueries(name).map((query) => `/api/attacked-patrons?${query}`),
    `/api/attacked-patrons/1?fields=${encoded(name)}`,
    `/api/attacked-patrons/1?include=${encoded(name)}`,
    `/api/attacked-clubs/1?include=patrons&fields=${encoded(name)}`,
    `/api/attacked-clubs?sort=${encoded(name)}&include=patrons`,
  ])
  const site = HIDDEN.flatMap((name) => [
    ...pageQueries(name).flatMap((query) => [
      `/admin/Patron/table-content?${query.replace('search-input', 'search')}`,
      `/admin/Patron/get_model_list?${query}`,
    ]),
    `/admin/Patron/crud?sort=${encoded(name)}`,
    `/admin/Patron/crud?${encoded(name)}__gt=b`,
    `/admin/Patron/choices/${encoded(name)}?q=a`,
    `/admin/Patron/files/${encoded(name)}`,
  ])
  const plain = [
    ...['/api/attacked-patrons', '/api/attacked-patrons?include=club&deleted=include'],
    ...['/api/attacked-clubs?include=patrons', '/api/attacked-patrons?page=2&itemsPerPage=2'],
    ...[1, 2, 3].map((id) => `/api/attacked-patrons/${id}?include=club`),
    ...['/api/attacked-clubs/1', '/api/attacked-patrons/4?deleted=include'],
    ...['/api/openapi.json', '/admin/Patron/', '/admin/Club/', '/admin/Patron/get_model_list'],
    ...['/admin/Patron/update/1', '/admin/Club/update/1', '/admin/Patron/create_page'],
    ...['a', 'north', 'a much'].map((text) => `/admin/Patron/choices/club_id?q=${encoded(text)}`),
  ]
  return [...api, ...site, ...plain]
}

/** Writes that change no visible row, or are refused. */
const WRITES: Array<[method: string, path: string, body?: object]> = [
  ...['a', 'zzzzzzzz', 'free', null].flatMap((pin): Array<[string, string, object]> => [
    ['PATCH', '/api/attacked-patrons/2', { pin, hashed_password: pin }],
    ['PATCH', '/admin/Patron/crud/2', { pin, hashedPassword: pin }],
    ['POST', '/api/attacked-patrons', { name: 'x'.repeat(50), pin }],
    ['POST', '/api/attacked-patrons', { pin }],
  ]),
  ['DELETE', '/api/attacked-patrons/4711'],
  ['DELETE', '/admin/Patron/bulk-delete', { ids: ['a', 4711] }],
]

test.group('Attacks | hidden values', (group) => {
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    cookie = await cookiesOf(await makeUser('jo'))
  })

  async function become({ pins, hashes, secrets }: (typeof WORLDS)[number]) {
    await db.from('attacked_patrons').delete()
    await db.from('attacked_clubs').delete()
    for (const [index, secret] of secrets.entries()) {
      await db.table('attacked_clubs').insert({ id: index + 1, name: `club ${index}`, secret })
    }
    for (const [index, pin] of pins.entries()) {
      await db.table('attacked_patrons').insert({
        id: index + 1,
        name: ['Ann', 'Bo', 'Cy', 'Di'][index],
        note: 'same',
        club_id: (index % 2) + 1,
        pin,
        hashed_password: hashes[index],
        is_deleted: index === 3 ? YES : NO,
        created_at: MOMENT,
      })
    }
  }

  /** The visible parts of a response, without those that always differ. */
  function seen({ status, headers, text }: HttpResponse): string {
    const cursor = /"next_cursor":"([^"]+)"/
    const opened = /name="_opened" value="([^"]+)"/
    const by = /name="_by" value="([^"]+)"/
    const names = ['etag', 'location', 'content-type', 'link', 'allow', 'hx-push-url']
    return JSON.stringify([
      status,
      names.map((name) => headers.get(name)),
      text
        .replace(cursor, (_, value: string) => `"next_cursor":"${value.length}"`)
        .replace(opened, (_, value: string) => `opened ${value.length}`)
        .replace(by, (_, value: string) => `by ${value.length}`)
        .replace(/data-(idle|limit)="\d+"/g, ''),
    ])
  }

  async function ask(
    requests: Array<[method: string, path: string, body?: object]>
  ): Promise<Map<string, string>> {
    const responses = new Map<string, string>()
    for (const [method, path, json] of requests) {
      const response = await call(method, path, { json, headers: { cookie } })
      const key = `${method} ${path} ${JSON.stringify(json ?? '')}`
      if (response.status >= 500) throw new Error(`${key}: ${response.status}`)
      responses.set(key, seen(response))
    }
    return responses
  }

  async function inEachWorld(requests: Array<[method: string, path: string, body?: object]>) {
    const [one, other] = WORLDS
    await become(one)
    const first = await ask(requests)
    await become(other)
    const second = await ask(requests)
    return [...first].filter(([key, response]) => second.get(key) !== response).map(([key]) => key)
  }

  test('[A2, A15, Q2] reads have the same responses whatever the hidden values are', async ({
    assert,
  }) => {
    const paths = reads()
    const telling = await inEachWorld(partOf(paths, 5).map((path) => ['GET', path]))
    assert.isAbove(paths.length, 500)
    assert.deepEqual(telling, [])
  }).timeout(120_000)

  test('[A7, A8, A3] writes have the same responses and conflicts whatever the hidden values are', async ({
    assert,
  }) => {
    assert.deepEqual(await inEachWorld(WRITES), [])
  })

  test('[Q4] the pages of a list with a cursor are the same whatever the hidden values are', async ({
    assert,
  }) => {
    const read = async (world: (typeof WORLDS)[number]) => {
      await become(world)
      const names: string[] = []
      const lengths: number[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const response: HttpResponse = await get(
          `/api/attacked-patrons?sort=name&deleted=include&limit=1&cursor=${encoded(cursor)}`
        )
        names.push(...response.body.data.map(({ name }: { name: string }) => name))
        cursor = response.body.next_cursor
        lengths.push(cursor?.length ?? 0)
      }
      return { names, lengths }
    }
    const [one, other] = [await read(WORLDS[0]), await read(WORLDS[1])]
    assert.deepEqual(one, other)
    assert.deepEqual(one.names, ['Ann', 'Bo', 'Cy', 'Di'])
  })

  test('a visible value changes the responses, so that the comparisons above can fail', async ({
    assert,
  }) => {
    await become(WORLDS[0])
    const paths = ['?sort=-note', '?fields=note', '/1', ''].map((end): [string, string] => [
      'GET',
      `/api/attacked-patrons${end}`,
    ])
    const first = await ask(paths)
    await db.from('attacked_patrons').where('id', 1).update({ note: 'other' })
    const second = await ask(paths)
    for (const [key, response] of first) assert.notEqual(second.get(key), response, key)
  })

  test('[E4] no event of a write, and no event page, contains a hidden value', async ({
    assert,
  }) => {
    await emptyEventTables()
    await become(WORLDS[1])
    for (const name of ['Eve', 'Fay']) {
      await call('PATCH', '/admin/Patron/crud/1', { json: { name }, headers: { cookie } })
    }
    await call('DELETE', '/admin/Patron/crud/db_delete/1', { headers: { cookie } })
    const events = await db.from('admin_event_log').where('resource_type', 'Patron')
    assert.isAtLeast(events.length, 3)
    const rows = [...events, ...(await db.from('admin_audit_log'))]
    assert.notInclude(JSON.stringify(rows), 'zzzzzzzz')
    for (const { id } of events) {
      const { status, text } = await get(`/admin/management/events/${id}`, { headers: { cookie } })
      assert.equal(status, 200)
      assert.notInclude(text, 'zzzzzzzz')
    }
    await emptyEventTables()
  })

  test('[Q1] the API schema contains no hidden column', async ({ assert }) => {
    const { body } = await get('/api/openapi.json')
    const { schemas } = body.components
    const ours = Object.keys(schemas).filter((name) => /^(?:Patron|Club)/.test(name))
    assert.includeMembers(ours, ['Patron', 'PatronCreate', 'PatronUpdate', 'PatronList'])
    for (const name of ours.filter((one) => one.startsWith('Patron'))) {
      assert.notMatch(JSON.stringify(schemas[name]), /pin"|hashed/i, name)
    }
    assert.notProperty(schemas.Club.properties, 'secret')
    for (const path of ['/api/attacked-patrons', '/api/attacked-patrons/{id}']) {
      assert.notMatch(JSON.stringify(body.paths[path]), /"pin|hashed/i, path)
    }
  })
})
