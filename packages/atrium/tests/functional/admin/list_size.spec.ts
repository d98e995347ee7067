import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import emitter from '@adonisjs/core/services/emitter'
import {
  adminSite,
  callRaw,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  leaveModels,
  makeUser,
} from '#tests/helpers/admin'
import { get } from '#tests/helpers/http'
import { getList } from '#tests/helpers/list_page'

const TABLES = ['reels', 'lenders', 'utensils']

const CREATED = '2026-01-02 03:04:05'
const WORDS = 'oiled walnut harbour evening glass orchard signal copper winter lantern'.split(' ')

/** A few words, different for each seed */
function words(seed: number, many: number): string {
  return Array.from({ length: many }, (_, index) => WORDS[(seed * 7 + index * 3) % 10]).join(' ')
}

/** Rows as long as those of a real catalogue, for several pages of each list. */
async function fillTables() {
  const rows = <Row>(many: number, make: (id: number) => Row) =>
    Array.from({ length: many }, (_, index) => make(index + 1))
  const lenders = rows(40, (id) => ({ id, name: `${words(id, 2)} ${id}`, created_at: CREATED }))
  await db.table('lenders').multiInsert(lenders)
  const utensils = rows(30, (id) => ({
    name: `${words(id, 3)} ${id}`,
    description: words(id, 10),
    category: words(id, 1),
    price: id * 7.25,
    sku: `SKU-${id}`,
    last_sold: CREATED,
    created_at: CREATED,
  }))
  await db.table('utensils').multiInsert(utensils)
  const reels = rows(120, (id) => ({
    title: `${words(id, 4)} ${id}`,
    us_gross: id * 1_234_567,
    worldwide_gross: id * 7_654_321,
    release_date: `19${String(id % 100).padStart(2, '0')}-06-12`,
    mpaa_rating: 'PG-13',
    lender_id: 1 + (id % 40),
    major_genre: words(id, 1),
    director: words(id, 2),
    imdb_rating: (id % 100) / 10,
    created_at: CREATED,
  }))
  for (const half of [reels.slice(0, 60), reels.slice(60)]) {
    await db.table('reels').multiInsert(half)
  }
}

/* The sidebar of a site of some size; that of all fixtures has more than a hundred models. */
const NEIGHBOURS = 30

test.group('Admin | list | size and cost', (group) => {
  let cookie: string

  group.setup(() => fakeHashes())
  group.setup(async () => {
    const { models } = await adminSite()
    const names = [...models.keys()].toSorted().slice(0, NEIGHBOURS)
    return await leaveModels('Reel', 'Lender', 'Utensil', ...names)
  })
  group.setup(async () => {
    await emptyAdminTables()
    cookie = await cookiesOf(await makeUser('ada'))
    for (const table of TABLES) await db.from(table).delete()
    await fillTables()
    return async () => {
      for (const table of TABLES) await db.from(table).delete()
    }
  })

  /** Bytes of the response as transferred. */
  async function bytesOf(path: string, headers: Record<string, string> = {}): Promise<number> {
    const { headers: responded } = await callRaw('HEAD', path, { cookie, ...headers })
    return Number(responded['content-length'])
  }

  /** Number of queries on each table during the action. */
  async function queriesOf(act: () => Promise<unknown>): Promise<Record<string, number>> {
    const counts: Record<string, number> = {}
    const stop = emitter.on('db:query', ({ sql }: { sql: string }) => {
      /* Joined columns are selected before the table's own. */
      const [, table = ''] = [...sql.matchAll(/from [`"](\w+)[`"]/g)].at(-1) ?? []
      counts[table] = (counts[table] ?? 0) + 1
    })
    const connections = [...db.manager.connections.values()]
    const debugging = connections.map(({ config }) => config.debug)
    connections.forEach(({ config }) => (config.debug = true))
    try {
      await act()
    } finally {
      stop()
      connections.forEach(({ config }, index) => (config.debug = debugging[index]))
    }
    return counts
  }

  test('a page of ten rows is at most 9 KB, and its content for htmx is smaller', async ({
    assert,
  }) => {
    for (const name of ['Utensil', 'Reel', 'Lender']) {
      for (const encoding of ['br', 'gzip']) {
        const accept = { 'accept-encoding': encoding }
        const whole = await bytesOf(`/admin/${name}/`, accept)
        const part = await bytesOf(`/admin/${name}/`, { ...accept, 'hx-request': 'true' })
        assert.isAbove(part, 1000)
        assert.isAtMost(whole, 9 * 1024, `${name}, ${encoding}`)
        assert.isBelow(part, whole, `${name}, ${encoding}`)
      }
    }
  })

  test('a list page runs no more queries on its table than the endpoint of the list', async ({
    assert,
  }) => {
    const endpoint = await queriesOf(() => get('/api/utensils?page=1'))
    assert.equal(endpoint.utensils, 2)
    const page = await queriesOf(() => getList(cookie, '/admin/Utensil/?sort_by=name'))
    assert.equal(page.utensils, 2)
    const part = await queriesOf(() =>
      getList(cookie, '/admin/Utensil/?column-to-search=name&search-input=a', {
        'hx-request': 'true',
      })
    )
    assert.equal(part.utensils, 2)
  })

  test('titles of references need no query of their own, or one if the list is sorted', async ({
    assert,
  }) => {
    await getList(cookie, '/admin/Reel/')
    const reels = await queriesOf(() => getList(cookie, '/admin/Reel/?rows-per-page-select=100'))
    assert.equal(reels.reels, 2)
    assert.notProperty(reels, 'lenders')
    const sorted = await queriesOf(() => getList(cookie, '/admin/Reel/?sort_by=title'))
    assert.deepInclude(sorted, { reels: 2, lenders: 1 })
  })

  test('a page number past the end adds one query, or none if it is far past the end', async ({
    assert,
  }) => {
    const beyond = await queriesOf(() => getList(cookie, '/admin/Reel/?page=99'))
    assert.equal(beyond.reels, 3)
    const far = await queriesOf(() => getList(cookie, '/admin/Reel/?page=9999'))
    assert.equal(far.reels, 2)
  })

  test('pages are compressed with an encoding that the client accepts', async ({ assert }) => {
    const encodings: Array<[string, string | undefined]> = [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      ['deflate', undefined],
      ['identity', undefined],
      ['br;q=0, gzip;q=0', undefined],
    ]
    for (const [accepted, encoding] of encodings) {
      const { headers } = await callRaw('GET', '/admin/Utensil/', {
        cookie,
        'accept-encoding': accepted,
      })
      assert.equal(headers['content-encoding'], encoding, accepted)
      assert.match(headers.vary as string, /Accept-Encoding/)
      assert.equal(headers['content-type'], 'text/html; charset=utf-8')
      assert.equal(headers['cache-control'], 'no-store')
    }
  })

  test('a page has the same content in every encoding', async ({ assert }) => {
    const texts = await Promise.all(
      ['br', 'gzip', 'identity'].map(async (encoding) => {
        const headers = { 'cookie': cookie, 'accept-encoding': encoding }
        const { text } = await get('/admin/Reel/?page=3', { headers })
        return text
      })
    )
    assert.include(texts[0], '</html>')
    assert.equal(texts[0], texts[1])
    assert.equal(texts[0], texts[2])
  })

  test('error pages are compressed, small responses and stored files are not', async ({
    assert,
  }) => {
    const encodingOf = async (path: string) => {
      const response = await callRaw('GET', path, { cookie, 'accept-encoding': 'br' })
      return [response.status, response.headers['content-encoding']]
    }
    assert.deepEqual(await encodingOf('/admin/nowhere'), [404, 'br'])
    assert.deepEqual(await encodingOf('/admin/assets/nowhere.css'), [404, 'br'])
    assert.deepEqual(await encodingOf('/admin/Utensil'), [307, undefined])
    const site = await adminSite()
    const assets = await site.assets()
    const style = site.url(`/assets/${assets.url('admin.css')}`)
    const { headers } = await callRaw('GET', style, { cookie, 'accept-encoding': 'br' })
    assert.equal(headers['content-encoding'], 'br')
    assert.equal(headers['content-type'], 'text/css; charset=utf-8')
    const asset = await assets.find(assets.url('admin.css'))
    assert.equal(Number(headers['content-length']), asset!.brotli!.length)
  })
})
