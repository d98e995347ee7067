import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { AdminUser, PermissionsDocument } from '#admin'
import { emptyJobTables, findJob, untilJob, work } from '#tests/helpers/jobs'
import {
  adminSite,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { onSqlite } from '#tests/helpers/databases'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { call, del, get, type HttpResponse } from '#tests/helpers/http'
import { makeRole, restoreRoles } from '#tests/helpers/roles'

const MANY = 2500

/** Gadgets named `name 1`, `name 2` ... */
async function addMany(table: string, count: number, row: (index: number) => object) {
  const rows = Array.from({ length: count }, (_, index) => row(index))
  for (let start = 0; start < rows.length; start += 100) {
    await db.table(table).multiInsert(rows.slice(start, start + 100) as Record<string, any>[])
  }
}

const addGadgets = (count: number, name = 'Lamp') =>
  addMany('bulk_gadgets', count, (index) => ({ name: `${name} ${index}` }))

async function countOf(table: string, where: Record<string, unknown> = {}): Promise<number> {
  const [row] = await db.from(table).where(where).count('* as total')
  return Number(row.total)
}

const active = () => countOf('bulk_gadgets', { is_deleted: false })

function message({ body }: HttpResponse): string {
  return body.detail[0].message
}

async function statusOf(response: Promise<HttpResponse>): Promise<number> {
  const { status } = await response
  return status
}

test.group('Admin | select all matching', (group) => {
  let jo: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyEventTables()
    await emptyJobTables()
    for (const table of ['gadgets', 'diaries', 'vouchers', 'berths']) {
      await db.from(`bulk_${table}`).delete()
    }
    jo = await makeUser('jo')
    cookie = await cookiesOf(jo)
  })

  function remove(query: string, count: unknown, model = 'Gadget', path = 'bulk-delete') {
    const json = { all: true, query, count }
    return del(`/admin/${model}/${path}`, { json, headers: { cookie } })
  }

  function form(fields: Record<string, string>, path = 'form_bulk_delete') {
    return sendForm(`/admin/Gadget/${path}`, fields, { cookie })
  }

  /** Logs in a user with one role. */
  async function signInWith(permissions: PermissionsDocument) {
    await makeRole('Tester', permissions)
    const user = await makeUser('ann', { isSuperuser: false, roles: ['Tester'] })
    cookie = await cookiesOf(user)
  }

  test('[L8] all matching records are deleted, and no others', async ({ assert }) => {
    await addGadgets(12, 'Lamp')
    await addGadgets(3, 'Sofa')
    const response = await remove('filter.name__contains=Lamp', 12)
    assert.equal(response.status, 200)
    assert.include(response.text, '12 gadgets deleted')
    const left = await db.from('bulk_gadgets').where('is_deleted', false)
    assert.deepEqual(left.map(({ name }) => name).toSorted(), ['Sofa 0', 'Sofa 1', 'Sofa 2'])
  }).tags(['@database'])

  test('[L8] sorting, page and page size of the query do not limit which records are deleted', async ({
    assert,
  }) => {
    await addGadgets(15)
    const query = 'sort_by=name&sort_order=desc&page=2&rows-per-page-select=10'
    const response = await remove(query, 15)
    assert.equal(response.status, 200)
    assert.equal(await active(), 0)
  })

  test('[L8] if the number of matches differs, the response is a 409 with both numbers, and nothing is deleted', async ({
    assert,
  }) => {
    await addGadgets(5)
    for (const count of [0, 4, 6, 1500]) {
      const response = await remove('', count)
      assert.equal(response.status, 409)
      assert.containSubset(response.body, { detail: [{ count, found: 5 }] })
      assert.include(message(response), '5 records match now')
    }
    assert.equal(await active(), 5)
  }).tags(['@database'])

  test('[L8, L1] a selection whose query has an ignored filter is a 422: {$self}')
    .with([
      'filter.nmae=Lamp',
      'filter.id=x',
      'filter.name__larger=Lamp',
      'filter.name__contains=Lamp&filter.id__in=1,x',
      'column-to-search=id&search-input=x',
      'column-to-search=nothing&search-input=Lamp',
      'search-input=Lamp',
    ])
    .run(async ({ assert }, query) => {
      await addGadgets(3)
      const response = await remove(query, 3)
      assert.equal(response.status, 422)
      assert.equal(await active(), 3)
    })

  test('[L8] a malformed request to delete all matching records is a 422: {$i}')
    .with<object[]>([
      { all: false, query: '', count: 3 },
      { all: 'true', query: '', count: 3 },
      { all: true, count: 3 },
      { all: true, query: '' },
      { all: true, query: 5, count: 3 },
      { all: true, query: '', count: '3' },
      { all: true, query: '', count: -1 },
      { all: true, query: '', count: 1.5 },
      { all: true, query: '', count: 3, ids: [1] },
    ])
    .run(async ({ assert }, json) => {
      await addGadgets(3)
      const response = await del('/admin/Gadget/bulk-delete', { json, headers: { cookie } })
      assert.equal(response.status, 422)
      assert.equal(await active(), 3)
    })

  test('[L8] if no records match, a deletion of all matching records is a 400 like one without ids', async ({
    assert,
  }) => {
    const response = await remove('', 0)
    assert.equal(response.status, 400)
    assert.equal(message(response), 'No IDs provided for deletion')
  })

  test('[L8, B16] all matching deleted records can be restored and purged', async ({ assert }) => {
    await addGadgets(4)
    await db.from('bulk_gadgets').update({ is_deleted: true })
    const restore = (count: number, query: string) =>
      call('POST', '/admin/Gadget/bulk-restore', {
        json: { all: true, query, count },
        headers: { cookie },
      })
    assert.equal(await statusOf(restore(4, 'deleted=include')), 422)
    assert.equal(await statusOf(remove('deleted=only', 4)), 422)
    assert.equal(await statusOf(restore(4, 'deleted=only')), 200)
    assert.equal(await active(), 4)
    const purged = await remove('deleted=include', 4, 'Gadget', 'bulk-delete?hard=true')
    assert.equal(purged.status, 200)
    assert.equal(await countOf('bulk_gadgets'), 0)
  }).tags(['@database'])

  test('[L8] matching records with text keys and composite keys are deleted, too', async ({
    assert,
  }) => {
    await addMany('bulk_vouchers', 3, (index) => ({ code: `a/ä ${index}` }))
    await addMany('bulk_berths', 3, (deck) => ({ deck, place: 'x/y', guest: 'Jo' }))
    assert.equal(await statusOf(remove('', 3, 'Voucher')), 200)
    assert.equal(await statusOf(remove('filter.guest=Jo', 3, 'Berth')), 200)
    assert.equal(await countOf('bulk_vouchers'), 0)
    assert.equal(await countOf('bulk_berths'), 0)
  }).tags(['@database'])

  test('[L8, P14] records that scope and policy hide from the list are not selected', async ({
    assert,
  }) => {
    await addMany('bulk_diaries', 6, (index) => ({
      title: index === 0 ? 'no read' : `Day ${index}`,
      owner: index === 5 ? 'jo' : 'everyone',
    }))
    assert.equal(await statusOf(remove('', 6, 'Diary')), 409)
    assert.equal(await statusOf(remove('', 4, 'Diary')), 200)
    const left = await db.from('bulk_diaries').orderBy('id')
    assert.deepEqual(
      left.map(({ title }) => title),
      ['no read', 'Day 5']
    )
  }).tags(['@database'])

  test("[L8, U4] deleting all matching records requires the delete permission, and can't filter by hidden fields", async ({
    assert,
  }) => {
    await addGadgets(3)
    await signInWith({ Gadget: { actions: ['view'] } })
    assert.equal(await statusOf(remove('', 3)), 403)
    await restoreRoles()
    await emptyAdminTables()
    await signInWith({ Gadget: { actions: ['view', 'delete'], hidden: ['name'] } })
    assert.equal(await statusOf(remove('filter.name=Lamp+1', 3)), 422)
    assert.equal(await active(), 3)
    assert.equal(await statusOf(remove('', 3)), 200)
    await restoreRoles()
  })

  test('[L8, B14] a user who cannot see the list can’t select all of it', async ({ assert }) => {
    await addGadgets(3)
    assert.equal(await statusOf(remove('', 3, 'GadgetToDelete')), 403)
    assert.equal(await active(), 3)
  })

  test('[L8] a form asks for confirmation with the number of records, then deletes them', async ({
    assert,
  }) => {
    await addGadgets(30)
    const fields = { all: '1', query: 'filter.name__contains=Lamp', count: '30', ids: '1' }
    const requested = await form(fields)
    assert.equal(requested.status, 200)
    assert.include(requested.text, 'Delete 30 gadgets?')
    assert.include(requested.text, 'and 10 more')
    assert.include(requested.text, 'name="query" value="filter.name__contains=Lamp"')
    assert.equal(await active(), 30)
    const done = await form({ ...fields, confirmed: '1', next: '/admin/Gadget/' })
    assert.equal(done.status, 303)
    assert.equal(await active(), 0)
  })

  test('[L8] a form whose confirmed number of matches differs from the current one deletes nothing and redirects', async ({
    assert,
  }) => {
    await addGadgets(3)
    for (const count of ['4', '', 'x']) {
      const response = await form({ all: '1', query: '', count, confirmed: '1' })
      assert.equal(response.status, 303)
    }
    assert.equal(await active(), 3)
  })

  test('[L8] a bulk action is applied to all matching records', async ({ assert }) => {
    await addGadgets(11)
    const fields = { all: '1', query: '', count: '11', confirmed: '1' }
    assert.equal(await statusOf(form(fields, 'action/rename')), 303)
    assert.equal(await countOf('bulk_gadgets', { name: 'renamed' }), 11)
  })

  test('[L8, D1] deleting more than a thousand records is a job, with a transaction for each thousand', async ({
    assert,
    cleanup,
  }) => {
    await addGadgets(MANY)
    await addGadgets(5, 'Sofa')
    const response = await remove('filter.name__contains=Lamp', MANY)
    assert.equal(response.status, 202)
    const location = response.headers.get('location')!
    assert.match(location, /^\/admin\/management\/jobs\/\d+$/)
    assert.equal(await active(), MANY + 5)

    const waiting = await get(location, { headers: { cookie } })
    assert.include(waiting.text, 'Delete 2,500 gadgets')
    assert.include(waiting.text, '0 of 2,500')

    cleanup(await work())
    const job = await untilJob(response.body.job.id)
    assert.containSubset(job, { state: 'done', done: MANY, total: MANY, error: null })
    assert.equal(await active(), 5)
    const page = await get(location, { headers: { cookie } })
    assert.include(page.text, '2,500 gadgets deleted')

    const events = await db.from('admin_event_log').where('event_type', 'DELETE').orderBy('id')
    assert.deepEqual(
      events.map(({ details }) => JSON.parse(details).count),
      [1000, 1000, 500]
    )
    for (const event of events) {
      assert.containSubset(event, { username: 'jo', user_id: jo.id, user_agent: 'node' })
      assert.equal(JSON.parse(event.details).job, job.id)
    }
    assert.equal(await countOf('admin_audit_log', { resource_type: 'Gadget' }), MANY)
    assert.isEmpty(await db.from('admin_job_chunks'))
    assert.isEmpty(await db.from('admin_queue_jobs'))
  }).tags(['@database'])

  test('[L8] a bulk job stops at the first failure, and reports what was done and what was not', async ({
    assert,
    cleanup,
  }) => {
    await addGadgets(1200)
    await db.table('bulk_gadgets').insert({ name: 'stuck' })
    await addGadgets(300)
    const response = await remove('', 1501)
    cleanup(await work())
    const job = await untilJob(response.body.job.id)
    const done = onSqlite ? job.done : 1000
    assert.containSubset(job, { state: 'failed', done })
    assert.isTrue(done >= 1000 && done <= 1200, String(done))
    assert.match(job.error!, /^Error during deletion: /)
    assert.notInclude(job.error!, 'secret')
    assert.equal(await active(), 1501 - done)
    const page = await get(response.headers.get('location')!, { headers: { cookie } })
    const numbers = [done, 1501 - done].map((number) => number.toLocaleString('en'))
    assert.include(page.text, `${numbers[0]} records were done, ${numbers[1]} were not.`)

    /* Mended, the rest is done, and nothing twice. */
    await db.from('bulk_gadgets').where('name', 'stuck').update({ name: 'free' })
    const again = await sendForm(`${response.headers.get('location')}/again`, {}, { cookie })
    assert.equal(again.status, 303)
    const ended = await untilJob(job.id)
    assert.containSubset(ended, { state: 'done', done: 1501, error: null })
    assert.equal(await active(), 0)
    assert.equal(await countOf('admin_audit_log', { resource_type: 'Gadget' }), 1501)
  }).tags(['@database'])

  test('[L8.3] on SQLite a bulk job writes a chunk in several parts, or as a whole if a part fails', async ({
    assert,
    cleanup,
  }) => {
    await addGadgets(1500)
    const { jobs } = await adminSite()
    const { store } = jobs
    const { note } = store
    const done: number[] = []
    cleanup(() => void (store.note = note))
    store.note = async (job, progress, client) => {
      done.push(progress.done!)
      /* The second part fails once. */
      if (done.length === 2) throw new Error('These records need others')
      return await note.call(store, job, progress, client)
    }
    const { body } = await remove('', 1500)
    jobs.resume()
    await jobs.run(body.job.id, false)
    assert.containSubset(await findJob(body.job.id), { state: 'done', done: 1500 })
    assert.equal(done[2], 1000)
    assert.isAtLeast(done.length, 5)
    const events = await db.from('admin_event_log').where('event_type', 'DELETE').orderBy('id')
    assert.deepEqual(
      events.map(({ details }) => JSON.parse(details).count),
      [1000, 500]
    )
  }).skip(!onSqlite, 'Other databases have one transaction for a chunk')

  test('[D1, L8.3] a bulk job that was killed after its last records completes and reports its result', async ({
    assert,
  }) => {
    await addGadgets(1001)
    const { body } = await remove('', 1001)
    const { jobs } = await adminSite()
    jobs.resume()
    await jobs.run(body.job.id, false)
    await db.from('admin_jobs').update({ state: 'running', run: 'killed', result: null })
    await jobs.run(body.job.id, true)
    const { result, state } = await findJob(body.job.id)
    assert.deepEqual([state, result], ['done', { message: '1,001 gadgets deleted' }])
  })

  test('[L8] a bulk job does nothing if the number of matches has changed before it starts', async ({
    assert,
    cleanup,
  }) => {
    await addGadgets(1100)
    const response = await remove('', 1100)
    await addGadgets(1)
    cleanup(await work())
    const job = await untilJob(response.body.job.id)
    assert.containSubset(job, { state: 'failed', done: 0 })
    assert.include(job.error!, '1,101 records match now, not 1,100')
    assert.equal(await active(), 1101)
    assert.isEmpty(await db.from('admin_job_chunks'))
  }).tags(['@database'])

  test('[L8, U4] a bulk job fails if its owner has lost the permission before it runs', async ({
    assert,
    cleanup,
  }) => {
    await addGadgets(1001)
    await signInWith({ Gadget: { actions: ['view', 'delete'] } })
    const response = await remove('', 1001)
    assert.equal(response.status, 202)
    await db.from('admin_user_roles').delete()
    await db.from('admin_users').where('username', 'ann').update({ permissions_version: 99 })
    cleanup(await work())
    const job = await untilJob(response.body.job.id)
    assert.containSubset(job, { state: 'failed', done: 0, error: 'You may not do this' })
    assert.equal(await active(), 1001)
    await restoreRoles()
  })

  test('[L8] a custom action on more than a thousand records is one job, whose result has the message of the action', async ({
    assert,
    cleanup,
  }) => {
    await addGadgets(1001)
    const fields = { all: '1', query: '', count: '1001', confirmed: '1' }
    const response = await form(fields, 'action/rename')
    assert.equal(response.status, 303)
    const id = Number(response.headers.get('location')!.split('/').at(-1))
    cleanup(await work())
    const job = await untilJob(id)
    assert.containSubset(job, { state: 'done', result: { message: 'Rename: 1,001 gadgets' } })
    assert.equal(await countOf('bulk_gadgets', { name: 'renamed' }), 1001)
  })
})
