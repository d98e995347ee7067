import { readdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { pruneExports } from '#admin/export/export_job'
import { adminSite, callRaw, cookiesOf, makeUser, sendForm } from '#tests/helpers/admin'
import { withJobs } from '#tests/helpers/job_group'
import { findJob, untilJob, work } from '#tests/helpers/jobs'
import { get, urlOf, type HttpResponse } from '#tests/helpers/http'
import { giveRoles, makeRole } from '#tests/helpers/roles'

const folder = () => join(app.config.get<string>('admin.storageDirectory'), '.exports')

const filesStored = () => readdir(folder()).catch(() => [])

const idOf = ({ headers }: HttpResponse) =>
  Number(headers.get('location')!.match(/\/jobs\/(\d+)$/)![1])

async function kindOf(found: ReturnType<typeof findJob>): Promise<string> {
  const { kind } = await found
  return kind
}

async function stateOf(found: ReturnType<typeof untilJob>): Promise<string> {
  const { state } = await found
  return state
}

async function statusOf(response: Promise<HttpResponse>): Promise<number> {
  const { status } = await response
  return status
}

test.group('Admin | exports as jobs', (group) => {
  let cookie: string

  const own = withJobs(group, ['list_cash_books'])
  group.each.setup(async () => {
    const rows = Array.from({ length: 30 }, (_, index) => ({
      title: `Book ${index}`,
      amount: index,
    }))
    await db.table('list_cash_books').multiInsert(rows)
    cookie = own.cookie
    const site = await adminSite()
    const { exports } = site
    const before = { ...exports }
    return async () => {
      Object.assign(exports, before)
      await pruneExports(0)
    }
  })

  const exported = (query: string, headers: Record<string, string> = {}) =>
    get(`/admin/CashBook/export?${query}`, { headers: { cookie, ...headers } })

  const fetched = (id: number, as: string = cookie) =>
    get(`/admin/management/jobs/${id}/file`, { headers: { cookie: as } })

  async function limitTo(streamed: number) {
    const { exports } = await adminSite()
    exports.streamed = streamed
  }

  test('[D2, D1] an XLSX export is a job; its page offers the file, and its event names the job', async ({
    assert,
    cleanup,
  }) => {
    const reply = await exported('format=xlsx&filter.amount__lt=3&columns=title,amount')
    assert.equal(reply.status, 303)
    const id = idOf(reply)
    cleanup(await work())
    const job = await untilJob(id)
    assert.containSubset(job.serialize(), { kind: 'export', state: 'done', done: 3, total: 3 })
    const page = await get(`/admin/management/jobs/${id}`, { headers: { cookie } })
    assert.include(page.text, `/admin/management/jobs/${id}/file`)
    assert.include(page.text, 'Export 3 cash books')
    const list = await get('/admin/management/jobs', { headers: { cookie } })
    assert.include(list.text, `/admin/management/jobs/${id}/file`)
    const response = await fetch(urlOf(`/admin/management/jobs/${id}/file`), {
      headers: { cookie },
    })
    assert.match(
      response.headers.get('content-disposition')!,
      /filename="cash-books-[\d-]+\.xlsx"$/
    )
    const bytes = Buffer.from(await response.arrayBuffer())
    assert.equal(bytes.subarray(0, 2).toString(), 'PK')
    assert.equal(Number(response.headers.get('content-length')), bytes.length)
    const site = await adminSite()
    await site.events.settle()
    const [event] = await db.from('admin_event_log').where('event_type', 'EXPORT')
    assert.deepEqual(JSON.parse(event.details), {
      format: 'xlsx',
      query: 'filter.amount__lt=3&columns=title%2Camount',
      count: 3,
      job: id,
    })
  })

  test('[D2] an export of more records than the limit of a request is a job, and API clients get a 202', async ({
    assert,
    cleanup,
  }) => {
    await limitTo(30)
    assert.equal(await statusOf(exported('format=csv')), 200)
    await limitTo(29)
    const dialog = await get('/admin/CashBook/export/dialog', { headers: { cookie } })
    assert.include(dialog.text, 'Create file')
    const response = await exported('format=csv&filter.amount__gte=0&titles=1', {
      accept: 'application/json',
    })
    assert.equal(response.status, 202)
    const { id, url } = response.body.job
    assert.equal(url, `/admin/management/jobs/${id}`)
    cleanup(await work())
    await untilJob(id)
    const file = await fetched(id)
    assert.lengthOf(file.text.split('\r\n'), 32)
    const posted = await sendForm('/admin/CashBook/export', 'format=csv', { cookie })
    assert.equal(posted.status, 303)
    assert.equal(await kindOf(findJob(idOf(posted))), 'export')
  })

  test('[D2, U4] only the owner with the permission can download the file: others and superusers get 404', async ({
    assert,
    cleanup,
  }) => {
    await makeRole('Clerk', { CashBook: { actions: ['view', 'export'] } })
    const ann = await makeUser('ann', { isSuperuser: false, roles: ['Clerk'] })
    const bob = await makeUser('bob', { isSuperuser: false, roles: ['Clerk'] })
    const asBoss = cookie
    const asAnn = (cookie = await cookiesOf(ann))
    const id = idOf(await exported('format=xlsx'))
    cleanup(await work())
    await untilJob(id)
    assert.equal(await statusOf(fetched(id, asAnn)), 200)
    for (const other of [asBoss, await cookiesOf(bob)]) {
      assert.equal(await statusOf(fetched(id, other)), 404)
    }
    const page = await get(`/admin/management/jobs/${id}`, { headers: { cookie: asBoss } })
    assert.equal(page.status, 200)
    assert.notInclude(page.text, `/jobs/${id}/file`)
    assert.equal(await statusOf(fetched(id, '')), 303)
    await makeRole('Reader', { CashBook: { actions: ['view'] } })
    await giveRoles(ann, ['Reader'])
    assert.equal(await statusOf(fetched(id, asAnn)), 404)
  })

  test('[D2] the file of an export is deleted after a day, and the job can be repeated', async ({
    assert,
    cleanup,
  }) => {
    const id = idOf(await exported('format=xlsx&columns=title'))
    cleanup(await work())
    await untilJob(id)
    const [name] = await filesStored()
    assert.equal(await pruneExports(24), 0)
    assert.equal(await statusOf(fetched(id)), 200)

    const ended = DateTime.utc().minus({ hours: 25 })
    await db
      .from('admin_jobs')
      .where('id', id)
      .update({ ended_at: ended.toFormat('yyyy-MM-dd HH:mm:ss') })
    await utimes(join(folder(), name), ended.toJSDate(), ended.toJSDate())
    assert.equal(await statusOf(fetched(id)), 404)
    const page = await get(`/admin/management/jobs/${id}`, { headers: { cookie } })
    assert.include(page.text, 'The file was deleted')
    assert.equal(await pruneExports(24), 1)
    assert.isEmpty(await filesStored())

    const again = await sendForm(`/admin/management/jobs/${id}/again`, {}, { cookie })
    const next = await untilJob(idOf(again))
    assert.equal(next.state, 'done')
    assert.equal(await statusOf(fetched(next.id)), 200)
  })

  test('[D2, U4] a job exports what its owner can export when it runs, and fails without the permission', async ({
    assert,
    cleanup,
  }) => {
    await makeRole('Clerk', { CashBook: { actions: ['view', 'export'] } })
    const ann = await makeUser('ann', { isSuperuser: false, roles: ['Clerk'] })
    cookie = await cookiesOf(ann)
    const id = idOf(await exported('format=xlsx'))
    await makeRole('Reader', { CashBook: { actions: ['view'] } })
    await giveRoles(ann, ['Reader'])
    cleanup(await work())
    const job = await untilJob(id)
    assert.equal(job.state, 'failed')
    assert.isEmpty(await filesStored())
  })

  test('[D2, U4] a file is refused once its owner has lost permissions, and can be exported again', async ({
    assert,
    cleanup,
  }) => {
    const role = await makeRole('Clerk', { CashBook: { actions: ['view', 'export'] } })
    const ann = await makeUser('ann', { isSuperuser: false, roles: ['Clerk'] })
    cookie = await cookiesOf(ann)
    const id = idOf(await exported('format=xlsx'))
    cleanup(await work())
    await untilJob(id)
    await makeRole('Reader', { CashBook: { actions: ['view'] } })
    await giveRoles(ann, ['Clerk', 'Reader'])
    assert.equal(await statusOf(fetched(id)), 200)

    const hidden = { CashBook: { actions: ['view', 'export'], hidden: ['remark'] } }
    await role.merge({ permissions: hidden }).save()
    const refused = await fetched(id)
    assert.equal(refused.status, 403)
    assert.include(refused.text, 'permissions have changed')
    const navigation = { cookie, 'sec-fetch-mode': 'navigate' }
    const page = await callRaw('GET', `/admin/management/jobs/${id}/file`, navigation)
    assert.equal(page.headers.location, `/admin/management/jobs/${id}`)

    const again = await sendForm(`/admin/management/jobs/${id}/again`, {}, { cookie })
    const next = await untilJob(idOf(again))
    assert.equal(await statusOf(fetched(next.id)), 200)
  })

  test('[D2] the number and size of the export files stored for a user are limited', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await work())
    const { exports } = await adminSite()
    Object.assign(exports, { keptFiles: 2 })
    const ids: number[] = []
    for (let round = 0; round < 3; round++) {
      const id = idOf(await exported('format=xlsx'))
      await untilJob(id)
      ids.push(id)
    }
    const statuses = await Promise.all(ids.map((id) => statusOf(fetched(id))))
    assert.deepEqual(statuses, [404, 200, 200])
    assert.lengthOf(await filesStored(), 2)
    Object.assign(exports, { keptMegabytes: 0.000_001 })
    const last = idOf(await exported('format=xlsx'))
    await untilJob(last)
    assert.equal(await statusOf(fetched(last)), 200)
    assert.lengthOf(await filesStored(), 1)
  })

  test('[D1, D2] a cancelled export leaves no file', async ({ assert, cleanup }) => {
    const id = idOf(await exported('format=xlsx'))
    await sendForm(`/admin/management/jobs/${id}/cancel`, {}, { cookie })
    cleanup(await work())
    assert.equal(await stateOf(untilJob(id)), 'cancelled')
    assert.isEmpty(await filesStored())
    assert.equal(await statusOf(fetched(id)), 404)
  })

  test('[B9, D2] a link on another site starts no export: it opens the dialog', async ({
    assert,
  }) => {
    const response = await exported('format=xlsx&filter.amount=1', {
      'sec-fetch-site': 'cross-site',
    })
    assert.equal(response.status, 303)
    assert.equal(
      response.headers.get('location'),
      '/admin/CashBook/export/dialog?format=xlsx&filter.amount=1'
    )
    const [row] = await db.from('admin_jobs').count('* as jobs')
    assert.equal(Number(row.jobs), 0)
  })
})
