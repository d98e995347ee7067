import { test } from '@japa/runner'
import { adminSite, cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { giveRoles } from '#tests/helpers/roles'
import { call, get } from '#tests/helpers/http'

test.group('Admin | errors', (group) => {
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    cookie = await cookiesOf(await makeUser('jo'))
  })

  test("[B2] an unknown model is a 404 page in the site's layout", async ({ assert }) => {
    for (const path of ['/admin/Nothing/', '/admin/Nothing/update/1', '/admin/utensil/']) {
      const { status, text } = await get(path, { headers: { cookie } })
      assert.equal(status, 404, path)
      assert.include(text, '<title>Page not found · Atrium</title>')
      assert.include(text, '<nav class="side"')
      assert.include(text, 'Logged in as jo')
      assert.include(text, 'href="/admin/logout"')
    }
  })

  test('[B2, U4] every 404 page has the same text, for missing and for forbidden records, and a link to the list', async ({
    assert,
  }) => {
    const viewer = await makeUser('vi', { isSuperuser: false })
    await giveRoles(viewer, [])
    const headers = { cookie: await cookiesOf(viewer), accept: 'text/html' }
    const text = 'This page or record does not exist, or your roles do not include it.'
    for (const path of ['/admin/Nothing/', '/admin/Utensil/', '/admin/Utensil/update/1']) {
      const page = await get(path, { headers })
      assert.equal(page.status, 404, path)
      assert.include(page.text, text)
    }
    const missing = await get('/admin/Utensil/update/999999', {
      headers: { cookie, accept: 'text/html' },
    })
    assert.equal(missing.status, 404)
    assert.include(missing.text, text)
    assert.match(missing.text, /href="\/admin\/Utensil\/">Go to Utensils</)
    const program = await get('/admin/Nothing/', {
      headers: { cookie, accept: 'application/json' },
    })
    assert.equal(program.body.detail, text)
  })

  test('[B2] the error page does not repeat the requested path', async ({ assert }) => {
    const { text } = await get('/admin/<script>alert(1)</script>/', { headers: { cookie } })
    assert.notMatch(text, /<script>|<\/script>\//)
  })

  test('[B6] an API client gets a 404 as a problem', async ({ assert }) => {
    const headers = { cookie, accept: 'application/json' }
    const { status, body } = await get('/admin/Nothing/', { headers })
    assert.equal(status, 404)
    assert.deepInclude(body, { type: 'about:blank', title: 'Not Found', status: 404 })
  })

  test('[B6] a request to a page with another HTTP method is a 404', async ({ assert }) => {
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const { status } = await call(method, '/admin', { headers: { cookie } })
      assert.equal(status, 404, method)
    }
  })

  test('[A29] while the database is unavailable, pages and problems ask to try again', async ({
    assert,
    cleanup,
  }) => {
    const { adminAuthentication } = await adminSite()
    cleanup(() => {
      Reflect.deleteProperty(adminAuthentication, 'authenticate')
    })
    adminAuthentication.authenticate = async () => {
      throw Object.assign(new Error('connect 10.1.2.3'), { code: 'ECONNREFUSED' })
    }
    const page = await get('/admin', { headers: { cookie } })
    const problem = await get('/admin/Utensil/crud', {
      headers: { cookie, accept: 'application/json' },
    })
    for (const { status, headers, text } of [page, problem]) {
      assert.equal(status, 503)
      assert.equal(headers.get('retry-after'), '5')
      assert.notInclude(text, '10.1.2.3')
    }
    assert.include(page.text, '<title>The site is not available · Atrium</title>')
    assert.equal(problem.body.status, 503)
  })

  test('[B6] an internal error is a page without details, or a problem', async ({
    assert,
    cleanup,
  }) => {
    const { adminUserService: users } = await adminSite()
    const original = users.verify
    cleanup(() => {
      users.verify = original
    })
    users.verify = async () => {
      throw new Error("insert into secret_table values ('x')")
    }
    const page = await call('POST', '/admin/login')
    assert.equal(page.status, 500)
    assert.include(page.text, 'Something went wrong')
    const problem = await call('POST', '/admin/login', { headers: { accept: 'application/json' } })
    assert.equal(problem.status, 500)
    assert.equal(problem.body.status, 500)
    for (const { text } of [page, problem]) {
      assert.notMatch(text, /secret_table|\.ts|node_modules|Error:/)
    }
  })

  test("[B6] a request is refused if its user can't be determined", async ({ assert, cleanup }) => {
    const { sessionManager } = await adminSite()
    const original = sessionManager.findSignedIn
    cleanup(() => {
      sessionManager.findSignedIn = original
    })
    sessionManager.findSignedIn = () => {
      throw new Error('database is locked')
    }
    for (const path of ['/admin', '/admin/dashboard-content', '/admin/nothing', '/admin/logout']) {
      const { status, text } = await get(path, { headers: { cookie } })
      assert.equal(status, 500, path)
      assert.notInclude(text, 'locked')
      assert.notInclude(text, 'Logged in as')
    }
  })
})
