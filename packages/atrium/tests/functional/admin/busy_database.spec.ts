import { setTimeout as sleep } from 'node:timers/promises'
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import AdminUser from '#admin/models/admin_user'
import {
  adminSite,
  agedCookiesOf,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  login,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { Dossier } from '#tests/fixtures/conflicts'
import { MAIN, onSqlite } from '#tests/helpers/databases'
import { call, get } from '#tests/helpers/http'
import { emptyJobTables, findJob } from '#tests/helpers/jobs'
import { otherProcess } from '#tests/helpers/other_process'

/** Below the mount; each reads other tables of the site. */
const PAGES = [
  '/Dossier/',
  '/Dossier/create_page',
  '/Dossier/import',
  '/Dossier/export?format=csv',
  '/AdminUser/',
  '/management/jobs',
  '/management/events',
  '',
]

test.group('Admin | a busy database', (group) => {
  let cookie: string
  let dossier: Dossier

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await Dossier.query().delete()
    cookie = await cookiesOf(await makeUser('jo'))
    dossier = await Dossier.create({ title: 'Old', isOpen: false })
  })

  test('[A29, S47] while SQLite is locked, a write by any route is a 503 with Retry-After', async ({
    assert,
    cleanup,
  }) => {
    const site = await adminSite()
    const { crud } = site.models.get('Dossier')!
    const { text } = await get('/admin/Dossier/', { headers: { cookie } })
    const { headers } = await get(`/admin/Dossier/crud/${dossier.id}`, { headers: { cookie } })
    assert.include(text, 'Old')
    const own = crud as Partial<typeof crud>
    cleanup(() => {
      delete own.update
      delete own.create
    })
    crud.update = crud.create = async () => {
      throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
    }
    const form = { 'cookie': cookie, 'content-type': 'application/x-www-form-urlencoded' }
    const ids = [dossier.id]
    const responses = {
      update: sendForm(`/admin/Dossier/form_update/${dossier.id}`, { title: 'x' }, { cookie }),
      create: sendForm('/admin/Dossier/form_create', { title: 'x', is_open: 'true' }, { cookie }),
      cell: call('POST', `/admin/Dossier/cell/${dossier.id}?field=title`, {
        body: 'title=x',
        headers: { ...form, 'if-match': headers.get('etag') ?? '*' },
      }),
      edit: call('POST', '/admin/Dossier/bulk-edit', {
        json: { ids, values: { title: 'x' } },
        headers: { cookie },
      }),
    }
    for (const [door, waiting] of Object.entries(responses)) {
      const response = await waiting
      assert.equal(response.status, 503, `${door}: ${response.text.slice(0, 300)}`)
      assert.equal(response.headers.get('retry-after'), '1', door)
      assert.include(response.text, 'The database is busy; try again', door)
      assert.notInclude(response.text, 'locked', door)
    }
    await dossier.refresh()
    assert.equal(dossier.title, 'Old')
  })

  test('[D6, B7] while an import or another long write locks SQLite, pages are still readable', async ({
    assert,
    cleanup,
  }) => {
    const site = await adminSite()
    const { sessions } = site.adminAuthentication
    const jo = await AdminUser.findByOrFail('username', 'jo')
    /* Both its last activity and its token are due to be written anew. */
    cookie = await agedCookiesOf(jo, { minutes: 5 })
    const session = () => db.from('admin_sessions').orderBy('id', 'desc').firstOrFail()
    const { last_activity: earlier } = await session()
    const writing = await db.transaction()
    cleanup(async () => {
      if (!writing.isCompleted) await writing.rollback()
    })
    await writing.from('dossiers').where('id', dossier.id).update({ title: 'New' })
    const pages = [...PAGES, `/Dossier/update/${dossier.id}`]
    const responses = pages.map(async (page) => {
      const start = performance.now()
      const { status } = await get(`/admin${page}`, { headers: { cookie } })
      return { page, status, isLate: performance.now() - start > 5000 }
    })
    assert.deepEqual(
      await Promise.all(responses),
      pages.map((page) => ({ page, status: 200, isLate: false }))
    )
    await writing.commit()
    await sessions.settle()
    const { last_activity: last } = await session()
    assert.isAbove(Date.parse(last), Date.parse(earlier))
    const { headers } = await get('/admin/Dossier/', { headers: { cookie } })
    assert.match(headers.get('set-cookie') ?? '', /^access_token=/)
  })
    .skip(!onSqlite, 'Others write beside each other')
    .timeout(60_000)

  test('[A29, S47] while another process locks SQLite repeatedly, logins, forms and jobs wait for it', async ({
    assert,
    cleanup,
  }) => {
    const site = await adminSite()
    await emptyJobTables()
    await db.from('bulk_gadgets').delete()
    await db.table('bulk_gadgets').insert({ name: 'Lamp' })
    const [{ file }] = await db.rawQuery('pragma database_list')
    const other = otherProcess(MAIN === 'better-sqlite3' ? MAIN : 'sqlite3', file)
    let isOver = false
    const holding = (async () => {
      while (!isOver) {
        if (!(await other.run('begin immediate'))) {
          await sleep(100)
          await other.run('rollback')
        }
        await sleep(50)
      }
    })()
    cleanup(async () => {
      isOver = true
      await holding
      await other.close()
    })
    const user = await AdminUser.findByOrFail('username', 'jo')
    await site.drafts.keep(user.id, { address: '/', texts: {}, reason: 'unsent' })
    const origin = { requestId: 'r', ip: '203.0.113.7', userAgent: 'tester', sessionId: null }
    const payload = { task: '/form_bulk_delete', value: 'delete', query: '', count: 1 }
    const { jobs } = site
    const { id } = await jobs.store.create({ kind: 'bulk', user, model: 'Gadget', payload, origin })
    jobs.resume()
    await jobs.run(id, false)
    const job = await findJob(id)
    assert.equal(job.state, 'done', String(job.error))
    for (let round = 0; round < 5; round++) {
      const refused = await login('jo', 'wrong')
      const accepted = await login('jo')
      assert.deepEqual([refused.status, accepted.status], [401, 303])
      const path = `/admin/Dossier/form_update/${dossier.id}`
      const saved = await sendForm(path, { title: `New ${round}`, is_open: 'true' }, { cookie })
      assert.equal(saved.status, 303, saved.text.slice(0, 300))
    }
  })
    .skip(!onSqlite, 'Other databases have several writers')
    .timeout(60_000)
})
