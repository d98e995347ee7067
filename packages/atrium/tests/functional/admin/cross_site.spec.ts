import { test } from '@japa/runner'
import type { AdminUser } from '#admin'
import {
  callRaw,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  login,
  makeUser,
  PASSWORD,
  sendForm,
} from '#tests/helpers/admin'
import { call, get, urlOf } from '#tests/helpers/http'

const FOREIGN: Array<Record<string, string>> = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { origin: 'http://evil.test' },
  { origin: 'null' },
  { origin: 'http://localhost' },
  { 'origin': 'http://evil.test', 'x-forwarded-host': 'evil.test' },
]

test.group('Admin | cross-site requests', (group) => {
  let jo: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    jo = await makeUser('jo')
    cookie = await cookiesOf(jo)
  })

  test('[B9] a cross-site form changes nothing')
    .with(FOREIGN)
    .run(async ({ assert }, headers) => {
      const theme = await sendForm('/admin/theme', { theme: 'dark-theme' }, { cookie, ...headers })
      assert.equal(theme.status, 403)
      assert.isEmpty(theme.headers.getSetCookie())
      assert.include(theme.text, '<title>Not allowed')
      assert.include(theme.text, 'This request came from another site and was blocked.')
      /* Data attributes contain texts for the script. */
      const shown = theme.text.replaceAll(/<[^>]*>/g, ' ')
      assert.include(shown, 'This request came from another site')
      assert.notInclude(shown, 'Your account may not')

      const signedIn = await login('jo', PASSWORD, { headers })
      assert.equal(signedIn.status, 403)
      assert.isEmpty(signedIn.headers.getSetCookie())
    })

  test('[B9] a cross-site login attempt is not counted against the user', async ({ assert }) => {
    for (let i = 0; i < 6; i++) await login('jo', 'wrong', { headers: FOREIGN[0] })
    const { status } = await login('jo')
    assert.equal(status, 303)
  })

  test('[B9] an API client receives a refused cross-site request as a problem', async ({
    assert,
  }) => {
    const { status, headers, body } = await call('POST', '/admin/theme', {
      headers: { accept: 'application/json', origin: 'http://evil.test' },
    })
    assert.equal(status, 403)
    assert.match(headers.get('content-type')!, /^application\/problem\+json/)
    assert.equal(body.status, 403)
  })

  test('[B9] forms of the site itself and API clients are accepted', async ({ assert }) => {
    for (const headers of [
      {},
      { 'sec-fetch-site': 'same-origin', 'origin': new URL(urlOf('/')).origin },
      { 'sec-fetch-site': 'none' },
    ] as Array<Record<string, string>>) {
      const { status } = await login('jo', PASSWORD, { headers })
      assert.equal(status, 303)
    }
  })

  test('[B9] cross-site links to pages are accepted', async ({ assert }) => {
    for (const path of ['/admin', '/admin/dashboard-content']) {
      const headers = { cookie, 'sec-fetch-site': 'cross-site' }
      const { status } = await get(path, { headers })
      assert.equal(status, 200, path)
    }
    const { status } = await get('/admin/login', { headers: { 'sec-fetch-site': 'cross-site' } })
    assert.equal(status, 200)
  })

  test("[B9] a request can't override its HTTP method", async ({ assert }) => {
    const headers = { 'cookie': cookie, 'sec-fetch-site': 'cross-site' }
    const byQuery = await callRaw('POST', '/admin/theme?_method=GET', headers)
    const byHeader = await callRaw('POST', '/admin/theme', {
      ...headers,
      'x-http-method-override': 'GET',
    })
    assert.deepEqual([byQuery.status, byHeader.status], [403, 403])
    const got = await callRaw('GET', '/admin/theme?_method=POST&theme=dark-theme', headers)
    assert.isUndefined(got.headers['set-cookie'])
  })

  test('[B4] cookies are not sent with cross-site requests', async ({ assert }) => {
    const { headers } = await login('jo')
    for (const line of headers.getSetCookie()) assert.match(line, /; SameSite=Lax$/)
    const theme = await sendForm('/admin/theme', { theme: 'dark-theme' })
    for (const line of theme.headers.getSetCookie()) assert.match(line, /; SameSite=Lax$/)
  })
})
