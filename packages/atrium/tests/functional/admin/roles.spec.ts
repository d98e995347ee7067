import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import {
  adminSite,
  callRaw,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
} from '#tests/helpers/admin'
import { engineRouter } from '#base/http/engine_router'
import { get } from '#tests/helpers/http'
import { partOf, someOf } from '#tests/helpers/random_runs'

/** Public routes: login in two steps, its assets, and the theme switch. */
const OPEN = [
  'GET /admin/assets/:file',
  'GET /admin/login',
  'GET /admin/invitation/:token',
  'POST /admin/invitation/:token',
  'POST /admin/login',
  'GET /admin/login/second',
  'POST /admin/login/second',
  'POST /admin/login/second/options',
  'POST /admin/login/passkey',
  'POST /admin/login/passkey/options',
  'GET /admin/login/sso',
  'GET /admin/login/sso/callback',
  'POST /admin/theme',
  /* For clients with a token; sessions of the site do not count there. */
  'POST /admin/mcp',
  'GET /admin/mcp',
  'DELETE /admin/mcp',
]

const CORE =
  /^\/admin\/(AdminUser|AdminRole|AdminSession|AdminAccessToken|AdminTokenBlacklist|AdminSavedView|AdminWebhook|management\/(?!jobs|events\/:id\/undo|events\/record\/(?!Admin)))(\/|$)?/

/* Milliseconds for all routes of all models, on a busy machine */
const WALK = 120_000

/* Maximum number of concurrent requests. */
const TOGETHER = 16

/** Pages of a model whose policy admits superusers only and is checked before anything else */
const BY_POLICY = [
  '/get_model_list',
  '/table-content',
  '/files/:file',
  '/create_page',
  '/explain',
  '/crud',
  '/form_bulk_delete',
  '/bulk-edit',
  '/export',
  '/export/dialog',
  ...[
    '/filter',
    '/filter/choices/:field',
    '/facets',
    '/suggestions/:field',
    '/print',
    '/columns',
    '/cards/new',
    '/views/new',
    '/views/:view',
    '/views/:view/delete',
  ],
]
  .map((path) => `GET /admin/PrivateLedger${path}`)
  .concat(
    'POST /admin/PrivateLedger/bulk-edit',
    'POST /admin/PrivateLedger/export/selected',
    ...importRoutes('PrivateLedger')
  )

function importRoutes(name: string): string[] {
  const base = `/admin/${name}/import`
  const gets = ['', '/template', '/:import', '/:import/faulty', '/:import/discard'].map(
    (path) => `GET ${base}${path}`
  )
  const posts = ['columns', 'reread', 'corrections', 'run', 'discard']
  return [...gets, `POST ${base}`, ...posts.map((path) => `POST ${base}/:import/${path}`)]
}

interface AdminRoute {
  method: string
  pattern: string
}

const LOGOUT = '/admin/logout'

/** A merge also depends on the models that refer to the record; its own tests cover that. [G7] */
const MERGE = /\/merge$/

/** Models that cannot be written, such as database views: their routes for writes refuse all users. */
async function readOnlyModels(): Promise<ReadonlySet<string>> {
  const { models } = await adminSite()
  const views = [...models.values()]
  await Promise.all(views.map(({ resource }) => resource.load().catch(() => {})))
  return new Set(views.filter(({ resource }) => resource.readOnly).map(({ name }) => name))
}

function isCore({ method, pattern }: AdminRoute): boolean {
  return CORE.test(pattern) || BY_POLICY.includes(`${method} ${pattern}`)
}

/** Every route below the mount, as registered. HEAD is the route of GET. */
function adminRoutes(): AdminRoute[] {
  return Object.values(engineRouter().toJSON())
    .flat()
    .filter(({ pattern }) => pattern === '/admin' || pattern.startsWith('/admin/'))
    .flatMap(({ methods, pattern }) => methods.map((method) => ({ method, pattern })))
    .filter(({ method, pattern }) => method !== 'HEAD' && !OPEN.includes(`${method} ${pattern}`))
}

/**
 * Requests a route for a missing record with an invalid body, so that an authorized request changes
 * nothing either.
 */
async function knock({ method, pattern }: AdminRoute, cookie: string) {
  const path = pattern.replace(/:\w+\??|\*/g, '987654')
  const body = method === 'GET' || method === 'HEAD' ? '' : '{'
  const accept = pattern.includes('/crud') ? '*/*' : 'text/html'
  const headers = { cookie, accept, 'content-type': 'application/json' }
  return await callRaw(method, path, headers, body)
}

/** Result of a request: refused, or let through. */
async function verdict(route: AdminRoute, cookie: string): Promise<string> {
  const { status, headers } = await knock(route, cookie)
  if (status === 401 || /\/login\?error=/.test(String(headers.location))) return 'sign in'
  return status === 403 ? 'not allowed' : 'in'
}

test.group('Admin | roles', (group) => {
  group.setup(() => fakeHashes())
  group.each.setup(() => emptyAdminTables())

  test(
    '[S25, B13] every route of the site is accessible only to the users that it is meant for: {role}'
  )
    .with([
      { role: 'nobody', core: 'sign in', others: 'sign in' },
      { role: 'user', core: 'not allowed', others: 'in' },
      { role: 'superuser', core: 'in', others: 'in' },
    ])
    .run(async ({ assert }, { role, core, others }) => {
      const isSuperuser = role === 'superuser'
      const cookie = role === 'nobody' ? '' : await cookiesOf(await makeUser('jo', { isSuperuser }))
      const before = await db.from('admin_users')
      const all = adminRoutes()
      const ofCore = all.filter(isCore)
      assert.isAbove(ofCore.length, 30)
      const refused = await readOnlyModels()
      const ofModels = all.filter(
        ({ method, pattern }) =>
          !isCore({ method, pattern }) &&
          pattern !== LOGOUT &&
          !(cookie !== '' && MERGE.test(pattern)) &&
          !refused.has(pattern.split('/')[2])
      )
      /*
       * Anonymous requests are turned away from every route in unauthenticated.spec.ts, and superusers
       * may do all that others may.
       */
      const routes = [
        ...(role === 'nobody' ? partOf(ofCore, 7) : someOf(ofCore, 5, isSuperuser ? 1 : 0)),
        ...(role === 'user' ? someOf(ofModels, 23) : partOf(ofModels, 23, isSuperuser ? 1 : 2)),
        ...all.filter(({ pattern }) => pattern === LOGOUT),
      ]
      const check = async (route: AdminRoute) => {
        const expected = isCore(route) ? core : others
        assert.equal(await verdict(route, cookie), expected, `${route.method} ${route.pattern}`)
      }
      /* The logout ends the session. */
      const [logout, rest] = [true, false].map((isLogout) =>
        routes.filter(({ pattern }) => (pattern === LOGOUT) === isLogout)
      )
      for (let i = 0; i < rest.length; i += TOGETHER) {
        await Promise.all(rest.slice(i, i + TOGETHER).map(check))
      }
      assert.lengthOf(logout, 1)
      await check(logout[0])
      assert.deepEqual(await db.from('admin_users'), before)
    })
    .timeout(WALK)

  test('[B13, B14] a model has only the routes of its allowed actions', async ({ assert }) => {
    const doors = {
      view: ['GET /', 'GET /get_model_list', 'GET /table-content', 'GET /files/:file'],
      filters: [
        'GET /filter',
        'GET /filter/choices/:field',
        'GET /facets',
        'GET /suggestions/:field',
      ],
      lists: ['GET /print', 'GET /explain', 'GET /compare'],
      columns: ['GET /columns', 'POST /columns'],
      cards: ['GET /cards/new', 'POST /cards'],
      records: ['GET /view/:id', 'GET /history/:id'],
      views: [
        ...['GET /views/new', 'POST /views', 'GET /views/:view', 'POST /views/:view'],
        ...['POST /views/:view/query', 'GET /views/:view/delete', 'POST /views/:view/delete'],
      ],
      exports: ['GET /export', 'POST /export', 'GET /export/dialog', 'POST /export/selected'],
      viewCrud: ['GET /crud', 'GET /crud/:id'],
      create: ['GET /create_page', 'POST /form_create', 'POST /crud'],
      bulkEdit: ['GET /bulk-edit', 'POST /bulk-edit'],
      update: [
        'GET /update/:id',
        'POST /form_update/:id',
        'POST /form_update',
        'GET /cell/:id',
        'POST /cell/:id',
        'PATCH /crud/:id',
      ],
      write: ['GET /choices/:field', 'POST /uploads/:field', 'POST /preview/:field'],
      delete: ['DELETE /bulk-delete', 'GET /form_bulk_delete', 'POST /form_bulk_delete'],
      deleteCrud: ['DELETE /crud/:id', 'DELETE /crud/db_delete/:id'],
    }
    const routes = adminRoutes()
    const of = (name: string) =>
      routes
        .filter(
          ({ pattern }) => pattern.startsWith(`/admin/${name}/`) || pattern === `/admin/${name}`
        )
        .map(({ method, pattern }) => `${method} ${pattern.slice(`/admin/${name}`.length) || '/'}`)
    const { viewCrud } = doors
    const view = [
      ...doors.view,
      ...doors.records,
      ...doors.filters,
      ...doors.lists,
      ...doors.columns,
      ...doors.cards,
      ...doors.views,
      ...doors.exports,
    ]
    assert.sameMembers(of('AdminUser'), [
      ...Object.values(doors).flat(),
      'GET /reset_factors/:id',
      'POST /reset_factors/:id',
      'POST /issue_token/:id',
      'POST /invite/:id',
      'POST /sign_in_as/:id',
    ])
    for (const name of ['AdminSession', 'AdminAccessToken']) {
      assert.sameMembers(of(name), [...view, ...viewCrud, ...doors.delete, ...doors.deleteCrud])
    }
    assert.sameMembers(of('AdminTokenBlacklist'), [...view, ...viewCrud])
  })

  test('[B13] only superusers see the admin site’s own models in the site', async ({ assert }) => {
    const { models } = await adminSite()
    const own = [...models.values()].filter(({ adminModel }) => adminModel)
    assert.lengthOf(own, 7)
    for (const isSuperuser of [true, false]) {
      const user = await makeUser(isSuperuser ? 'boss' : 'jo', { isSuperuser })
      const cookie = await cookiesOf(user)
      for (const path of ['/admin', '/admin/dashboard-content', '/admin/Utensil/']) {
        const { status, text } = await get(path, { headers: { cookie } })
        assert.equal(status, 200)
        for (const { name, label } of own) {
          assert.equal(text.includes(`/admin/${name}/`), isSuperuser, `${name} on ${path}`)
          assert.equal(text.includes(label), isSuperuser, `${label} on ${path}`)
        }
      }
    }
  })

  test('[B13, P13] a refusal is an HTML page for browsers and a problem for API clients', async ({
    assert,
  }) => {
    const cookie = await cookiesOf(await makeUser('jo', { isSuperuser: false }))
    const page = await get('/admin/AdminUser/', { headers: { cookie, accept: 'text/html' } })
    assert.equal(page.status, 403)
    assert.include(page.text, '<h1>Not allowed</h1>')
    for (const path of ['/admin/AdminUser/', '/admin/AdminUser/crud']) {
      const { status, body } = await get(path, { headers: { cookie, accept: 'application/json' } })
      assert.equal(status, 403)
      assert.deepInclude(body, { type: 'about:blank', title: 'Forbidden', status: 403 })
    }
  })

  test('[B13] a user who is no longer a superuser loses access immediately', async ({ assert }) => {
    const user = await makeUser('jo')
    const cookie = await cookiesOf(user)
    const before = await get('/admin/AdminUser/crud', { headers: { cookie } })
    assert.equal(before.status, 200)
    await db.from('admin_users').where('id', user.id).update({ is_superuser: false })
    const after = await get('/admin/AdminUser/crud', { headers: { cookie } })
    assert.equal(after.status, 403)
  })
})
