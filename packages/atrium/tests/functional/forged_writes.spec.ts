import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { useTokenAuthorizer } from '#crud'
import { emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { call, get, urlOf } from '#tests/helpers/http'
import { issueToken } from '#tests/helpers/tokens'

const OPEN = '/api/attacked-patrons'
const GUARDED = '/api/token-guarded'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** Headers of browsers for requests that a page of another site causes. */
const FOREIGN: Array<Record<string, string>> = [
  { 'sec-fetch-site': 'cross-site', 'origin': 'http://evil.test' },
  { 'sec-fetch-site': 'same-site' },
  { origin: 'http://evil.test' },
  { origin: 'null' },
  { origin: urlOf('').replace('http:', 'https:') },
]

test.group('Forged writes', (group) => {
  group.each.setup(async () => {
    await db.from('attacked_patrons').delete()
    await db.from('token_guarded').delete()
  })

  async function rows(table: string): Promise<number> {
    const found = await db.from(table)
    return found.length
  }

  test("[B9, P10] a page of another site can't write through a public endpoint: {$self}")
    .with(FOREIGN)
    .run(async ({ assert }, headers) => {
      const { body: item } = await call('POST', OPEN, { json: { name: 'Ann' } })
      const form = { headers: { ...headers, ...FORM }, body: 'name=Forged' }
      for (const response of [
        await call('POST', OPEN, form),
        await call('POST', OPEN, { headers, json: { name: 'Forged' } }),
        await call('PATCH', `${OPEN}/${item.id}`, { headers, json: { name: 'Forged' } }),
        await call('DELETE', `${OPEN}/${item.id}`, { headers }),
      ]) {
        assert.equal(response.status, 403)
        assert.equal(response.body.title, 'Forbidden')
        assert.include(response.body.detail, 'another site')
      }
      assert.equal(await rows('attacked_patrons'), 1)
      const read = await get(`${OPEN}/${item.id}`, { headers })
      assert.equal(read.body.name, 'Ann')
    })

  test("[B9] the application's own pages and API clients can write: {$self}")
    .with([
      {},
      { 'sec-fetch-site': 'same-origin', 'origin': urlOf('') },
      { 'sec-fetch-site': 'none' },
      { origin: urlOf('') },
    ] as Array<Record<string, string>>)
    .run(async ({ assert }, headers) => {
      const { status } = await call('POST', OPEN, { headers, json: { name: 'Ann' } })
      assert.equal(status, 201)
    })

  test('[P10] a request with a valid token is accepted from a page of any site, and one with an invalid token is not', async ({
    assert,
    cleanup,
  }) => {
    await emptyAdminTables()
    cleanup(() => emptyAdminTables())
    const { headers: token } = await issueToken(await makeUser('jo'))
    const headers = { ...FOREIGN[0], ...token }
    for (const path of [OPEN, GUARDED]) {
      const { status } = await call('POST', path, { headers, json: { name: 'Ann' } })
      assert.equal(status, 201, path)
      const wrong = { ...headers, authorization: 'Bearer atr_wrong' }
      const refused = await call('POST', path, { headers: wrong, json: { name: 'Bo' } })
      assert.equal(refused.status, path === OPEN ? 403 : 401, path)
    }
  })

  test('[B9, P10] an authorizer that reads cookies does not accept writes of another site’s page', async ({
    assert,
    cleanup,
  }) => {
    const before = useTokenAuthorizer({ authorize: async () => ({ kind: 'none' }) })
    cleanup(() => void useTokenAuthorizer(before))
    const cookie = { cookie: 'session=1' }
    const own = await call('POST', GUARDED, { headers: cookie, json: { name: 'Ann' } })
    assert.equal(own.status, 201)
    for (const headers of FOREIGN) {
      const sent = { ...headers, ...cookie }
      const forged = await call('POST', GUARDED, { headers: sent, json: { name: 'Forged' } })
      assert.equal(forged.status, 403)
    }
    assert.equal(await rows('token_guarded'), 1)
  })
})
