import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { resources, type Resource } from '#crud'
import { engineRouter } from '#base/http/engine_router'
import AdminSavedView from '#admin/models/admin_saved_view'
import { lateCounters } from '#tests/fixtures/crud'
import { ImportArticle } from '#tests/fixtures/imports'
import { makeRevue } from '#tests/fixtures/revues'
import { adminSite, callRaw, makeUser, sendForm } from '#tests/helpers/admin'
import { onSqlite } from '#tests/helpers/databases'
import { csv, tried } from '#tests/helpers/imports'
import { withImports } from '#tests/helpers/job_group'
import { someOf } from '#tests/helpers/random_runs'

/** Models of which all pages are read: with many-to-many fields, rows of other models, imports, bulk actions, and users */
const WHOLE = ['Revue', 'RevueArtist', 'ImportArticle', 'Gadget', 'AdminUser', 'AdminRole', 'Play']

/**
 * GET requests that write what they are for; invitations count wrong links. A page of the application reads with the
 * connection that its code chooses.
 */
const WRITING = [
  '/admin/logout',
  '/admin/login/sso',
  '/admin/login/sso/callback',
  '/admin/invitation/:token',
  '/admin/tides',
]

const AT_ONCE = 8

interface Read {
  path: string
  status: number
  /** What the page offers */
  forms: number
}

test.group('Pages while another transaction locks SQLite', (group) => {
  const own = withImports(group)
  let keys: Map<string, string>
  let ids: Record<string, number>

  async function store() {
    const { jobs } = await adminSite()
    await makeRevue()
    await ImportArticle.create({ sku: 'a', title: 'Lamp', active: true })
    await db.from('bulk_gadgets').delete()
    await db.table('bulk_gadgets').multiInsert([{ name: 'Lamp' }, { name: 'Chair' }])
    const kim = await makeUser('kim')
    const { jo, cookie } = own
    const origin = { requestId: 'r', ip: '203.0.113.7', userAgent: 'tester', sessionId: null }
    const payload = { task: '/form_bulk_delete', value: 'delete', query: '', count: 2 }
    const job = await jobs.store.create({
      kind: 'bulk',
      user: jo,
      model: 'Gadget',
      payload,
      origin,
    })
    jobs.resume()
    await jobs.run(job.id, false)
    await db.table('bulk_gadgets').insert({ name: 'Table' })
    await sendForm(`/admin/AdminUser/form_update/${kim.id}`, { username: 'tim' }, { cookie })
    const common = { query: '', ownerId: jo.id, shared: true }
    const view = await AdminSavedView.create({ ...common, model: 'Gadget', name: 'All' })
    const one = await tried(jo, 'ImportArticle', csv('sku,title', 'b,Chair'))
    const event = await db.from('admin_event_log').where('event_type', 'DELETE').firstOrFail()
    ids = { job: job.id, view: view.id, import: one.id, event: event.id }
    keys = new Map()
    const site = await adminSite()
    const all = [...site.models.values()].map(({ base }) => [base.name, base.resource] as const)
    const rest = resources.endpoints().map(({ path, resource }) => [`${path}`, resource] as const)
    for (const [name, resource] of [...all, ...rest]) keys.set(name, await firstKey(resource))
  }

  async function firstKey(resource: Resource): Promise<string> {
    await resource.load()
    const row = await resource.model.query().orderBy(resource.model.primaryKey, 'desc').first()
    return row ? resource.key.toPath(resource.key.of(row)) : '/1'
  }

  function pathOf(pattern: string): string {
    const [, , first, , , name = first] = pattern.split('/')
    const isLog = pattern.startsWith('/admin/management/events/record/')
    const api = [...keys.keys()].find((path) => pattern.startsWith(`${path}/:`))
    const key = keys.get(api ?? (isLog ? name : first)) ?? '/1'
    const parts = key.slice(1).split('/')
    const isRecord =
      api !== undefined || /^\/admin\/([A-Z]|management\/events\/record)/.test(pattern)
    return (/^\/admin(\/[A-Z]\w*)?$/.test(pattern) ? `${pattern}/` : pattern)
      .replace('/:view', `/${ids.view}`)
      .replace('/:import', `/${ids.import}`)
      .replace('management/jobs/:id', `management/jobs/${ids.job}`)
      .replace('management/events/:id', `management/events/${ids.event}`)
      .replace('facets', 'facets?field=name')
      .replace(':field', 'styles')
      .replace(/:\w+\??|\*/g, () => (isRecord ? (parts.shift() ?? '1') : '1'))
  }

  /** All pages of some models and all others of the site, and some of the other models and of the REST API */
  function paths(): string[] {
    const all = Object.values(engineRouter().toJSON())
      .flat()
      .filter(({ methods }) => methods.includes('GET'))
      .map(({ pattern }) => pattern)
      .filter((pattern) => !WRITING.includes(pattern) && !pattern.startsWith(lateCounters.path))
    const isWhole = (pattern: string) => {
      if (pattern.startsWith('/api/')) return pattern === '/api/openapi.json'
      const [, , model] = pattern.split('/')
      const isRecord = pattern.startsWith('/admin/management/events/record/')
      return isRecord ? false : !/^[A-Z]/.test(model ?? '') || WHOLE.includes(model)
    }
    const others = all.filter((pattern) => !isWhole(pattern))
    return [...all.filter(isWhole), ...someOf(others, 29)].map(pathOf)
  }

  async function read(path: string): Promise<Read> {
    const cookie = path === '/admin/login' ? '' : own.cookie
    const headers = { cookie, accept: 'text/html,application/json;q=0.9' }
    const { status, text } = await callRaw('GET', path, headers)
    return { path, status, forms: text.split('<form').length - 1 }
  }

  async function readAll(all: readonly string[]): Promise<Read[]> {
    const found: Read[] = []
    for (let start = 0; start < all.length; start += AT_ONCE) {
      found.push(...(await Promise.all(all.slice(start, start + AT_ONCE).map(read))))
    }
    return found
  }

  test('[D6.3] every page of the site and the REST API has the same response as without the lock', async ({
    assert,
    cleanup,
  }) => {
    await store()
    const all = paths()
    const before = await readAll(all)
    const works = before.filter(({ status }) => status === 200).map(({ path }) => path)
    for (const path of [
      `/admin/Revue/update${keys.get('Revue')}`,
      `/admin/AdminUser/update${keys.get('AdminUser')}`,
      '/admin/AdminUser/create_page',
      '/admin/AdminUser/',
      '/admin/account',
      '/admin/login',
      `/admin/management/jobs/${ids.job}`,
      `/admin/management/events/${ids.event}`,
      '/api/openapi.json',
    ]) {
      assert.include(works, path)
    }
    const writing = await db.transaction()
    cleanup(() => writing.rollback())
    await writing.table('bulk_gadgets').insert({ name: 'Held' })
    /* What waits for the writer fails soon. */
    const { pool } = db.connection().getWriteClient().client
    const { acquireTimeoutMillis } = pool
    cleanup(() => void (pool.acquireTimeoutMillis = acquireTimeoutMillis))
    pool.acquireTimeoutMillis = 500
    assert.deepEqual(await readAll(all), before)
    assert.isFalse(writing.isCompleted)
  })
    .skip(!onSqlite, 'Other databases have several writers')
    .timeout(120_000)
})
