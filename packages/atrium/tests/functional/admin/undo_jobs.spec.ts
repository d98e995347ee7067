import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import {
  adminSite,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { onSqlite } from '#tests/helpers/databases'
import { call, del, get } from '#tests/helpers/http'
import { its } from '#tests/helpers/its'
import { emptyJobTables, findJob, untilJob, work } from '#tests/helpers/jobs'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { queriesOf } from '#tests/helpers/queries'
import { giveRoles, makeRole, restoreRoles } from '#tests/helpers/roles'

const MANY = 1001

test.group('Admin | undoing jobs', (group) => {
  group.tap((one) => one.tags(['@database']))
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyEventTables()
    await emptyJobTables()
    await db.from('bulk_gadgets').delete()
    const rows = Array.from({ length: MANY }, (_, index) => ({ name: `Lamp ${index}` }))
    for (let start = 0; start < MANY; start += 100) {
      await db.table('bulk_gadgets').multiInsert(rows.slice(start, start + 100))
    }
    cookie = await cookiesOf(await makeUser('jo'))
  })

  async function countActive(): Promise<number> {
    const [row] = await db.from('bulk_gadgets').where('is_deleted', false).count('* as total')
    return Number(row.total)
  }

  const page = async (id: number) => {
    const { text } = await get(`/admin/management/jobs/${id}`, { headers: { cookie } })
    return text
  }
  const undo = (id: number, headers = { cookie }) =>
    call('POST', `/admin/management/jobs/${id}/undo`, { json: {}, headers })

  async function deleteAll(): Promise<number> {
    const json = { all: true, query: '', count: MANY }
    const { body } = await del('/admin/Gadget/bulk-delete', { json, headers: { cookie } })
    return body.job.id
  }

  test('[R7, L8] a job undoes the chunks of another job, last one first, and stops at a chunk that was changed since', async ({
    assert,
    cleanup,
  }) => {
    const id = await deleteAll()
    assert.notInclude(await page(id), 'undo-job')
    assert.equal(await its(undo(id), 'status'), 409)
    cleanup(await work())
    await untilJob(id)
    assert.equal(await countActive(), 0)
    assert.include(await page(id), 'Reverts 1,001 records in 2 parts, the last one first')

    const audit = db.from('admin_audit_log').where('resource_type', 'Gadget').orderBy('id')
    const { resource_id: first, previous_state: state } = await audit.first()
    await db.from('bulk_gadgets').where('id', first).update({ name: 'changed' })
    const response = await undo(id)
    assert.equal(response.status, 202, response.text)
    const undoing = await untilJob(response.body.job.id)
    assert.containSubset(undoing, { state: 'failed', done: 1, total: MANY })
    assert.match(undoing.error!, /^The undo stopped at event \d+; .* A record is not as the event/)
    assert.equal(await countActive(), 1)

    const { name } = JSON.parse(state)
    await db.from('bulk_gadgets').where('id', first).update({ name })
    await sendForm(`/admin/management/jobs/${undoing.id}/again`, {}, { cookie })
    const done = await untilJob(undoing.id)
    assert.containSubset(done, { state: 'done', done: MANY, error: null })
    assert.equal(await countActive(), MANY)
    const shown = await page(undoing.id)
    assert.match(shown, /id="undo-job"[^>]*>Redo</)
    assert.include(shown, `Undo job ${id}<`)
    const queries = await queriesOf(() => page(undoing.id))
    assert.isEmpty(queries.filter((sql) => /count\(.*admin_audit_log/.test(sql)))
    const text = await page(id)
    assert.notInclude(text, 'id="undo-job"')
    assert.include(text, `href="/admin/management/jobs/${undoing.id}"`)
    assert.equal(await its(undo(id), 'status'), 409)

    const { body } = await undo(undoing.id)
    const redoing = await untilJob(body.job.id)
    assert.match(redoing.result!.message as string, /^Redone: /)
    assert.include(await page(redoing.id), `Redo what job ${undoing.id} undid<`)
  }).timeout(60_000)

  test('[R7, U4] other users cannot see or undo the job, and the owner needs the permission to restore after a deletion', async ({
    assert,
    cleanup,
  }) => {
    cleanup(restoreRoles)
    await makeRole('Remover', { Gadget: { actions: ['view', 'delete'] } })
    const ann = await makeUser('ann', { isSuperuser: false, roles: ['Remover'] })
    const kim = await cookiesOf(await makeUser('kim', { isSuperuser: false }))
    cookie = await cookiesOf(ann)
    const id = await deleteAll()
    cleanup(await work())
    await untilJob(id)
    assert.notInclude(await page(id), 'undo-job')
    assert.equal(await its(undo(id), 'status'), 403)
    assert.equal(await its(undo(id, { cookie: kim }), 'status'), 404)
    assert.equal(await countActive(), 0)

    await makeRole('Both', { Gadget: { actions: ['view', 'delete', 'restore'] } })
    await giveRoles(ann, ['Both'])
    assert.include(await page(id), 'id="undo-job"')
    await db.from('admin_event_log').update({ timestamp: '2020-01-01 00:00:00' })
    await db
      .from('admin_jobs')
      .update({ created_at: '2020-01-01 00:00:00', ended_at: '2020-01-01 00:00:00' })
    assert.notInclude(await page(id), 'undo-job')
    const late = await undo(id)
    assert.equal(late.status, 409)
    assert.include(late.text, '10 minutes')
  }).timeout(60_000)

  test('[R7.21, R7.9] on SQLite a conflict leaves the event that the job is undoing unchanged, and the job can be repeated later', async ({
    assert,
    cleanup,
  }) => {
    const id = await deleteAll()
    cleanup(await work())
    await untilJob(id)
    const audit = await db.from('admin_audit_log').where('resource_type', 'Gadget').orderBy('id')
    const last = () => db.from('bulk_gadgets').where('id', audit[999].resource_id)
    const { name } = await last().first()
    const { jobs } = await adminSite()
    const { store } = jobs
    const { find } = store
    cleanup(() => void (store.find = find))
    store.find = async (job) => {
      const found = await find.call(store, job)
      if (found?.kind === 'undo-parts' && found.done > 1) {
        store.find = find
        await last().update({ name: 'changed' })
      }
      return found
    }
    const { body } = await undo(id)
    const failed = await untilJob(body.job.id)
    assert.containSubset(failed, { state: 'failed', done: 1 })
    assert.match(
      failed.error!,
      /A record is not as the event.*The other records were not changed\.$/
    )
    assert.equal(await countActive(), 1)

    await last().update({ name })
    await sendForm(`/admin/management/jobs/${failed.id}/again`, {}, { cookie })
    assert.containSubset(await untilJob(failed.id), { state: 'done', done: MANY, error: null })
    assert.equal(await countActive(), MANY)
  })
    .timeout(60_000)
    .skip(!onSqlite, 'Other databases undo an event in one transaction')

  test('[D1.8, L8, R7] if the process is killed after the last records of a bulk or undo job, the job completes with its result', async ({
    assert,
    cleanup,
  }) => {
    const { jobs } = await adminSite()
    const { store } = jobs
    jobs.resume()
    const { end } = store
    cleanup(() => void (store.end = end))
    /* As in a process that is killed after the last commit */
    store.end = (job, state, outcome, client) => {
      if (!client?.isTransaction) throw new Error('The process was killed')
      return end.call(store, job, state, outcome, client)
    }
    const finish = async (id: number, active: number) => {
      await jobs.run(id, false)
      await jobs.run(id, true)
      const { result, state } = await findJob(id)
      assert.equal(state, 'done')
      assert.match(String(result?.message), /^(Un|Re)done: |deleted$/)
      assert.equal(await countActive(), active)
    }
    const id = await deleteAll()
    await finish(id, 0)
    const events = await db.from('admin_event_log').where('event_type', 'DELETE')
    assert.lengthOf(events, 2)
    const { body } = await undo(id)
    await finish(body.job.id, MANY)

    const last = await db.from('admin_event_log').max('id as id').firstOrFail()
    const { userId, username } = await findJob(id)
    const user = { id: userId, username }
    const { origin } = await findJob(id)
    const payload = { event: last.id }
    const one = await store.create({ kind: 'undo', user, model: 'Gadget', payload, origin })
    await finish(one.id, 1)
  }).timeout(60_000)

  test('[R7, D3] the log of a large event is read in parts of some hundred rows', async ({
    assert,
    cleanup,
  }) => {
    const id = await deleteAll()
    cleanup(await work())
    await untilJob(id)
    const counted = db.from('admin_audit_log').groupBy('event_id').select('event_id')
    const [{ event_id: event }] = await counted.count('* as total').orderBy('total', 'desc')
    const path = `/admin/management/events/${event}`
    const queries = await queriesOf(() => get(path, { headers: { cookie } }))
    const read = queries.filter((sql) => /reversal.*from .admin_audit_log/.test(sql))
    assert.isAtLeast(read.length, 2)
    for (const sql of read) assert.match(sql, /limit/i)
  })
})
